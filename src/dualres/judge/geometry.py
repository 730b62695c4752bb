"""What the geometry of a bearing says of a recording, joined with what labels say of it.

A class that is the fault of a part gets that part's template (`faultlines.part_evidence`), a class that is none gets
nothing. To the logarithm of the probability by labels its evidence is added, in nats, divided by the number of labelled
recordings of the class. A class that nobody labelled has its evidence alone: it overrules labels that are sure from the
score on at which a check would name the part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Any

import numpy as np
import numpy.typing as npt

from dualres.errors import MISFIT, ConfigError, DualResError, ModelFileError, RecordingError, reason_of
from dualres.faultlines.bearing import bearing_of
from dualres.faultlines.fault_orders import PARTS, FaultOrders, Part, orders_of
from dualres.faultlines.order_spectra import BLOCK_S
from dualres.faultlines.part_evidence import NEUTRAL, PartEvidence, parts_evidence
from dualres.judge.turning import WindowSpeeds
from dualres.model_file.card import Card
from dualres.recordings.recording import Recording, axes_of
from dualres.recordings.speed import Speed
from dualres.utils.arrays import Exact

BEARING, ORDERS = "bearing", "orders"  # columns of a labels.csv that say what a machine is
LEAST_PROBABILITY = 1e-9  # by labels, so that evidence has something to speak against


@dataclass(frozen=True)
class Geometry:
    """What a model knows of the bearings that it judges, and of which part each class is the fault."""

    bearing: str | None = None  # as somebody wrote it; a recording's own column goes before it
    orders: str | None = None
    faults: Mapping[str, Part] = field(default_factory=dict)  # by class
    labelled: Mapping[str, int] = field(default_factory=dict)  # recordings of each class that was learned from
    unlabelled: tuple[str, ...] = ()  # classes that nobody labelled

    @classmethod
    def parsed(cls, data: Mapping[str, Any], classes: Sequence[str]) -> "Geometry":
        """As it stands in a card of these labelled classes."""
        try:
            found = cls(**{**data, "unlabelled": tuple(data.get("unlabelled", ()))})
            _ = found.own_orders
            parts, named = set(found.faults.values()), {*classes, *found.unlabelled}
            if not (parts <= set(PARTS) and found.faults.keys() <= named and found.labelled.keys() == set(classes)):
                raise ValueError("its classes are others")
            if not {*found.unlabelled} <= found.faults.keys() - found.labelled.keys():
                raise ValueError("its unlabelled classes are no faults")
            if min(found.labelled.values(), default=1) < 1:
                raise ValueError("a labelled class has no recordings")
        except (*MISFIT, ConfigError) as error:
            raise ModelFileError(f"its geometry cannot be understood ({reason_of(error)})") from error
        return found

    def as_data(self) -> dict[str, Any]:
        """For a card."""
        known = {BEARING: self.bearing, ORDERS: self.orders}
        told = {"faults": dict(self.faults), "labelled": dict(self.labelled), "unlabelled": list(self.unlabelled)}
        return {**{name: text for name, text in known.items() if text}, **told}

    @property
    def own_orders(self) -> FaultOrders | None:
        """Of recordings that do not say theirs; None where each has to."""
        return _orders(self.bearing, self.orders)

    def orders_for(self, recording: Recording) -> FaultOrders | None:
        """By its columns, if it has one, else the model's."""
        stated = [recording.condition.get(name) or None for name in (BEARING, ORDERS)]
        return _orders(*stated) if any(stated) else self.own_orders

    def weight(self, label: str) -> float:
        """That of the evidence for a class."""
        return 1 / max(self.labelled.get(label, 1), 1)

    def heard(self, recording: Recording, speed: Speed | None) -> "GeometryHeard":
        """What a recording says of the parts, or why it says nothing."""
        try:
            orders = self.orders_for(recording)
        except ConfigError:
            return GeometryHeard({}, f"bearing {recording.condition.get(BEARING)!r} is not known")
        if orders is None:
            return GeometryHeard({}, "its bearing is not stated")
        if speed is None:
            return GeometryHeard({}, "its speed is not known")
        axes, rate = axes_of(recording), float(recording.rate)
        blocks, seconds = [one.blocks(int(BLOCK_S * rate)) for one in axes], float(recording.length / recording.rate)
        try:
            found = parts_evidence(blocks, rate, speed.over, seconds=seconds, orders=orders)
        except RecordingError as problem:
            return GeometryHeard({}, str(problem))
        wanted = set(self.faults.values())
        found = {part: one for part, one in found.items() if part in wanted}
        return GeometryHeard(found, "" if found else "its rate does not reach the lines of any part")

    def joined(self, classes: Sequence[str], scores: npt.ArrayLike, heard: "GeometryHeard") -> Exact:
        """Probabilities of the labelled `classes`, by labels, to those of these and of all that nobody labelled."""
        logs = np.log(np.maximum(np.asarray(scores, np.float64), LEAST_PROBABILITY))
        logs += [self.nats(label, heard) for label in classes]
        alone = [-NEUTRAL + self.nats(one, heard) if self.evidence(one, heard) else -np.inf for one in self.unlabelled]
        whole = np.exp(np.append(logs, alone) - max([*logs, *alone]))
        return np.asarray(whole / whole.sum())

    def evidence(self, label: str, heard: "GeometryHeard") -> PartEvidence | None:
        """For the part that a class is the fault of."""
        return heard.parts.get(self.faults[label]) if label in self.faults else None

    def nats(self, label: str, heard: "GeometryHeard") -> float:
        """The evidence for a class, weighted."""
        found = self.evidence(label, heard)
        return self.weight(label) * found.nats if found else 0.0

    @property
    def sentences(self) -> list[str]:
        """Of every class, which part comes from where."""
        said = []
        for label, count in self.labelled.items():
            recordings = f"{count} labelled recording{'s' * (count != 1)}"
            if label in self.faults:
                of = f"template of the {self.faults[label]}, weight {self.weight(label):.2g} by {recordings}"
            else:
                of = f"no template; {recordings}"
            said.append(f"{label}: {of}")
        return said + [f"{one}: {self.never_labelled(one)} (the {self.faults[one]})" for one in self.unlabelled]

    def never_labelled(self, label: str) -> str:
        """What is said of a class that nobody labelled; nothing of others."""
        return "never labelled here, known from geometry" if label in self.unlabelled else ""


