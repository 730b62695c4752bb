"""The recording that is measured on, and what is done with it: through the same calls as everywhere else."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from dualres.config import ModelConfig
from dualres.methods.method import Fitted, Scores, Windows
from dualres.profile.plan import BATCH, LONG_S, LONG_WINDOWS, NATIVE, PREPARED, WINDOW
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.windows import at_rate, every_window


@dataclass(frozen=True)
class Subject:
    """A recording in memory at its native rate, and its windows at the model's."""

    recording: Recording
    windows: Windows  # (n, window), of a signal in memory
    limit: int | None  # at most so many windows are scored
    cycles: float  # how often the released recording was played to be long enough; 1 for once


def subject(recording: Recording, limit: int | None, *, long: bool, config: ModelConfig) -> Subject:
    """The recording as it is, with the evaluation's limit; or a long one, of which every window counts."""
    signal = np.array(recording.signal)
    cycles = 1.0
    if long:
        limit = None
        wanted = max(LONG_S, (LONG_WINDOWS + 1) / 2 * config.window_s)  # windows overlap by half
        count = max(len(signal), math.ceil(wanted * recording.rate) + 1)
        cycles, signal = count / len(signal), np.resize(signal, count)
    held = replace(recording, load=partial(_same, signal))
    return Subject(held, _windows(held, limit, config), limit, cycles)


def calls(fitted: Fitted, on: Subject, config: ModelConfig) -> dict[str, Callable[[], Scores]]:
    """Every workload by name; each takes samples in host memory to scores there, (windows, classes)."""
    return {
        WINDOW: lambda: fitted.scores(on.windows[:1]),
        PREPARED: lambda: _in_batches(fitted, on.windows),
        NATIVE: lambda: _in_batches(fitted, _windows(on.recording, on.limit, config)),
    }


def _in_batches(fitted: Fitted, windows: Windows) -> Scores:
    """The scores of all windows, BATCH of them at a time."""
    return np.concatenate([fitted.scores(windows[i : i + BATCH]) for i in range(0, len(windows), BATCH)])


def _windows(recording: Recording, limit: int | None, config: ModelConfig) -> Windows:
    """The windows that are scored, of the recording brought to the model's rate."""
    return every_window(at_rate(recording, config.rate, config.window), config.window, limit)


def _same(signal: Samples) -> Samples:
    return signal
