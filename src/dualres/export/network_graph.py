"""DualRes as an ONNX graph of matrix products and elementwise functions, which any runtime runs fast.

The steps are those of `dualres.model`, for B windows, T tokens, D channels and K oscillators.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.kernel.pack import MAPS
from dualres.model.network import DualRes
from dualres.model.spectra import SMALLEST_RMS

OPSET = 17  # the first with LayerNormalization; ONNX Runtime knows it since 1.12
IR_VERSION = 8
INPUT, OUTPUT = "windows", "logits"
CHUNK = 16  # tokens whose pairs are looked at together

Reals = npt.NDArray[np.float64]


def network_graph(network: DualRes) -> onnx.ModelProto:
    """Raw windows (B, window) to logits (B, classes)."""
    config, graph = network.config, Graph()
    for name in ("window", "short", "long"):
        if (length := getattr(config, name)) % config.hop:
            raise ConfigError(f"{name}={length} is no multiple of hop={config.hop}, which ONNX export needs")
    features = _features(graph, _normalised(graph), network)
    norm = network.encoder.norm
    v = graph.put("LayerNormalization", features, _exact(norm.weight), _exact(norm.bias), axis=-1, epsilon=norm.eps)
    y = _memory(graph, v, network)
    weight, bias = _joined(network.encoder.mix, network.encoder.gate)
    heard = float(config.memory)  # 0 where the readout gets nothing from the memory
    mixed, gate = graph.split(graph.linear(y, heard * weight, bias), [config.width] * 2)
    gated = graph.put("Mul", mixed, graph.put("Mul", gate, graph.put("Sigmoid", gate)))
    pooled = graph.put("ReduceMean", graph.put("Add", features, gated), axes=[1], keepdims=0)
    logits = graph.linear(pooled, *_joined(network.head))
    return graph.finish(logits, (INPUT, config.window), (OUTPUT, network.head.out_features))


def _normalised(graph: Graph) -> str:
    """Centred and divided by the RMS, both taken in double precision."""
    exact = graph.double(INPUT)
    centred = graph.put("Sub", exact, graph.put("ReduceMean", exact, axes=[1]))
    power = graph.put("ReduceMean", graph.put("Mul", centred, centred), axes=[1])
    smallest = graph.double(graph.put("Identity", [SMALLEST_RMS**2]))
    rms = graph.put("Sqrt", graph.put("Max", power, smallest))
    return graph.single(graph.put("Div", centred, rms))


def _features(graph: Graph, signal: str, network: DualRes) -> str:
    """Both views projected, side by side: (B, T, D)."""
    config, encoder = network.config, network.encoder
    hops = graph.put("Reshape", signal, [0, -1, config.hop])
    views = []
    for name, length, first in (("short", config.short, config.crop), ("long", config.long, 0)):
        weight, bias = _joined(getattr(encoder, name))
        present = float(config.branches in ("both", name))
        views.append(_projected(graph, hops, config, length, first, present * weight, present * bias))
    return graph.put("Concat", *views, axis=-1)


def _projected(
    graph: Graph, hops: str, config: ModelConfig, length: int, first: int, weight: Reals, bias: Reals
) -> str:
    """log(1 + |STFT|) times a weight (bins, outputs); the first frame begins with hop number `first`.

    The DFT of a frame, seen as a matrix of `rows` x `columns` samples, takes two matrix products: down the rows, which
    leaves frequencies p modulo `rows`, then across the columns. p up to rows / 2 suffices, as the rest mirrors it.
    """
    rows = max(n for n in range(1, math.isqrt(length) + 1) if length % n == 0)
    columns, kept = length // rows, rows // 2 + 1
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)
    taken = first + np.arange(config.tokens)[:, None] + np.arange(length // config.hop)
    frames = graph.put("Reshape", graph.put("Gather", hops, taken, axis=1), [-1, rows, columns])
    frames = graph.put("Mul", frames, hann.reshape(rows, columns))

    down = _as_rows(np.exp(-2j * np.pi * np.outer(np.arange(kept), np.arange(rows)) / rows))
    half_way = graph.put("Reshape", graph.put("MatMul", down, frames), [-1, kept, 2 * columns])
    half_way = graph.put("Transpose", half_way, perm=[1, 0, 2])  # (p, frames, real and imaginary parts of the columns)
    bins = np.arange(kept)[:, None] + rows * np.arange(columns)  # (p, columns)
    across = np.exp(-2j * np.pi * np.arange(columns)[:, None] * bins[:, None, :] / length)
    across_pairs = np.block([[across.real, across.imag], [-across.imag, across.real]])
    spectrum = graph.put("MatMul", half_way, across_pairs)
    real, imaginary = graph.split(graph.put("Mul", spectrum, spectrum), [columns, columns])
    magnitudes = graph.put("Sqrt", graph.put("Add", real, imaginary))
    logs = graph.put("Log", graph.put("Add", magnitudes, 1.0))

    logs = graph.put("Reshape", graph.put("Transpose", logs, perm=[1, 0, 2]), [-1, config.tokens, kept * columns])
    return graph.linear(logs, _by_bins(bins, length, weight), bias)


def _as_rows(z: np.ndarray) -> Reals:
    """Complex (n, m) to real (2 n, m): real and imaginary parts of a row below each other."""
    return np.stack([z.real, z.imag], axis=1).reshape(-1, z.shape[1])


def _by_bins(bins: np.ndarray, length: int, weight: Reals) -> Reals:
    """The weight's rows in the order in which the frequencies come; those that come twice share theirs."""
    folded = np.minimum(bins, length - bins).ravel()
    times = np.bincount(folded)
    return np.asarray(weight[folded] / times[folded, None])


