"""Where windows start, and how many labelled seconds they cover, in samples at the model's rate."""

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from dualres.config import POLYPHASE
from dualres.errors import ConfigError, RecordingError
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.resample import resample, resampled_blocks


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
    signal = resample(recording.signal, recording.rate, rate, resampler, name=recording.id)
    if len(signal) < window:
        raise too_short(recording.id, recording.length, recording.rate, window=window, rate=rate)
    return signal


def every_window(signal: Samples, window: int, limit: int | None = None) -> Samples:
    """All half-overlapping windows, the first `limit` if given, as a view of the signal: (n, window)."""
    if len(signal) < window:
        return np.empty((0, window), np.float32)
    return np.lib.stride_tricks.sliding_window_view(signal, window)[:: window // 2][:limit]


def window_blocks(
    recording: Recording, *, rate: int, window: int, resampler: str, at_once: int, limit: int | None = None
) -> Iterator[Samples]:
    """Half-overlapping windows of the signal at `rate` Hz, at most `limit` in all, `at_once` at a time: (n, window).

    Windows are views of few blocks in memory. An error if not even one window fits.
    """
    if limit is not None and limit < 1:
        raise ConfigError(f"at most {limit} windows are none; give a positive limit, or none at all")
    half, found = window // 2, 0
    blocks = resampled_blocks(recording, rate, resampler)
    for samples in _overlapping(blocks, (at_once - 1) * half + window, at_once * half):
        windows = every_window(samples, window, None if limit is None else limit - found)
        found += len(windows)
        if not found:
            raise too_short(recording.id, recording.length, recording.rate, window=window, rate=rate)
        if len(windows):
            yield windows
        if found == limit:
            return


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


def shortage(samples: int, window: int, rate: Fraction | int) -> str:
    """What a signal at `rate` Hz that is shorter than one window lacks: in seconds, or in samples if it is very few."""
    has, needs = f"{float(samples / rate):.3f} s", f"{float(window / rate):.3f} s"
    if has == needs:
        has, needs = f"{samples} samples", f"{window} samples"
    return f"{has} long, but one window takes {needs}"


def samples_for(window: int, rate: int, own: Fraction) -> int:
    """Samples at a recording's own rate that one window of `window` samples at `rate` Hz takes."""
    return math.ceil(window * own / rate)


def too_short(name: str, samples: int, own: Fraction, *, window: int, rate: int) -> RecordingError:
    """In samples at the signal's own rate: nobody knows those that it is resampled to."""
    return RecordingError(
        f"{name}: {shortage(samples, samples_for(window, rate, own), own)}; leave it out or record longer"
    )


def _overlapping(blocks: Iterable[Samples], samples: int, step: int) -> Iterator[Samples]:
    """Blocks of `samples` samples, each beginning `step` < `samples` after the last, as views where they can be."""
    held = np.empty(0, np.float32)  # from where the next block begins
    for block in blocks:
        at = -len(held)
        while at + samples <= len(block):
            if at < 0:
                yield np.concatenate([held[at:], block[: at + samples]])
            else:
                yield block[at : at + samples]
            at += step
        held = np.concatenate([held[at:], block]) if at < 0 else block[at:]
    if held.size:
        yield held
