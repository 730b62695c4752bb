"""Labelled windows, where each of them comes from, and whether a network can learn from them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from dualres.config import POLYPHASE, ModelConfig
from dualres.errors import ConfigError
from dualres.recordings.axes import common_channels, in_order
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.windows import at_rate, covered, cut, spread
from dualres.utils.arrays import Exact
from dualres.utils.progress import Progress, quiet

# Windows that pass through DualRes together. It has no batch statistics, so their number changes the speed and not the
# objective: large enough that two cores are busy, small enough for the caches.
MICROBATCH = 48

Labels = npt.NDArray[np.int64]  # 0 .. classes - 1
Views = Callable[[Tensor], tuple[Tensor, ...]]  # what a network takes, from windows (n, window), (n, ...) each


@dataclass(frozen=True)
class Support:
    """The labelled windows of a fit, and nothing else of their recordings."""

    windows: Samples  # (n, window)
    labels: Labels  # positions among the classes
    origins: tuple[tuple[str, int], ...]  # recording and start sample of each window
    seconds: dict[str, float]  # unique labelled seconds per class, once however many axes there are
    more_axes: tuple[Samples, ...] = ()  # windows of further axes at the same moments, each (n, window)
    channels: tuple[str, ...] = ()  # names of the axes, where there are several
    hz: Exact | None = None  # of the shaft in each window, NaN where that is not known; None where it is of none

    @property
    def axes(self) -> tuple[Samples, ...]:
        """The windows of each axis."""
        return (self.windows, *self.more_axes)

    def pooled(self) -> "Support":
        """The windows of all axes, axis after axis, as if they were of one."""
        if not self.more_axes:
            return self
        times = len(self.axes)
        hz = None if self.hz is None else np.tile(self.hz, times)
        return Support(
            np.concatenate(self.axes), np.tile(self.labels, times), self.origins * times, self.seconds, hz=hz
        )


def cut_support(
    recordings: Sequence[Recording],
    labels: Sequence[str],
    classes: Sequence[str],
    starts_in: Callable[[int], Sequence[int]],
    *,
    config: ModelConfig,
    resampler: str = POLYPHASE,
    progress: Progress = quiet,
) -> Support:
    """Windows from `starts_in(samples)` on, counted at the model's rate; all must have the first recording's axes."""
    channels = common_channels(recordings)
    windows: list[list[Samples]] = [[] for _ in channels or ("",)]
    targets, origins, turning = list[int](), list[tuple[str, int]](), list[Exact]()
    seconds = dict.fromkeys(classes, 0.0)
    for done, (recording, label) in enumerate(zip(recordings, labels, strict=True), start=1):
        for of_axis, axis in zip(windows, in_order(recording, channels), strict=True):
            signal = at_rate(axis, config.rate, config.window, resampler)
            starts = starts_in(len(signal))
            of_axis.append(cut(signal, starts, config.window, recording.id))
        targets += [classes.index(label)] * len(starts)
        origins += [(recording.id, start) for start in starts]
        turning.append(hz_at(recording, starts, config))
        seconds[label] += covered(starts, config.window) / config.rate
        progress("Cut the labelled windows", done, len(recordings), "")
    first, *others = (np.concatenate(of_axis) for of_axis in windows)
    hz, numbers = np.concatenate(turning), np.array(targets, dtype=np.int64)
    known = None if np.isnan(hz).all() else hz
    return Support(first, numbers, tuple(origins), seconds, tuple(others), channels, known)


def hz_at(recording: Recording, starts: Sequence[int], config: ModelConfig) -> Exact:
    """The mean speed of the shaft in windows that begin at these samples at `config.rate`: Hz, NaN if not known."""
    if recording.speed is None:
        return np.full(len(starts), np.nan)
    return recording.speed.over(np.array(starts, dtype=np.float64) / config.rate, config.window_s)


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
    starts_in = partial(spread, window=config.window, most=windows_each)
    return cut_support(recordings, labels, classes, starts_in, config=config, resampler=resampler)


def check_support(windows: Samples, labels: Labels, classes: int, window: int) -> None:
    """Raise an error that says why nothing can be learned from these windows, if so."""
    if windows.ndim != 2 or windows.shape[1] != window:
        raise ConfigError(f"support windows have shape {windows.shape}; (n, {window}) is needed")
    if labels.shape != windows.shape[:1]:
        raise ConfigError(f"{len(windows)} support windows came with labels of shape {labels.shape}")
    missing = sorted(set(range(classes)) - set(labels.tolist()))
    if missing or len(windows) == 0:
        raise ConfigError(f"no support window carries class {missing[0] if missing else 0}: every class needs one")
    if labels.min() < 0 or labels.max() >= classes:
        raise ConfigError(f"labels run from {labels.min()} to {labels.max()}, but there are {classes} classes")
    if not all(np.isfinite(window).all() for window in windows):  # no mask as large as all of them
        raise ConfigError("a support window holds NaN or infinite samples")


@torch.no_grad()
def views_of(views: Views, windows: Samples, device: str) -> tuple[Tensor, ...]:
    """The `views` of all windows, on the device, computed a few windows at a time."""
    parts = [views(part.to(device)) for part in torch.from_numpy(windows).split(MICROBATCH)]
    return tuple(torch.cat(view) for view in zip(*parts, strict=True))


def noise_support(windows: int, config: ModelConfig) -> tuple[Samples, Labels]:
    """Windows and labels of two classes that hold nothing to learn, to time a fit by."""
    noise = np.random.default_rng(0).standard_normal((windows, config.window)).astype(np.float32)
    return noise, np.arange(windows, dtype=np.int64) % 2