def _coefficients(graph: Graph, v: str, network: DualRes, count: int) -> list[str]:
    """Damping, what is written (B, count, CHUNK, D), write and read vectors (B, count, CHUNK, 2 K), in chunks."""
    config, memory = network.config, network.encoder.memory
    width, states = config.width, config.states
    maps = graph.linear(v, *_joined(*(getattr(memory, name) for name in MAPS)))
    filled = graph.put("Pad", maps, [0, 0, 0, 0, count * CHUNK - config.tokens, 0])  # behind, where it does no harm
    damping, u, pairs = graph.split(filled, [width, width, 4 * states])
    log_rate = _exact(memory.log_rate) - math.log(config.token_rate)
    delta = graph.put("Exp", graph.put("Add", graph.put("Tanh", damping), log_rate))
    # 1 - alpha in double precision: at weak damping hardly anything of it would be left.
    alpha = graph.put("Exp", graph.put("Neg", graph.double(delta)))
    renewed = graph.single(graph.put("Sub", graph.double(graph.put("Identity", [1.0])), alpha))
    b, c = graph.split(_rotated(graph, graph.put("Tanh", pairs), network, count * CHUNK), [2 * states] * 2)
    sizes = {delta: width, graph.put("Mul", renewed, u): width, b: 2 * states, c: 2 * states}
    return [graph.put("Reshape", name, [0, count, CHUNK, size]) for name, size in sizes.items()]


def _memory(graph: Graph, v: str, network: DualRes) -> str:
    """The recurrence, (B, T, D), without a loop.

    In coordinates that rotate along from the window's start the decay is real: with D_js >= 0 the damping summed over
    the tokens after s up to j, the state is r_j = sum_{s <= j} exp(-D_js) written_s b'_s. Pairs (j, s) within a chunk
    are summed one by one, the chunks before it by way of the states at their ends. No exponential can overflow, so
    that this is exact for any damping.
    """
    config = network.config
    width, count = config.width, math.ceil(config.tokens / CHUNK)
    delta, written, b, c = _coefficients(graph, v, network, count)

    fade = _fades(graph, delta, CHUNK, [0, count, CHUNK, CHUNK, width])  # (B, count, j, s, D)
    gram = graph.put("MatMul", c, graph.put("Transpose", b, perm=[0, 1, 3, 2]))
    gram = graph.put("Unsqueeze", graph.put("Mul", gram, np.tril(np.ones((CHUNK, CHUNK)))), [4])
    weighted = graph.put("Mul", fade, graph.put("Unsqueeze", written, [2]))  # what is left of s at j
    within = graph.put("ReduceSum", graph.put("Mul", gram, weighted), [3], keepdims=0)

    at_end = graph.put("Transpose", graph.put("Gather", weighted, CHUNK - 1, axis=2), perm=[0, 1, 3, 2])
    ends = graph.put("Transpose", graph.put("MatMul", at_end, b), perm=[0, 2, 1, 3])  # (B, D, count, 2 K)
    whole = graph.put("ReduceSum", delta, [2], keepdims=0)  # damping of a chunk, (B, count, D)
    # A chunk starts where the one before it ended: rows one later than in `_fades`.
    between = graph.put("Transpose", _fades(graph, whole, count, [0, count, count, width]), perm=[0, 3, 1, 2])
    states_at_end = graph.put("MatMul", graph.put("Mul", between, np.tril(np.ones((count, count)))), ends)
    starts = graph.put("MatMul", np.eye(count, k=-1), states_at_end)
    starts = graph.put("Transpose", starts, perm=[0, 2, 3, 1])  # (B, count, 2 K, D)
    summed = graph.put("MatMul", np.tril(np.ones((CHUNK, CHUNK))), delta)
    before = graph.put("Mul", graph.put("Exp", graph.put("Neg", summed)), graph.put("MatMul", c, starts))

    y = graph.put("Reshape", graph.put("Add", within, before), [0, count * CHUNK, width])
    return graph.put("Slice", y, [0], [config.tokens], [1])


