"""What is audited, and what an audit says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dualres.config import ModelConfig
from dualres.errors import RecordingError

Severity = Literal["leak", "warning", "limitation"]


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
