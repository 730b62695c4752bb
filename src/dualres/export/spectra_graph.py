"""From raw windows to spectra of frames, as matrix products of an ONNX graph."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dualres.config import SMALLEST_RMS, ModelConfig
from dualres.errors import ConfigError
from dualres.export.graph import Graph
from dualres.model.reference.spectra import hann
from dualres.utils.arrays import Exact

INPUT, SPEED, OUTPUT, LIKENESS = "windows", "speed", "logits", "likeness"

Bins = npt.NDArray[np.int64]  # the frequencies of a spectrum's columns; some come twice, as their own mirror images


def refuse_cut_hops(config: ModelConfig) -> None:
    """An error where windows or frames are not whole hops."""
    for name in ("window", "short", "long"):
        if (length := getattr(config, name)) % config.hop:
            raise ConfigError(f"{name}={length} is no multiple of hop={config.hop}, which ONNX export needs")


def normalised(graph: Graph, windows: str = INPUT) -> str:
    """Windows (B, window), centred and divided by the RMS, both taken in double precision."""
    exact = graph.double(windows)
    centred = graph.put("Sub", exact, graph.put("ReduceMean", exact, axes=[1]))
    power = graph.put("ReduceMean", graph.put("Mul", centred, centred), axes=[1])
    rms = graph.put("Sqrt", graph.put("Max", power, graph.double(graph.put("Identity", [SMALLEST_RMS**2]))))
    return graph.single(graph.put("Div", centred, rms))


def frames_at(graph: Graph, hops: str, starts: npt.NDArray[np.int64], length: int) -> str:
    """Frames of `length` hops, (B, frames, length, hop), which begin at these of the hops (B, hops, hop)."""
    return graph.put("Gather", hops, starts[:, None] + np.arange(length), axis=1)


def log_magnitudes(graph: Graph, frames: str, length: int) -> tuple[str, Bins]:
    """log(1 + |DFT|) of Hann-weighted frames, (frames, columns)."""
    power, shape, bins = _power(graph, frames, length, hann(length))
    return _by_frame(graph, log_of_root(graph, power), shape), np.minimum(bins, length - bins)


def powers(
    graph: Graph, frames: str, length: int, weights: Exact | None = None, *, double: bool = False
) -> tuple[str, Bins]:
    """|DFT|^2 of frames that are weighted, (frames, columns); `double` says that they are in double precision."""
    power, shape, bins = _power(graph, frames, length, weights, double=double)
    return _by_frame(graph, power, shape), np.minimum(bins, length - bins)


def spectra(graph: Graph, frames: str, length: int, weights: Exact | None = None) -> tuple[str, str, Bins]:
    """Real and imaginary part of the DFT of frames that are weighted, (frames, columns) each; here frequencies are not
    mirrored."""
    spectrum, (kept, columns), bins = _spectrum(graph, frames, length, weights)
    real, imaginary = graph.split(spectrum, [columns, columns])
    return _by_frame(graph, real, (kept, columns)), _by_frame(graph, imaginary, (kept, columns)), bins


def log_of_root(graph: Graph, power: str) -> str:
    """log(1 + sqrt(power))."""
    return graph.put("Log", graph.put("Add", graph.put("Sqrt", power), 1.0))


def signals(graph: Graph, spectra: Sequence[str], length: int) -> str:
    """What spectra are of, whose real and imaginary parts (frames, length) are given: (frames, 2, length), real and
    imaginary parts."""
    rows = _rows(length)
    columns = length // rows
    parts = [graph.put("Reshape", part, [-1, rows, columns]) for part in spectra]
    down = np.exp(2j * np.pi * np.outer(np.arange(rows), np.arange(rows)) / rows)
    both = np.stack([np.hstack([down.real, -down.imag]), np.hstack([down.imag, down.real])], axis=1)
    half_way = graph.put("MatMul", both.reshape(2 * rows, 2 * rows), graph.put("Concat", *parts, axis=1))
    by_row = graph.put("Reshape", half_way, [-1, rows, 2 * columns])
    samples = np.arange(rows)[:, None] + rows * np.arange(columns)  # (p, columns)
    across = np.exp(2j * np.pi * np.arange(columns)[:, None] * samples[:, None, :] / length) / length
    pairs = np.block([[across.real, across.imag], [-across.imag, across.real]])
    found = graph.put("MatMul", graph.put("Transpose", by_row, perm=[1, 0, 2]), pairs)  # (p, frames, 2 columns)
    told_apart = graph.put("Reshape", found, [rows, -1, 2, columns])
    return graph.put("Reshape", graph.put("Transpose", told_apart, perm=[1, 2, 3, 0]), [-1, 2, length])


def _power(
    graph: Graph, frames: str, length: int, weights: Exact | None, *, double: bool = False
) -> tuple[str, tuple[int, int], Bins]:
    spectrum, shape, bins = _spectrum(graph, frames, length, weights, double=double)
    real, imaginary = graph.split(graph.put("Mul", spectrum, spectrum), [shape[1]] * 2)
    return graph.put("Add", real, imaginary), shape, bins


def _spectrum(
    graph: Graph, frames: str, length: int, weights: Exact | None, *, double: bool = False
) -> tuple[str, tuple[int, int], Bins]:
    """The DFT of frames, (kept, frames, 2 columns), with kept and columns, and the frequency of each pair of them. A
    frame is a matrix of `rows` x `columns` samples: one product down the rows leaves frequencies p modulo `rows`, one
    goes across the columns. p up to rows / 2 suffices, as the rest mirrors it."""
    rows, numbers = _rows(length), graph.exactly if double else np.asarray
    columns, kept = length // rows, rows // 2 + 1
    frames = graph.put("Reshape", frames, [-1, rows, columns])
    if weights is not None:
        frames = graph.put("Mul", frames, numbers(weights.reshape(rows, columns)))
    down = np.exp(-2j * np.pi * np.outer(np.arange(kept), np.arange(rows)) / rows)
    pairs = np.stack([down.real, down.imag], axis=1).reshape(-1, rows)  # of a row, below each other
    half_way = graph.put("Reshape", graph.put("MatMul", numbers(pairs), frames), [-1, kept, 2 * columns])
    half_way = graph.put("Transpose", half_way, perm=[1, 0, 2])  # (p, frames, real and imaginary parts of the columns)
    bins = np.arange(kept)[:, None] + rows * np.arange(columns)  # (p, columns)
    across = np.exp(-2j * np.pi * np.arange(columns)[:, None] * bins[:, None, :] / length)
    across_pairs = np.block([[across.real, across.imag], [-across.imag, across.real]])
    return graph.put("MatMul", half_way, numbers(across_pairs)), (kept, columns), bins.ravel()


def _rows(length: int) -> int:
    """Of the matrix that a frame is taken for, as square as can be."""
    return max(n for n in range(1, math.isqrt(length) + 1) if length % n == 0)


def _by_frame(graph: Graph, parts: str, shape: tuple[int, int]) -> str:
    """(kept, frames, columns) to (frames, kept * columns)."""
    return graph.put("Reshape", graph.put("Transpose", parts, perm=[1, 0, 2]), [-1, math.prod(shape)])
