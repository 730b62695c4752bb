"""What somebody states of the bearings that were recorded, and what a fit makes of it for a model's card."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dualres.errors import ConfigError
from dualres.faultlines.bearing import bearing_of
from dualres.faultlines.fault_names import is_no_part, part_of, stated_part
from dualres.faultlines.fault_orders import NAMES, FaultOrders, Part, orders_of
from dualres.judge.geometry import BEARING, ORDERS, Geometry
from dualres.recordings.recording import Recording

ADDED: tuple[Part, ...] = ("outer race", "inner race", "rolling element")  # not the cage: healthy machines show it, too


@dataclass(frozen=True)
class StatedGeometry:
    """Nothing is known by default."""

    bearing: str | None = None  # its name, or its dimensions
    orders: str | None = None  # its rates instead, "outer=3.585,inner=5.415"
    faults: Mapping[str, str] = field(default_factory=dict)  # class -> outer, inner, ball, cage or none
    labelled_only: bool = False  # whether no class is added that nobody labelled
    by_column: bool = False  # whether recordings say their bearings themselves

    def __post_init__(self) -> None:
        if self.bearing and self.orders:
            raise ConfigError("--bearing and --orders both say where a bearing shows; give one of them")
        _ = self.known
        for text in self.faults.values():
            stated_part(text)

    @property
    def known(self) -> FaultOrders | None:
        """Of recordings that do not say theirs."""
        if self.orders:
            return orders_of(self.orders)
        return FaultOrders.of_bearing(bearing_of(self.bearing)) if self.bearing else None

    def with_columns(self, recordings: Sequence[Recording]) -> "StatedGeometry":
        """The same, by the columns of recordings, too, where every entry of these is a bearing or its orders."""
        entries = [(name, one.condition[name]) for one in recordings for name in _READ if one.condition.get(name)]
        try:
            for name, text in set(entries):
                _READ[name](text)
        except ConfigError:  # the column is about something else
            return self
        return replace(self, by_column=bool(entries))

    def for_classes(self, recordings: Sequence[Recording], labels: Sequence[str]) -> Geometry | None:
        """For a model that learns from these; None where nothing is stated."""
        if not (self.known or self.by_column):
            return None
        classes = sorted(set(labels))
        if strange := self.faults.keys() - set(classes) if self.labelled_only else ():
            raise ConfigError(f"--fault {sorted(strange)[0]}: nothing is labelled so")
        faults = {name: part for name in (*classes, *self.faults) if (part := self._part(name))}
        for part in () if self.labelled_only or not self._all_known(classes) else ADDED:
            if part not in faults.values() and (self.known is None or self.known.of(part)):
                faults[part] = part
        if not faults and self.known is None:  # a column may be there for its own sake
            return None
        if not faults:
            raise ConfigError(
                f"no class is known as the fault of a bearing ({', '.join(classes)}); say which is one by --fault "
                f"NAME={'|'.join(NAMES)}"
            )
        known = list(zip(recordings, labels, strict=True))
        labelled = {name: len({_file(one) for one, label in known if label == name}) for name in classes}
        unlabelled = tuple(name for name in faults if name not in labelled)
        return Geometry(self.bearing, self.orders, faults, labelled, unlabelled)

    def _part(self, name: str) -> Part | None:
        return stated_part(self.faults[name]) if name in self.faults else part_of(name)

    def _all_known(self, classes: Sequence[str]) -> bool:
        """Whether no class may be what would be added, under a name that is not known."""
        return all(name in self.faults or part_of(name) or is_no_part(name) for name in classes)


_READ: dict[str, Callable[[str], object]] = {BEARING: bearing_of, ORDERS: orders_of}


def _file(recording: Recording) -> str:
    """What counts as one recording: parts of a file are one measurement."""
    return str(recording.origin.path or recording.id) if recording.origin.part else recording.id


def faults_of(texts: Sequence[str]) -> dict[str, str]:
    """From NAME=PART, as the command line has them."""
    found = {}
    for text in texts:
        name, separator, part = text.rpartition("=")
        if not (separator and name.strip()):
            raise ConfigError(f"--fault {text!r}: give NAME=PART, such as worn=inner, or NAME=none")
        stated_part(part)
        found[name.strip()] = part.strip()
    return found
