"""The recording that is measured on, and what is done with it: through the same calls as everywhere else."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dualres.config import ModelConfig
from dualres.file import Model
from dualres.judge import window_scores
from dualres.profile.plan import LONG_S, LONG_WINDOWS, NATIVE, PREPARED, WINDOW
from dualres.recordings.recording import Recording
from dualres.recordings.windows import at_rate, every_window
from dualres.scorers import Scores, Windows


@dataclass(frozen=True)
class Subject:
    """A recording in memory, at its native rate and at the model's."""

    recording: Recording
    prepared: Recording  # the same at the model's rate
    limit: int | None  # at most this many windows are scored
    cycles: float  # how often the released recording was played to be long enough; 1 for once
    window: Windows  # (1, window), the first of the prepared recording
    windows: int  # that are scored


def subject(recording: Recording, limit: int | None, *, long: bool, config: ModelConfig) -> Subject:
    """The recording as it is, with the evaluation's limit; or a long one, of which every window counts."""
    signal = np.array(recording.signal)
    cycles = 1.0
    if long:
        limit = None
        wanted = max(LONG_S, (LONG_WINDOWS + 1) / 2 * config.window_s)  # windows overlap by half
        count = max(len(signal), math.ceil(wanted * recording.rate) + 1)
        cycles, signal = count / len(signal), np.resize(signal, count)
    native = replace(recording, load=lambda: signal)
    resampled = at_rate(native, config.rate, config.window)
    prepared = replace(recording, load=lambda: resampled, rate=Fraction(config.rate))
    windows = every_window(prepared.signal, config.window, limit)
    return Subject(native, prepared, limit, cycles, windows[:1], len(windows))


def calls(model: Model, on: Subject) -> dict[str, Callable[[], Scores]]:
    """Every workload by name; each takes samples in host memory to scores there, (windows, classes).

    Records go the way that `dualres diagnose` takes them.
    """
    return {
        WINDOW: lambda: model.scores(on.window),
        PREPARED: lambda: window_scores(model, on.prepared, on.limit),
        NATIVE: lambda: window_scores(model, on.recording, on.limit),
    }
