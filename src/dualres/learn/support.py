"""Labelled windows, and where each of them comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.windows import at_rate, covered, cut, spread


@dataclass(frozen=True)
class Support:
    """The labelled windows of a fit, and nothing else of their recordings."""

    windows: Samples  # (n, window)
    labels: npt.NDArray[np.int64]  # positions among the classes
    origins: tuple[tuple[str, int], ...]  # recording and start sample of each window
    seconds: dict[str, float]  # unique labelled seconds per class


def spread_support(
    recordings: Sequence[Recording],
    labels: Sequence[str],
    classes: Sequence[str],
    config: ModelConfig,
    *,
    windows_each: int,
    resampler: str,
) -> Support:
    """At most `windows_each` windows of each recording, spread over it."""
    if windows_each < 1:
        raise ConfigError(f"{windows_each} windows of each signal: at least one is needed")
    windows, targets, origins = [], [], []
    seconds = dict.fromkeys(classes, 0.0)
    for recording, label in zip(recordings, labels, strict=True):
        signal = at_rate(recording, config.rate, config.window, resampler)
        starts = spread(len(signal), config.window, windows_each)
        windows.append(cut(signal, starts, config.window))
        targets += [classes.index(label)] * len(starts)
        origins += [(recording.id, start) for start in starts]
        seconds[label] += covered(starts, config.window) / config.rate
    return Support(np.concatenate(windows), np.array(targets, dtype=np.int64), tuple(origins), seconds)
