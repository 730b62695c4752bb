"""What is audited, and what an audit says."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from dualres.config import ModelConfig
from dualres.errors import ConfigError, RecordingError
from dualres.recordings.labels.read import LabelRow, channel_in, interval_in
from dualres.recordings.labels.table import cells_of
from dualres.recordings.recording import Recording

Recordings = Sequence[Recording]
Severity = Literal["leak", "warning", "limitation"]
SIDES = ("support", "evaluation")


@dataclass(frozen=True)
class Split:
    """Which recordings are learned from and which are judged, and what the split claims to hold out."""

    support: tuple[str, ...]  # ids
    evaluation: tuple[str, ...]  # ids
    held_out: str | None = None  # "component", "bearing", "recording", or a condition key; None claims nothing
    windows: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # support id -> starts, samples at `rate`
    exposure_s: Mapping[str, float] = field(default_factory=dict)  # label -> declared unique seconds
    rate: int = ModelConfig.rate  # Hz, the rate that `windows` counts in
    window: int = ModelConfig.window  # samples


def read_split(path: Path, held_out: str | None = None) -> Split:
    """The split of a CSV with the columns file and side, and channel, start_s and end_s as in labels.csv."""
    sides: dict[str, list[str]] = {side: [] for side in SIDES}
    for number, values in cells_of(path):
        where = f"{path}, line {number}"
        if not values.get("file") or not values.get("side"):
            found = ", ".join(values)
            raise RecordingError(f"{where}: needs the columns file and side, and neither may be empty; found: {found}")
        if values["side"] not in SIDES:
            raise RecordingError(f"{where}: side is {values['side']!r}; write support or evaluation")
        row = LabelRow(Path(values["file"]), channel=channel_in(values, where), part=interval_in(values, where))
        sides[values["side"]].append(values["file"] + row.which)
    return Split(tuple(sides["support"]), tuple(sides["evaluation"]), held_out)


def with_ids(split: Split, recordings: Recordings, folder: Path, left_out: Mapping[str, str]) -> Split:
    """The split by the recordings' ids, where it names files as labels.csv does: relative to the folder.

    A file stands for all recordings made of it. `left_out` has the files that could not be used, with the reason.
    """
    of_file: dict[Path, list[str]] = defaultdict(list)
    for r in recordings:
        of_file[Path(r.id)].append(r.id)
        if r.origin.path:
            of_file[r.origin.path.resolve()].append(r.id)

    def ids(name: str) -> list[str]:
        found = of_file.get(Path(name)) or of_file.get((folder / name).resolve())
        if found:
            return found
        if name in left_out:
            raise ConfigError(f"the split names {name}, which was left out: {left_out[name]}; remove it from the split")
        raise ConfigError(
            f"the split names {name}, but there is no such recording in {folder}; write it as in labels.csv, such as "
            f"{recordings[0].id}, and check what was left out"
        )

    support, evaluation = (
        tuple(one for name in names for one in ids(name)) for names in (split.support, split.evaluation)
    )
    return replace(split, support=support, evaluation=evaluation)


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a split, or true of it and worth knowing.

    A leak makes a score on the split meaningless; a warning is a way by which a score might mislead; a limitation is
    what the split does not show. The kinds:

    same-recording, same-file, identical-content, copied-signal, not-compared: one measurement on both sides;
    shared-component, shared-condition, unknown-unit: what is claimed to be held out;
    component-spelling: one component that may go by two spellings;
    class-given-away, condition-is-class, missing-class, missing-label: what the classes can be told by, and which;
    windows-outside-exposure: what was really labelled;
    stated-limitation: what the dataset itself says.
    """

    kind: str
    severity: Severity
    message: str
    recordings: tuple[str, ...] = ()
    evidence: Mapping[str, float | str] = field(default_factory=dict)
    rounds: int = 1  # how many rounds of several it concerns

    @property
    def subject(self) -> tuple[object, ...]:
        """What it is about: the same in every round, while counts and the order of names differ."""
        if self.kind in ("same-recording", "same-file", "identical-content", "copied-signal"):
            return self.kind, frozenset(self.recordings)
        if self.kind in ("stated-limitation", "windows-outside-exposure"):
            return self.kind, self.message
        lists = ("components", "classes")
        named = {(k, v) for k, v in self.evidence.items() if isinstance(v, str) and k not in lists}
        return self.kind, self.severity, frozenset(named)


class LeakError(RecordingError):
    """Recordings that must not be held out from each other: a score on them would mean nothing."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        count = f"{len(findings)} leak{'s' * (len(findings) != 1)}"
        super().__init__(f"{count} found; fix the recordings or labels.csv, or omit --strict")
        self.findings = findings