@dataclass(frozen=True)
class GeometryHeard:
    """What a recording says of the parts of its bearing."""

    parts: Mapping[Part, PartEvidence]
    reason: str = ""  # why it says nothing


@dataclass(frozen=True)
class VerdictSources:
    """What came from labels and what from geometry in one verdict."""

    by_labels: Mapping[str, float]  # probabilities
    geometry: Geometry
    heard: GeometryHeard

    def words(self, label: str) -> str:
        """Where the verdict for a class comes from."""
        if self.heard.reason:
            return f"by labels alone: {self.heard.reason}"
        found = self.geometry.evidence(label, self.heard)
        if found and (unlabelled := self.geometry.never_labelled(label)):
            return f"{unlabelled}: {found.part} stands out by {found.score:.1f}"
        share = f"by labels {self.by_labels[label]:.2f}"
        if found is None:
            return f"{share}, no template"
        return f"{share}, {_said_of(self.geometry.nats(label, self.heard))}"

    def as_data(self, label: str) -> dict[str, Any]:
        """For JSON; of the verdict `label`."""
        classes = {
            name: {
                "part": part,
                "labelled_recordings": self.geometry.labelled.get(name, 0),
                "weight": round(self.geometry.weight(name), 4),
                "nats": round(self.geometry.nats(name, self.heard), 4),
                **({"score": round(found.score, 3), "order": found.order} if found else {}),
            }
            for name, part in self.geometry.faults.items()
            for found in [self.geometry.evidence(name, self.heard)]
        }
        said = {"said": self.words(label), "by_labels": dict(self.by_labels), "classes": classes}
        return {**said, **({"reason": self.heard.reason} if self.heard.reason else {})}


def _said_of(nats: float) -> str:
    """What evidence of so many nats does to a class, in words."""
    times = f"{exp(abs(nats)):.2g} times"
    if times == "1 times":
        return "geometry has no say"
    return f"by geometry {times} {'as likely' if nats > 0 else 'less likely'}"


def speed_of(recording: Recording, speeds: WindowSpeeds | None) -> Speed | None:
    """At which a recording is heard: as stated, for the evidence refines it itself, else as the windows found it."""
    if speeds is None:
        return None if recording.speedless else recording.speed
    if speeds.search is None or speeds.search.stated:
        return speeds.given
    return speeds.found()


def refuse_geometry(card: Card, what: str, error: type[DualResError] = ConfigError) -> None:
    """An error where a model is asked for what takes windows alone: its evidence takes a whole recording."""
    if card.geometry:
        raise error(
            f"{what}: the model joins labels with the geometry of a bearing, which is heard in whole recordings; judge "
            "these by dualres diagnose, or fit without --bearing, --orders and such columns"
        )


def _orders(bearing: str | None, orders: str | None) -> FaultOrders | None:
    if orders:
        return orders_of(orders)
    return FaultOrders.of_bearing(bearing_of(bearing)) if bearing else None
