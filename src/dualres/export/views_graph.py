"""The network of views as an ONNX graph: the steps of `dualres.model.views`, for B windows and T tokens."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from dualres.config import LEAST_MAGNITUDE, SMALLEST_DISTANCE, VIEW_SIZES, ModelConfig
from dualres.errors import ConfigError
from dualres.export.graph import Graph, exact
from dualres.export.novelty_graph import Compared, likeness
from dualres.export.spectra_graph import Bins, frames_at, log_magnitudes, log_of_root, powers, refuse_cut_hops, spectra
from dualres.model.discriminant import Discriminant
from dualres.model.reference.spectra import hann
from dualres.model.views.modulation import frame_rate, oscillators
from dualres.model.views.network import ViewsNetwork
from dualres.utils.arrays import Exact

PHASE = 1024  # samples of each of the interleaved parts that a window's low lines are computed from


def judged(graph: Graph, signal: str, network: ViewsNetwork, between: Compared | None) -> tuple[str, list[str]]:
    """Normalised windows (B, window) to log-probabilities (B, classes), with `between` also likeness (B, 2)."""
    each = _all_distances(graph, signal, network)
    said = [
        told(graph, distance, head)  # type: ignore[arg-type]
        for distance, head in zip(each, network.heads.values(), strict=True)
    ]
    logits = graph.single(graph.put("LogSoftmax", graph.put("Sum", *said), axis=-1))
    return logits, [] if between is None else [likeness(graph, each, *between)]


def _all_distances(graph: Graph, signal: str, network: ViewsNetwork) -> list[str]:
    """Normalised windows (B, window) to squared distances (B, classes) of each head, in double precision."""
    config = network.config
    refuse_cut_hops(config)
    if config.hop % 2 or config.window % PHASE:
        raise ConfigError(
            f"hop={config.hop}, window={config.window}: ONNX export needs an even one, and a multiple of {PHASE}"
        )
    repeating = _modulation(graph, signal, config)
    views = (mean_spectra(graph, signal, config), repeating, repeating, _low_lines(graph, signal, config))
    return [
        distances(graph, view, head)  # type: ignore[arg-type]
        for view, head in zip(views, network.heads.values(), strict=True)
    ]


def mean_spectra(graph: Graph, signal: str, config: ModelConfig) -> str:
    """(B, short_bins + long_bins)."""
    hops, means = graph.put("Reshape", signal, [0, -1, config.hop]), []
    for length, first in ((config.short, config.crop), (config.long, 0)):
        frames = frames_at(graph, hops, first + np.arange(config.tokens), length // config.hop)
        logs, bins = log_magnitudes(graph, frames, length)
        mean = graph.put("ReduceMean", graph.put("Reshape", logs, [-1, config.tokens, len(bins)]), axes=[1], keepdims=0)
        means.append(graph.put("Gather", mean, np.unique(bins, return_index=True)[1], axis=1))
    return graph.put("Concat", *means, axis=-1)


def _modulation(graph: Graph, signal: str, config: ModelConfig) -> str:
    """(B, bands * oscillators)."""
    strength, count = strengths(graph, signal, config)
    mean = graph.put("ReduceMean", strength, axes=[2])
    driven = graph.put("Div", graph.put("Sub", strength, mean), graph.put("Add", mean, LEAST_MAGNITUDE))
    energy, audible = _energy(graph, driven, count, frame_rate(config))
    logs = graph.put("Mul", log_of_root(graph, graph.put("Mul", energy, 1.0 / count)), audible)
    return graph.put("Reshape", logs, [-1, VIEW_SIZES.bands * VIEW_SIZES.oscillators])


def strengths(graph: Graph, signal: str, config: ModelConfig) -> tuple[str, int]:
    """The magnitude of each band, frame by frame, (B, bands, frames), and how many frames there are."""
    hop = config.hop // 2
    count = (config.window - config.short) // hop + 1
    frames = frames_at(graph, graph.put("Reshape", signal, [0, -1, hop]), np.arange(count), config.short // hop)
    power, bins = powers(graph, frames, config.short, hann(config.short))
    in_band = _membership(np.arange(config.short_bins), VIEW_SIZES.band_edges)
    strength = graph.put("Sqrt", graph.put("MatMul", power, once(bins, in_band)))
    by_band = graph.put("Transpose", graph.put("Reshape", strength, [-1, count, VIEW_SIZES.bands]), perm=[0, 2, 1])
    return by_band, count


def _energy(graph: Graph, driven: str, count: int, rate: float) -> tuple[str, Exact]:
    """|q_t|^2 summed over `count` frames, (B, bands, oscillators), without a loop, and which oscillators are audible:
    summed for ever, it is what the oscillator makes of the spectrum of what drives it. After the last frame it swings
    freely, so that what comes then is known from its last state."""
    alpha, theta = (part.numpy() for part in oscillators(rate, 0))
    length = 2 << (count - 1).bit_length()  # twice the frames and more: correlations do not reach around
    step, left = alpha * np.exp(1j * theta), 1 / (1 - alpha**2)
    lags = np.arange(1, count)
    power, bins = powers(graph, graph.put("Pad", driven, [0, 0, 0, 0, 0, length - count]), length)
    cosines = np.cos(2 * np.pi * np.outer(np.arange(length // 2 + 1), lags) / length)
    passed = left * (1 + 2 * cosines @ (step ** lags[:, None]).real) / length
    passed[1:-1] *= 2  # the upper half of the spectrum mirrors the lower
    forever = graph.put("Reshape", graph.put("MatMul", power, once(bins, passed)), [-1, VIEW_SIZES.bands, len(step)])
    to_last = step ** np.arange(count - 1, -1, -1)[:, None]
    last = [graph.put("MatMul", driven, part) for part in (to_last.real, to_last.imag)]
    swings = graph.put("Add", *(graph.put("Mul", part, part) for part in last))
    energy = graph.put("Sub", forever, graph.put("Mul", swings, alpha**2 * left))
    return graph.put("Max", energy, 0.0), (theta < np.pi).astype(np.float64)


def _low_lines(graph: Graph, signal: str, config: ModelConfig) -> str:
    """(B, bands), from the lowest bins of a window's DFT alone. Bin k is the sum over r of exp(-2 pi i r k / window)
    times bin k of samples r, r + phases, ..."""
    phases, lowest = config.window // PHASE, np.arange(*VIEW_SIZES.lines)
    weighted = graph.put("Reshape", graph.put("Mul", signal, hann(config.window)), [0, PHASE, phases])
    real, imaginary, bins = spectra(graph, graph.put("Transpose", weighted, perm=[0, 2, 1]), PHASE)
    place = {int(k): i for i, k in enumerate(bins)}
    columns = np.array([place.get(int(k), place.get(int(PHASE - k))) for k in lowest])
    real, imaginary = (
        graph.put("Gather", graph.put("Reshape", part, [-1, phases, len(bins)]), columns, axis=2)
        for part in (real, imaginary)
    )
    turn = np.exp(-2j * np.pi * np.outer(np.arange(phases), lowest) / config.window)
    mirrored = np.where(bins[columns] == lowest, 1.0, -1.0)  # of a mirror image, the imaginary part changes its sign
    pairs = ((turn.real, -turn.imag * mirrored), (turn.imag, turn.real * mirrored))
    turned = [graph.put("Add", graph.put("Mul", real, a), graph.put("Mul", imaginary, b)) for a, b in pairs]
    parts = [graph.put("ReduceSum", part, [1], keepdims=0) for part in turned]
    power = graph.put("Add", *(graph.put("Mul", part, part) for part in parts))
    in_band = _membership(lowest, VIEW_SIZES.line_edges)
    return log_of_root(graph, graph.put("MatMul", power, in_band / in_band.sum(0)))


def told(graph: Graph, distance: str, head: Discriminant) -> str:
    """What a head says of squared distances (B, classes): log-probabilities but for a constant, in double precision."""
    sharpness = -exact(head.sharpness).reshape(1)
    return graph.put("Mul", graph.put("Log", distance), graph.double(graph.put("Identity", sharpness)))


def distances(graph: Graph, view: str, head: Discriminant) -> str:
    """Of a view (B, features) to each class, squared, (B, classes), in double precision: they are small differences of
    large sums."""
    centre, scale, directions, slopes, offsets = (
        graph.double(graph.put("Identity", exact(tensor)))
        for tensor in (head.centre, head.scale, head.directions.T, head.slopes.T, head.offsets)
    )
    z = graph.put("Mul", graph.put("Sub", graph.double(view), centre), scale)
    along = graph.put("MatMul", z, directions)
    length, explained = (graph.put("ReduceSum", graph.put("Mul", one, one), [1]) for one in (z, along))
    towards = graph.put("MatMul", z, slopes)
    distance = graph.put("Sub", graph.put("Sub", length, explained), graph.put("Add", towards, towards))
    smallest = graph.double(graph.put("Identity", [SMALLEST_DISTANCE]))
    return graph.put("Max", graph.put("Add", distance, offsets), smallest)


def _membership(bins: Bins, edges: Sequence[int]) -> Exact:
    """One where a bin lies in a band between two edges, else zero, (bins, bands)."""
    return np.stack([((bins >= low) & (bins < high)).astype(np.float64) for low, high in pairwise(edges)], axis=1)


def once(bins: Bins, weight: Exact) -> Exact:
    """Rows of a weight (bins, outputs) for the columns of a spectrum; of those that come twice, the first counts."""
    rows = np.zeros((len(bins), weight.shape[1]))
    kinds, first = np.unique(bins, return_index=True)
    rows[first] = weight[kinds]
    return rows
