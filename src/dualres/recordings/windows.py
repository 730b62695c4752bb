"""Where windows start, and how many labelled seconds they cover.

Starts and lengths count samples at the model's rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from dualres.errors import RecordingError
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.resample import POLYPHASE, resample


def half_overlapping(samples: int, window: int, limit: int | None = None) -> list[int]:
    """Starts of windows from the first sample on, each half a window after the last; at most `limit`."""
    return list(range(0, samples - window + 1, window // 2))[:limit]


def evenly(first: int, count: int, step: int) -> list[int]:
    """Starts of `count` windows, `step` samples apart."""
    return [first + j * step for j in range(count)]


def spread(samples: int, window: int, most: int) -> list[int]:
    """At most `most` of the half-overlapping starts, spread evenly over the recording."""
    starts = half_overlapping(samples, window)
    if len(starts) <= most:
        return starts
    picks = np.linspace(0, len(starts) - 1, most).round().astype(int)
    return [starts[i] for i in picks]


def at_rate(recording: Recording, rate: int, window: int, resampler: str = POLYPHASE) -> Samples:
    """The whole signal at `rate` Hz; an error if not even one window fits."""
    signal = resample(recording.signal, recording.rate, rate, resampler)
    if len(signal) < window:
        raise RecordingError(
            f"{recording.id}: {len(signal) / rate:.3f} s long, but one window takes {window / rate:.3f} s; "
            "leave it out or record longer"
        )
    return signal


def every_window(signal: Samples, window: int, limit: int | None = None) -> Samples:
    """All half-overlapping windows, the first `limit` if given, as a view of the signal: (n, window)."""
    if len(signal) < window:
        return np.empty((0, window), np.float32)
    windows: Samples = np.lib.stride_tricks.sliding_window_view(signal, window)[:: window // 2][:limit]
    return windows


def cut(signal: Samples, starts: Sequence[int], window: int, name: str = "recording") -> Samples:
    """The windows at `starts`, (len(starts), window), as a copy."""
    if starts and (min(starts) < 0 or max(starts) + window > len(signal)):
        raise RecordingError(
            f"{name}: a window ends at sample {max(starts) + window}, but the signal at the model's rate "
            f"has {len(signal)}"
        )
    return np.lib.stride_tricks.sliding_window_view(signal, window)[list(starts)]


def covered(starts: Iterable[int], window: int) -> int:
    """Samples of one recording covered by at least one window, however the windows overlap."""
    total, reached = 0, 0
    for start in sorted(starts):
        total += max(0, start + window - max(start, reached))
        reached = max(reached, start + window)
    return total
