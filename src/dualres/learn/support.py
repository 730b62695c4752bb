"""Labelled windows, and where each of them comes from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dualres.config import POLYPHASE, ModelConfig
from dualres.errors import ConfigError
from dualres.recordings.axes import common_channels, in_order
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.windows import at_rate, covered, cut, spread
from dualres.utils.progress import Progress, quiet


@dataclass(frozen=True)
class Support:
    """The labelled windows of a fit, and nothing else of their recordings."""

    windows: Samples  # (n, window)
    labels: npt.NDArray[np.int64]  # positions among the classes
    origins: tuple[tuple[str, int], ...]  # recording and start sample of each window
    seconds: dict[str, float]  # unique labelled seconds per class, once however many axes there are
    more_axes: tuple[Samples, ...] = ()  # windows of further axes at the same moments, each (n, window)
    channels: tuple[str, ...] = ()  # names of the axes, where there are several

    @property
    def axes(self) -> tuple[Samples, ...]:
        """The windows of each axis."""
        return (self.windows, *self.more_axes)

    def pooled(self) -> "Support":
        """The windows of all axes, axis after axis, as if they were of one."""
        if not self.more_axes:
            return self
        times = len(self.axes)
        return Support(np.concatenate(self.axes), np.tile(self.labels, times), self.origins * times, self.seconds)


def cut_support(
    recordings: Sequence[Recording],
    labels: Sequence[str],
    classes: Sequence[str],
    config: ModelConfig,
    starts_in: Callable[[int], Sequence[int]],
    *,
    resampler: str = POLYPHASE,
    progress: Progress = quiet,
) -> Support:
    """The windows of each recording that begin at `starts_in(samples)`, both counted at the model's rate.

    Axes are in the order of the first recording's; all recordings must have the same.
    """
    channels = common_channels(recordings)
    windows: list[list[Samples]] = [[] for _ in channels or ("",)]
    targets, origins = [], []
    seconds = dict.fromkeys(classes, 0.0)
    for done, (recording, label) in enumerate(zip(recordings, labels, strict=True), start=1):
        for of_axis, axis in zip(windows, in_order(recording, channels), strict=True):
            signal = at_rate(axis, config.rate, config.window, resampler)
            starts = starts_in(len(signal))
            of_axis.append(cut(signal, starts, config.window, recording.id))
        targets += [classes.index(label)] * len(starts)
        origins += [(recording.id, start) for start in starts]
        seconds[label] += covered(starts, config.window) / config.rate
        progress("Cut the labelled windows", done, len(recordings), "")
    first, *others = (np.concatenate(of_axis) for of_axis in windows)
    return Support(first, np.array(targets, dtype=np.int64), tuple(origins), seconds, tuple(others), channels)


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

    def starts_in(samples: int) -> list[int]:
        return spread(samples, config.window, windows_each)

    return cut_support(recordings, labels, classes, config, starts_in, resampler=resampler)