def _fades(graph: Graph, delta: str, length: int, shape: list[int]) -> str:
    """exp(-damping summed over i) for s < i <= j, one where s >= j; (..., length, D) to `shape`: (..., j, s, D)."""
    place = np.arange(length)
    after, upto = place > place[:, None], place <= place[:, None]  # (s, i) and (j, i)
    chosen = (upto[:, None] & after).reshape(length * length, length).astype(np.float64)
    return graph.put("Reshape", graph.put("Exp", graph.put("Neg", graph.put("MatMul", chosen, delta))), shape)


def _rotated(graph: Graph, pairs: str, network: DualRes, tokens: int) -> str:
    """Write and read vectors in coordinates that rotate along: (B, tokens, 4 K), real parts before imaginary ones."""
    states = network.config.states
    angle = np.outer(np.arange(tokens), _exact(network.encoder.memory.theta()))
    scale = np.repeat([1.0, 1.0 / math.sqrt(states)], 2 * states)  # of write and read
    cosines, sines = np.tile(np.cos(angle), 4) * scale, np.tile(np.hstack([-np.sin(angle), np.sin(angle)]), 2) * scale
    swapped = np.arange(4 * states).reshape(2, 2, states)[:, ::-1].ravel()  # imaginary before real
    turned = graph.put("Mul", graph.put("Gather", pairs, swapped, axis=2), sines)
    return graph.put("Add", graph.put("Mul", pairs, cosines), turned)


def _joined(*layers: torch.nn.Linear) -> tuple[Reals, Reals]:
    """Maps of one input side by side: weight (inputs, outputs) and bias (outputs,)."""
    weight = np.concatenate([_exact(layer.weight) for layer in layers])
    return weight.T, np.concatenate([_exact(layer.bias) for layer in layers])


def _exact(tensor: Tensor) -> Reals:
    return np.asarray(tensor.detach().to("cpu", torch.float64).numpy())


class Graph:
    """Operations are put one after the other; each gives the name of its result, which the next one takes."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def put(self, kind: str, *inputs: str | npt.ArrayLike, **attributes: Any) -> str:
        """Add an operation and name its result. Numbers among the inputs are kept as float32 or int64."""
        return self._put(kind, inputs, 1, attributes)[0]

    def split(self, x: str, sizes: list[int]) -> list[str]:
        """Cut the last axis into pieces of the given sizes."""
        return self._put("Split", (x, sizes), len(sizes), {"axis": -1})

    def linear(self, x: str, weight: Reals, bias: Reals) -> str:
        """A map of the last axis by a weight (inputs, outputs)."""
        return self.put("Add", self.put("MatMul", x, weight), bias)

    def double(self, x: str) -> str:
        return self.put("Cast", x, to=TensorProto.DOUBLE)

    def single(self, x: str) -> str:
        return self.put("Cast", x, to=TensorProto.FLOAT)

    def finish(self, result: str, takes: tuple[str, int], gives: tuple[str, int]) -> onnx.ModelProto:
        """The model: rows of float32 in, rows of float32 out, each with a name and a length; any number of rows."""
        nodes = [*self._nodes, helper.make_node("Identity", [result], [gives[0]])]
        rows = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", n]) for name, n in (takes, gives)]
        graph = helper.make_graph(nodes, "dualres", rows[:1], rows[1:], self._constants)
        return helper.make_model(
            graph, producer_name="dualres", ir_version=IR_VERSION, opset_imports=[helper.make_opsetid("", OPSET)]
        )

    def _put(
        self, kind: str, inputs: tuple[str | npt.ArrayLike, ...], outputs: int, attributes: dict[str, Any]
    ) -> list[str]:
        names = [i if isinstance(i, str) else self._constant(i) for i in inputs]
        results = [f"{kind}_{len(self._nodes)}_{i}" for i in range(outputs)]
        self._nodes.append(helper.make_node(kind, names, results, **attributes))
        return results

    def _constant(self, value: npt.ArrayLike) -> str:
        array = np.asarray(value)
        name = f"constant_{len(self._constants)}"
        kept = array.astype(np.float32 if array.dtype.kind == "f" else np.int64)
        self._constants.append(numpy_helper.from_array(np.asarray(kept, order="C"), name))
        return name
