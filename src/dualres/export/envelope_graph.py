"""The spectrum of a whitened window's envelope as an ONNX graph; the steps of `dualres.model.views.envelope`."""

import math

import numpy as np

from dualres.config import LEAST_ENVELOPE, LEAST_POWER, ORDER_SIZES, WHITE_FLOOR, ModelConfig
from dualres.export.graph import Graph
from dualres.export.spectra_graph import Bins, frames_at, powers, signals, spectra
from dualres.model.reference.spectra import hann
from dualres.model.views.envelope import envelope_samples, samples_each, transform_length


def envelope_spectrum(graph: Graph, signal: str, config: ModelConfig) -> str:
    """Normalised windows (B, window) to the magnitude of their envelope's spectrum, (B, bins)."""
    around, samples, length = _envelope(graph, signal, config), envelope_samples(config), transform_length(config)
    mean = graph.put("ReduceMean", around, axes=[1])
    share = graph.put("Div", graph.put("Sub", around, mean), graph.put("Add", mean, LEAST_ENVELOPE))
    moving = graph.put("Mul", share, hann(samples) / math.sqrt(samples))
    power, bins = powers(graph, graph.put("Pad", moving, [0, 0, 0, length - samples]), length)
    return graph.put("Gather", graph.put("Sqrt", power), _columns(bins, length // 2), axis=1)


def _envelope(graph: Graph, signal: str, config: ModelConfig) -> str:
    """The magnitude of whitened windows, (B, samples)."""
    half, quarter = config.long // 2, config.long // 4
    count = (config.window - config.long) // half + 1
    sound = signals(graph, _white_spectra(graph, signal, count, config), half)
    sound = graph.put("Reshape", sound, [-1, count, 2, half])
    # Frames overlap by half, and their Hann windows add up to one.
    late = graph.put("Slice", sound, [0, quarter], [count - 1, half], [1, 3])
    early = graph.put("Slice", sound, [1, 0], [count, quarter], [1, 3])
    whole = graph.put("Add", late, early)
    power = graph.put("ReduceSum", graph.put("Mul", whole, whole), [2], keepdims=0)
    samples, each = envelope_samples(config), samples_each(config)
    in_a_row = graph.put("Reshape", power, [0, (count - 1) * quarter])
    pieces = graph.put("Reshape", graph.put("Slice", in_a_row, [0], [samples * each], [1]), [-1, samples, each])
    return graph.put("Sqrt", graph.put("ReduceMean", pieces, axes=[2], keepdims=0))


def _white_spectra(graph: Graph, signal: str, count: int, config: ModelConfig) -> list[str]:
    """Real and imaginary part of each of `count` frames, whose frequencies are equally loud, (B, count, bins)."""
    half = config.long // 2
    unit = math.gcd(config.hop, half)
    pieces, starts = graph.put("Reshape", signal, [0, -1, unit]), np.arange(count) * (half // unit)
    frames = frames_at(graph, pieces, starts, config.long // unit)
    *parts, bins = spectra(graph, frames, config.long, hann(config.long))
    columns = _columns(np.minimum(bins, config.long - bins), half)
    known = (np.arange(half) >= ORDER_SIZES.lowest_bin).astype(np.float64)
    mirrored = np.where(bins[columns] < half, known, -known)  # of a mirror image, the imaginary part changes its sign
    in_order = [graph.put("Reshape", graph.put("Gather", part, columns, axis=1), [-1, count, half]) for part in parts]
    gain = _whitening(graph, in_order, half)
    return [
        graph.put("Mul", part, graph.put("Mul", gain, signs))
        for part, signs in zip(in_order, (known, mirrored), strict=True)
    ]


def _whitening(graph: Graph, parts: list[str], bins: int) -> str:
    """By what each bin is multiplied, (B, 1, bins), of real and imaginary parts (B, frames, bins)."""
    power = graph.put("ReduceMean", graph.put("Add", *(graph.put("Mul", part, part) for part in parts)), axes=[1])
    reach = ORDER_SIZES.smoothed // 2
    near = np.clip(np.arange(bins)[:, None] + np.arange(-reach, reach + 1), 0, bins - 1)
    around = graph.put("ReduceMean", graph.put("Gather", power, near, axis=2), axes=[3], keepdims=0)
    heard = graph.put("Slice", around, [ORDER_SIZES.lowest_bin], [bins], [2])
    floor = graph.put("Mul", graph.put("ReduceMean", heard, axes=[2]), WHITE_FLOOR)
    least = graph.put("Add", floor, LEAST_POWER)
    return graph.put("Reciprocal", graph.put("Sqrt", graph.put("Add", around, least)))


def _columns(bins: Bins, count: int) -> Bins:
    """Where each of the lowest frequencies stands among the columns of a spectrum, (count,)."""
    return np.unique(bins, return_index=True)[1][:count]
