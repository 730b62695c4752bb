"""Signals, what they are besides their shape, and the same samples under two names."""

import hashlib
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from dualres.audit.finding import Finding, Recordings, Severity
from dualres.recordings.recording import Recording, Samples

_KEPT_BYTES = 2**28  # of signals held so that they are not read twice


@dataclass(frozen=True)
class Traits:
    """What a signal is besides its shape."""

    sha256: str  # of the samples
    samples: int
    seconds: float
    offset: float
    rms: float  # around the offset
    clipped: float  # share of samples at the largest or smallest value, one of each excepted


class Shelf:
    """Signals by recording, the first ones kept in memory."""

    def __init__(self) -> None:
        self._kept: dict[str, Samples] = {}
        self._bytes = 0

    def signal(self, recording: Recording) -> Samples:
        if recording.id in self._kept:
            return self._kept[recording.id]
        signal = recording.signal
        if self._bytes + signal.nbytes <= _KEPT_BYTES:
            self._kept[recording.id] = signal
            self._bytes += signal.nbytes
        return signal


def traits(signal: Samples, rate: float) -> Traits:
    offset = float(signal.mean(dtype=np.float64))
    at_limits = int(np.count_nonzero((signal == signal.max()) | (signal == signal.min())))
    rms = float(np.sqrt(np.mean((signal - np.float32(offset)) ** 2, dtype=np.float64)))
    digest, clipped = hashlib.sha256(signal.tobytes()).hexdigest(), max(at_limits - 2, 0) / len(signal)
    return Traits(digest, len(signal), len(signal) / rate, offset, rms, clipped)


def identical(support: Recordings, evaluation: Recordings, known: dict[str, Traits]) -> list[Finding]:
    """The same samples under two names: a leak across the sides, a warning within one."""
    owners: dict[str, list[str]] = defaultdict(list)
    learned, judged = {r.id for r in support}, {r.id for r in evaluation}
    for name in dict.fromkeys(r.id for r in (*support, *evaluation)):
        owners[known[name].sha256].append(name)
    found = []
    for digest, names in owners.items():
        if len(names) < 2:
            continue
        across = bool(learned & set(names)) and bool(judged & set(names))
        where = "on both sides of the split" if across else "on one side of the split"
        message = f"{', '.join(names)} hold the same samples, {where}"
        severity: Severity = "leak" if across else "warning"
        found.append(Finding("identical-content", severity, message, tuple(names), {"sha256": digest}))
    return found
