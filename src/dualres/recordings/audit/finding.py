"""What is audited, and what an audit says."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from dualres.config import ModelConfig
from dualres.errors import RecordingError
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
    """The split that a CSV with the columns file and side describes; `held_out` is what it claims to hold out."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as lines:
            rows = [(row["file"].strip(), row["side"].strip()) for row in csv.DictReader(lines)]
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read ({error.strerror})") from error
    except (KeyError, AttributeError, UnicodeDecodeError, csv.Error) as error:
        raise RecordingError(f"{path}: needs the columns file and side ({error!r})") from error
    wrong = {side for _, side in rows} - set(SIDES)
    if wrong:
        raise RecordingError(f"{path}: side is {sorted(wrong)[0]!r}; write support or evaluation")
    support, evaluation = (tuple(file for file, its in rows if its == side) for side in SIDES)
    return Split(support, evaluation, held_out)


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a split, or true of it and worth knowing.

    A leak makes a score on the split meaningless; a warning is a way by which a score might mislead; a limitation is
    what the split does not show. The kinds:

    same-recording, same-file, identical-content, copied-signal, not-compared: one measurement on both sides;
    shared-component, shared-condition, unknown-unit: what is claimed to be held out;
    class-given-away, condition-is-class, missing-class, missing-label: what the classes can be told by, and which;
    windows-outside-exposure: what was really labelled;
    stated-limitation: what the dataset itself says.
    """

    kind: str
    severity: Severity
    message: str
    recordings: tuple[str, ...] = ()
    evidence: Mapping[str, float | str] = field(default_factory=dict)


class LeakError(RecordingError):
    """Recordings that must not be held out from each other: a score on them would mean nothing."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        count = f"{len(findings)} leak{'s' * (len(findings) != 1)}"
        super().__init__(f"{count} found; fix the recordings or labels.csv, or omit --strict")
        self.findings = findings
