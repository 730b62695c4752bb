"""What an exported model has to say of signals that a formula generates."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from dualres.config import HELD, ModelConfig
from dualres.errors import ConfigError
from dualres.export.device_network import axes_in, weights_in
from dualres.export.device_speed import factors_found
from dualres.export.novelty import familiar_of
from dualres.judge.backends import Windows, exact_logits
from dualres.judge.model import CHECK_HZ, CHECK_WINDOWS, Model
from dualres.judge.trust.novelty import look_at
from dualres.judge.turning import labelled_speeds
from dualres.judge.verdict import at_model_rate, recording_scores
from dualres.kernel.pack import SIZES
from dualres.model.check import check_window, check_windows
from dualres.model.reference.probabilities import log_mean, log_softmax
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed
from dualres.utils.arrays import Exact

COUNTS = 8192  # of an int16 sample, for one unit of the formula
OFFSET = 2.0  # of the stream, to see that its mean is taken care of
LOOK_TOLERANCE = 1e-2  # nats, of how like the labelled recordings a stream is
STREAM_WINDOWS = 1.6  # the stream's length: two half-overlapping windows, the end of the second only just there


@dataclass(frozen=True)
class StreamVerdict:
    """What is to be said of the stream at a speed of the shaft."""

    hz: float  # as told; 0 where it is not known
    factor: float  # of it, that is found
    shares: Exact  # (classes,), mean probabilities
    look: tuple[float, float, float] | None  # distance, spectrum and level, where the model knows what is familiar


@dataclass(frozen=True)
class TestVectors:
    """Logits of the check windows, and verdicts on a stream at the native rate."""

    speeds: tuple[float, ...]  # Hz, of the shaft; 0 where it is not known
    logits: Exact  # (networks, speeds, windows, classes)
    samples: int  # of the stream
    windows: int  # that fit into it
    verdicts: tuple[StreamVerdict, ...]  # any of those at one speed will do


def refuse_other_sizes(model: Model) -> None:
    """An error for networks that are not of the paper's sizes."""
    config, paper = weights_in(model)[0].config, ModelConfig()
    pairs = {name: (getattr(config, name), getattr(paper, name)) for name in SIZES}
    other = [f"{name}={own} ({papers})" for name, (own, papers) in pairs.items() if own != papers]
    if other:
        raise ConfigError(f"C99 is made for the paper's sizes, and this model has others: {', '.join(other)}")


def as_counts(signal: npt.NDArray[np.floating]) -> Windows:
    """Windows as an int16 build holds them, rounded half up and clipped; float32 whole numbers."""
    return np.clip(np.floor(signal.astype(np.float64) + 0.5), -32768, 32767).astype(np.float32)


def logits_of(model: Model, windows: Windows, hz: Exact | None = None) -> Exact:
    """By NumPy, the readable way, of windows (windows, window) or (windows, axes, window), (windows, classes): of
    several networks or axes the log of the mean probability. `hz` (windows,) as kinds that know orders take it."""
    networks = weights_in(model)
    if model.card.passes == 1:
        return exact_logits(networks[0], windows, hz)
    by_axis = windows.reshape(len(windows), -1, model.card.config.window).swapaxes(0, 1)
    members = model.card.members
    logits = [
        exact_logits(network, of_axis, hz)
        for axis, of_axis in enumerate(by_axis)
        for network in networks[axis % model.card.apart * members :][:members]
    ]
    return log_mean(log_softmax(np.stack(logits)))


def stream_shares(model: Model, signal: Windows, rate: Fraction, int16: bool, *, hz: float = 0.0) -> tuple[int, Exact]:
    """Windows in a signal (samples,) or (axes, samples) at its own rate, and their mean probabilities on a device that
    is told `hz`; 0 where it is told no speed."""
    mean, windows = recording_scores(model, turning(as_device(model, signal, rate, int16), hz))
    return windows, mean


def turning(recording: Recording, hz: float) -> Recording:
    """A recording of a shaft of which nothing but `hz` is known, and that exactly; 0 where not even that is."""
    return replace(recording, speed=Speed((hz,), spread=0.0) if hz else None, speedless=not hz)


def as_device(model: Model, signal: Windows, rate: Fraction, int16: bool) -> Recording:
    """A signal (samples,) or (axes, samples) as a recording; of counts, with those that a device rounds to."""
    axes = np.atleast_2d(signal)
    if int16:
        axes = np.stack([as_counts(at_model_rate(model, as_counts(one), rate)) for one in axes])
        rate = Fraction(model.card.config.rate)
    if len(axes) > 1:
        return Recording.from_axes(dict(zip(model.card.channels, axes, strict=True)), rate)
    return Recording.from_array(axes[0], rate)


def stream_of(model: Model, rate: Fraction, int16: bool) -> Windows:
    """The stream that is judged, (axes, samples) at its native rate in Hz."""
    config = model.card.config
    samples = math.ceil(STREAM_WINDOWS * config.window * rate / config.rate)
    # Offsets of both signs: every axis has a mean of its own.
    axes = [
        check_window(0, samples, axis) + np.float32(-OFFSET if axis % 2 else OFFSET) for axis in range(axes_in(model))
    ]
    stream = np.stack(axes)
    return as_counts(COUNTS * stream) if int16 else stream


def expected(model: Model, rate: Fraction, int16: bool, tries: int = 0) -> TestVectors:
    """What a build for this native rate in Hz has to say, which searches among so many speeds."""
    # A device holds the first and last sample, also where the mean continued the recordings that were learned from.
    model = replace(model, card=replace(model.card, resampler=HELD))
    config = model.card.config
    windows = check_windows(CHECK_WINDOWS, config.window)
    stream = stream_of(model, rate, int16)
    if int16:
        windows = as_counts(COUNTS * windows)
    speeds = (0.0,) if labelled_speeds(model) is None else (0.0, CHECK_HZ)
    logits = [[exact_logits(one, windows, _each(windows, hz)) for hz in speeds] for one in weights_in(model)]
    recording = as_device(model, stream, rate, int16)
    verdicts = [
        _verdict(model, recording, hz, factor)
        for hz in speeds
        for factor in (factors_found(model, turning(recording, 0.0), hz, tries) if hz else [1.0])
    ]
    count = recording_scores(model, turning(recording, 0.0))[1]
    return TestVectors(speeds, np.stack(logits), stream.shape[-1], count, tuple(verdicts))


def _each(windows: Windows, hz: float) -> Exact:
    """The speed of each window, as kinds that know orders take it."""
    return np.full(len(windows), hz or math.nan)


def _verdict(model: Model, recording: Recording, hz: float, factor: float) -> StreamVerdict:
    turned = turning(recording, factor * hz)
    look = look_at(model, turned) if familiar_of(model) else None
    known = (look.distance, look.spectrum, look.level) if look else None
    return StreamVerdict(hz, factor, recording_scores(model, turned)[0], known)
