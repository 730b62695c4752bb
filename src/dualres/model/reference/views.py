"""The network of views: a head for each look at a window; their log-probabilities are added."""

from itertools import pairwise

import numpy as np

from dualres.config import LEAST_MAGNITUDE, MOST_VIEWS_TOKENS, SMALLEST_DISTANCE, VIEW_SIZES, ModelConfig
from dualres.model.reference.network import parts
from dualres.model.reference.probabilities import log_softmax
from dualres.model.reference.spectra import aligned_spectra, hann, magnitudes, normalise
from dualres.model.views.weights import ViewsWeights
from dualres.utils.arrays import Exact, Floats


@np.errstate(all="ignore")  # what is not finite gives logits that are not, as by the kernel
def log_probabilities(weights: ViewsWeights, windows: Floats) -> Exact:
    """Raw windows (n, window) at the model's rate to (n, classes)."""
    said = [of_head(weights, name, view) for name, view in views(weights.config, windows).items()]
    return log_softmax(np.sum(said, axis=0))


@np.errstate(all="ignore")
def views(config: ModelConfig, windows: Floats) -> dict[str, Exact]:
    """What each head takes of raw windows (n, window), (n, features) each."""
    config.check_pass(MOST_VIEWS_TOKENS)
    seen: dict[str, list[Exact]] = {name: [np.empty((0, size))] for name, size in VIEW_SIZES.features(config).items()}
    for some in parts(windows, config):
        exact = some.astype(np.float64)
        repeating = modulation(exact, config)
        looks = (mean_spectra(exact, config), repeating, repeating, low_lines(exact, config))
        for held, look in zip(seen.values(), looks, strict=True):
            held.append(look)
    return {name: np.concatenate(held) for name, held in seen.items()}


def mean_spectra(windows: Exact, config: ModelConfig) -> Exact:
    """Mean log-magnitudes over the tokens of the paper's network, those of the short frames first."""
    return np.concatenate([view.mean(1) for view in aligned_spectra(windows, config)], axis=-1)


def modulation(windows: Exact, config: ModelConfig) -> Exact:
    """How fast each band comes and goes: log(1 + RMS) of oscillators that its magnitude drives, band by band.

    q_t = alpha exp(i theta) q_{t-1} + z_t, with z the band's deviation from its mean as a share of it.
    """
    rate = 2 * config.token_rate  # frames in a second
    strength = strengths(windows, config)
    mean = strength.mean(-1, keepdims=True)
    z = (strength - mean) / (mean + LEAST_MAGNITUDE)

    theta = 2 * np.pi * np.array(VIEW_SIZES.oscillator_hz()) / rate
    step = VIEW_SIZES.left_of_swing(rate) * np.exp(1j * theta)
    q = np.zeros((*z.shape[:2], len(theta)), np.complex128)
    energy = np.zeros(q.shape)
    for t in range(z.shape[-1]):
        q = step * q + z[..., t, None]
        energy += np.square(q.real) + np.square(q.imag)
    swing = np.log1p(np.sqrt(energy / z.shape[-1]))
    audible = theta < np.pi  # the others would turn faster than frames come
    return np.asarray((swing * audible).reshape(len(windows), -1))


def strengths(windows: Exact, config: ModelConfig) -> Exact:
    """The magnitude of each band, frame by frame, for windows of RMS one: (n, bands, frames)."""
    power = np.square(magnitudes(normalise(windows), config.short, config.hop // 2))
    bands = [power[..., low:high].sum(-1) for low, high in pairwise(VIEW_SIZES.band_edges)]
    return np.asarray(np.sqrt(np.stack(bands, axis=1)))


def low_lines(windows: Exact, config: ModelConfig) -> Exact:
    """The lowest kilohertz as finely as a window resolves it: log(1 + magnitude) in narrow bands."""
    spectrum = np.fft.rfft(normalise(windows) * hann(config.window))
    power = np.square(np.abs(spectrum[:, : VIEW_SIZES.lines[1]]))
    bands = [power[:, low:high].mean(-1) for low, high in pairwise(VIEW_SIZES.line_edges)]
    return np.asarray(np.log1p(np.sqrt(np.stack(bands, axis=-1))))


def of_head(weights: ViewsWeights, head: str, view: Exact) -> Exact:
    """What one head says of its view (n, features): log-probabilities, -k log d^2 but for a constant."""
    sharpness = weights.array(head, "sharpness")
    return log_softmax(-sharpness * np.log(np.maximum(distances(weights, head, view), SMALLEST_DISTANCE)))


def distances(weights: ViewsWeights, head: str, view: Exact) -> Exact:
    """Squared, to each class, (n, classes): |z|^2 - |A z|^2 - 2 s_c z + o_c with z = (view - centre) * scale."""
    centre, scale, directions, slopes, offsets = (
        weights.array(head, name) for name in ("centre", "scale", "directions", "slopes", "offsets")
    )
    z = ((view - centre) * scale)[:, None]
    common = np.square(z).sum(-1) - np.square(z @ directions.T).sum(-1)
    return np.asarray(common - 2 * (z @ slopes.T)[:, 0] + offsets)
