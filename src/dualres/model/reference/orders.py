"""The network of orders in NumPy, in float64; `dualres.model.views` explains its views."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dualres.config import (
    HALF_SWING_HZ,
    HEARD_MAGNITUDE,
    LEAST_ENVELOPE,
    LEAST_MAGNITUDE,
    LEAST_POWER,
    LINE_GAIN,
    MOST_VIEWS_TOKENS,
    ORDER_SIZES,
    SMALLEST_DISTANCE,
    WHITE_FLOOR,
    ModelConfig,
)
from dualres.model.reference.network import parts
from dualres.model.reference.spectra import hann, normalise
from dualres.model.reference.views import distances, mean_spectra, of_head, strengths
from dualres.model.views.order_weights import BY_HZ, BY_ORDER, OrdersWeights, view_of
from dualres.utils.arrays import Exact, Floats, Reals

Chosen = npt.NDArray[np.bool_]


class Looks(NamedTuple):
    """What is seen of windows, whatever the speed."""

    spectra: Reals  # mean log-magnitudes, (n, bins)
    swings: Reals  # of the oscillators in each band, (n, bands, bank)
    lines: Reals  # of the envelope over Hz, (n, bins)

    def of(self, chosen: slice | Chosen | npt.NDArray[np.int_]) -> "Looks":
        """Those of some of the windows."""
        return Looks(*(look[chosen] for look in self))


@np.errstate(all="ignore")  # what is not finite gives logits that are not, as by the kernel
def log_probabilities(weights: OrdersWeights, windows: Floats, hz: Exact | None = None) -> Exact:
    """Raw windows (n, window) at the model's rate to (n, classes); `hz` (n,) is NaN where the speed is not known."""
    return of_looks(weights, looks(weights.config, windows), hz)


@np.errstate(all="ignore")
def of_looks(weights: OrdersWeights, seen: Looks, hz: Exact | None = None) -> Exact:
    """The same of what is seen of them."""
    found = np.empty((len(seen.spectra), weights.classes))
    known = by_order(weights, len(found), hz)
    usual = np.full(len(found), ORDER_SIZES.usual_hz)
    for which, names, turning in ((known, BY_ORDER, hz), (~known, BY_HZ, usual)):
        if turning is not None and which.any():
            views = views_of_looks(weights.config, seen.of(which), turning[which])
            said = [np.exp(of_head(weights, name, view_of(name, views))) for name in names]
            found[which] = np.log(np.mean(said, axis=0))
    return found


def by_order(weights: OrdersWeights, count: int, hz: Exact | None) -> Chosen:
    """Which of `count` windows are judged on an axis of orders, (count,): those whose speed is known, by a network that
    learned from known speeds."""
    if hz is None or weights.speeds_hz is None:
        return np.zeros(count, dtype=bool)
    return np.asarray(hz > 0)


@np.errstate(all="ignore")
def misfit_ref(weights: OrdersWeights, seen: Looks, hz: Exact) -> Exact:
    """How badly windows of one recording fit the network if shafts turn at (tries, n) Hz: (tries,), in nats.

    The logarithm of the squared distance that the head of envelopes measures from the mean of the windows' views to
    the nearest class: what differs from window to window is noise.
    """
    tries, count = hz.shape
    each = order_envelope(weights.config, np.tile(seen.lines, (tries, 1)), hz.ravel())
    mean = each.reshape(tries, count, -1).mean(1)
    squared = np.maximum(distances(weights, "order_envelope", mean), SMALLEST_DISTANCE)
    return np.asarray(np.log(squared).min(-1))


def views_of_looks(config: ModelConfig, seen: Looks, hz: Exact) -> dict[str, Exact]:
    """The views of shafts that turn at `hz` (n,), (n, features) each; heads are named after the view they take."""
    return {
        "spectra": seen.spectra.astype(np.float64),
        "modulation": order_modulation(seen.swings, hz),
        "envelope": order_envelope(config, seen.lines, hz),
    }


def views_by_head(weights: OrdersWeights, seen: Looks, hz: Exact | None = None) -> dict[str, Exact]:
    """What each head takes of what was seen of windows, (n, features): on an axis of Hz of all of them, on one of
    orders of those whose speed `hz` (n,) is known, if there are any."""
    count = len(seen.spectra)
    views = views_of_looks(weights.config, seen, np.full(count, ORDER_SIZES.usual_hz))
    found = {name: view_of(name, views) for name in BY_HZ}
    known = by_order(weights, count, hz)
    if hz is not None and known.any():
        views = views_of_looks(weights.config, seen.of(known), hz[known])
        found |= {name: view_of(name, views) for name in BY_ORDER if name not in BY_HZ}
    return found


@np.errstate(all="ignore")
def looks(config: ModelConfig, windows: Floats) -> Looks:
    """What is seen of raw windows (n, window)."""
    config.check_pass(MOST_VIEWS_TOKENS)
    found = []
    for some in parts(windows, config):
        exact = some.astype(np.float64)
        found.append((mean_spectra(exact, config), bank(exact, config), envelope_spectrum(exact, config)))
    if not found:
        none = np.zeros((1, config.window))
        return looks(config, none.astype(np.float32)).of(slice(0))
    return Looks(*(np.concatenate(each) for each in zip(*found, strict=True)))


