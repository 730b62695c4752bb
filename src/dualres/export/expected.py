"""What an exported model has to say of signals that a formula generates."""

import math
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax, logsumexp

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.export.kinds import weights_in
from dualres.file import CHECK_WINDOWS, Model
from dualres.judge import at_model_rate, signal_scores
from dualres.kernel.pack import SIZES
from dualres.model.check import check_window, check_windows
from dualres.model.views.network import ViewsNetwork
from dualres.scorers import Windows, by_torch

COUNTS = 8192  # of an int16 sample, for one unit of the formula
OFFSET = 2.0  # of the stream, to see that its mean is taken care of
STREAM_WINDOWS = 1.6  # the stream's length: two half-overlapping windows, the end of the second only just there

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Expected:
    """Logits of the check windows, and the verdict on a stream at the native rate."""

    logits: Values  # (networks, windows, classes)
    samples: int  # of the stream
    windows: int  # that fit into it
    shares: Values  # (classes,), mean probabilities


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


def logits_of(model: Model, windows: Windows) -> Values:
    """By PyTorch, the readable way, (windows, classes); of several networks the log of their mean probability."""
    each = logits_by_network(model, windows)
    return each[0] if len(each) == 1 else np.asarray(logsumexp(log_softmax(each, -1), 0) - np.log(len(each)))


def logits_by_network(model: Model, windows: Windows) -> Values:
    """(networks, windows, classes).

    A network of views in double precision: its distances are small differences of large sums.
    """
    exact = (deepcopy(one).double() if isinstance(one, ViewsNetwork) else one for one in model.networks)
    return np.stack([by_torch(one, windows).astype(np.float64) for one in exact])


def stream_shares(model: Model, signal: Windows, rate: Fraction, int16: bool) -> tuple[int, Values]:
    """Windows in a signal at its native rate, and the mean of their probabilities as a device computes it."""
    if int16:
        signal, rate = as_counts(at_model_rate(model, as_counts(signal), rate)), Fraction(model.card.config.rate)
    mean, windows = signal_scores(model, signal, rate)
    return windows, mean


def expected(model: Model, rate: Fraction, int16: bool) -> Expected:
    """What a build for this native rate in Hz has to say."""
    config = model.card.config
    samples = math.ceil(STREAM_WINDOWS * config.window * rate / config.rate)
    windows, stream = check_windows(CHECK_WINDOWS, config.window), check_window(0, samples) + np.float32(OFFSET)
    if int16:
        windows, stream = as_counts(COUNTS * windows), as_counts(COUNTS * stream)
    return Expected(logits_by_network(model, windows), samples, *stream_shares(model, stream, rate, int16))