def bank(windows: Exact, config: ModelConfig) -> Exact:
    """How far every oscillator swings in each band: RMS over the frames, (n, bands, bank)."""
    strength = strengths(windows, config)
    mean = strength.mean(-1, keepdims=True)
    heard = mean**2 / (mean**2 + HEARD_MAGNITUDE**2)
    driven = (strength - mean) / (mean + LEAST_MAGNITUDE) * heard

    theta = 2 * np.pi * np.array(ORDER_SIZES.oscillator_hz) / (2 * config.token_rate)
    alpha = np.exp(-theta / (2 * ORDER_SIZES.quality))
    step = alpha * np.exp(1j * theta)
    q = np.zeros((*driven.shape[:2], len(theta)), np.complex128)
    energy = np.zeros(q.shape)
    for t in range(driven.shape[-1]):
        q = step * q + driven[..., t, None]
        energy += np.square(q.real) + np.square(q.imag)
    after = (np.square(q.real) + np.square(q.imag)) * alpha**2 / (1 - alpha**2)
    return np.asarray(np.sqrt((energy + after) / driven.shape[-1]))


def envelope_spectrum(windows: Exact, config: ModelConfig) -> Exact:
    """The magnitude of the envelope's spectrum, (n, bins)."""
    around = envelope(windows, config)
    mean = around.mean(-1, keepdims=True)
    moving = (around - mean) / (mean + LEAST_ENVELOPE) * hann(around.shape[-1])
    count = 1 << (around.shape[-1] - 1).bit_length()
    return np.asarray(np.abs(np.fft.rfft(moving, count)[:, : count // 2]) / np.sqrt(around.shape[-1]))


def envelope(windows: Exact, config: ModelConfig) -> Exact:
    """The magnitude of whitened windows, about `ORDER_SIZES.envelope_hz` times a second: (n, samples)."""
    half, quarter, reach = config.long // 2, config.long // 4, ORDER_SIZES.smoothed // 2
    frames = np.lib.stride_tricks.sliding_window_view(normalise(windows), config.long, axis=-1)[:, ::half]
    spectra = np.fft.rfft(frames * hann(config.long))[..., :half]
    power = np.pad((np.abs(spectra) ** 2).mean(1), ((0, 0), (reach, reach)), mode="edge")
    around = np.lib.stride_tricks.sliding_window_view(power, ORDER_SIZES.smoothed, axis=-1).mean(-1)
    heard = around[:, ORDER_SIZES.lowest_bin :]
    gain = np.zeros_like(around)
    gain[:, ORDER_SIZES.lowest_bin :] = 1 / np.sqrt(heard + WHITE_FLOOR * heard.mean(1, keepdims=True) + LEAST_POWER)
    sound = np.fft.ifft(spectra * gain[:, None])
    whole = (sound[:, :-1, quarter:] + sound[:, 1:, :quarter]).reshape(len(windows), -1)
    each = samples_each(config)
    samples = whole.shape[1] // each
    loudness = np.abs(whole[:, : samples * each].reshape(len(windows), samples, each)) ** 2
    return np.asarray(np.sqrt(loudness.mean(-1)))


def samples_each(config: ModelConfig) -> int:
    """Samples at half the rate that make one of the envelope."""
    return max(1, round(config.rate / 2 / ORDER_SIZES.envelope_hz))


def line_hz(config: ModelConfig, bins: int) -> float:
    """From one of the envelope's `bins` to the next."""
    return config.rate / 4 / samples_each(config) / bins


def order_modulation(swings: Reals, hz: Exact) -> Exact:
    """Swings (n, bands, bank) as they are at orders of shafts that turn at `hz` (n,): (n, bands * orders)."""
    at = np.outer(_turning(hz), ORDER_SIZES.axis(ORDER_SIZES.oscillators)) / ORDER_SIZES.bank_hz[0]
    read = reading(swings, np.log(at)[:, None] / ORDER_SIZES.bank_step)
    return np.asarray(np.log1p(read * (hz / HALF_SWING_HZ)[:, None, None]).reshape(len(swings), -1))


def order_envelope(config: ModelConfig, lines: Reals, hz: Exact) -> Exact:
    """The envelope's lines (n, bins) at orders of shafts that turn at `hz` (n,): (n, lines)."""
    orders = np.array(ORDER_SIZES.axis(ORDER_SIZES.lines * ORDER_SIZES.near))
    at: Exact = np.outer(_turning(hz), orders) / line_hz(config, lines.shape[1])
    read = np.log1p(LINE_GAIN * reading(lines, at))
    return np.asarray(read.reshape(len(lines), ORDER_SIZES.lines, ORDER_SIZES.near).max(-1))


def _turning(hz: Exact) -> Exact:
    """The shafts' rates (n,), or the one that all of them have, (1,): where nothing is known of any."""
    return hz[:1] if len(hz) > 1 and bool((hz == hz[0]).all()) else hz


def reading(values: Reals, at: Exact) -> Exact:
    """Values (..., points) between two neighbours at the places `at` (..., readings), or at the same places of all,
    (1, readings); zero beyond the last point."""
    last = values.shape[-1] - 1
    inside = np.clip(at, 0, last)
    lower = np.minimum(np.floor(inside), last - 1)
    share = inside - lower
    if at.size == at.shape[-1]:
        places = lower.ravel().astype(np.intp)
        read = values[..., places] * (1 - share) + values[..., places + 1] * share
        return np.asarray(read * (at <= last))
    index = np.broadcast_to(lower.astype(np.intp), (*values.shape[:-1], at.shape[-1]))
    read = np.take_along_axis(values, index, -1) * (1 - share) + np.take_along_axis(values, index + 1, -1) * share
    return np.asarray(read * (at <= last))
