"""DualRes as an ONNX graph of matrix products and elementwise functions, which any runtime runs fast: the steps of
`dualres.model`, for B windows, T tokens, D channels and K oscillators."""

import math

import numpy as np
import torch

from dualres.export.graph import Graph, exact
from dualres.export.spectra_graph import frames_at, log_magnitudes, refuse_cut_hops
from dualres.model.network import DualRes
from dualres.model.weights import MAPS
from dualres.utils.arrays import Exact

CHUNK = 16  # tokens whose pairs are looked at together


def judged(graph: Graph, signal: str, network: DualRes, between: None) -> tuple[str, list[str]]:
    """Normalised windows (B, window) to logits (B, classes)."""
    config = network.config
    refuse_cut_hops(config)
    features = _features(graph, signal, network)
    norm = network.encoder.norm
    v = graph.put("LayerNormalization", features, exact(norm.weight), exact(norm.bias), axis=-1, epsilon=norm.eps)
    y = _memory(graph, v, network)
    weight, bias = _joined(network.encoder.mix, network.encoder.gate)
    heard = float(config.memory)  # 0 where the readout gets nothing from the memory
    mixed, gate = graph.split(graph.linear(y, heard * weight, bias), [config.width] * 2)
    gated = graph.put("Mul", mixed, graph.put("Mul", gate, graph.put("Sigmoid", gate)))
    pooled = graph.put("ReduceMean", graph.put("Add", features, gated), axes=[1], keepdims=0)
    return graph.linear(pooled, *_joined(network.head)), []


def _features(graph: Graph, signal: str, network: DualRes) -> str:
    """Both views projected, side by side: (B, T, D)."""
    config, encoder = network.config, network.encoder
    hops = graph.put("Reshape", signal, [0, -1, config.hop])
    views = []
    for name, length, first in (("short", config.short, config.crop), ("long", config.long, 0)):
        weight, bias = _joined(getattr(encoder, name))
        present = float(config.branches in ("both", name))
        starts = first + np.arange(config.tokens)
        logs, bins = log_magnitudes(graph, frames_at(graph, hops, starts, length // config.hop), length)
        # Frequencies that come twice share their row.
        shared = present * weight[bins] / np.bincount(bins)[bins, None]
        shaped = graph.put("Reshape", logs, [-1, config.tokens, len(bins)])
        views.append(graph.linear(shaped, shared, present * bias))
    return graph.put("Concat", *views, axis=-1)


def _coefficients(graph: Graph, v: str, network: DualRes, count: int) -> list[str]:
    """Damping, what is written (B, count, CHUNK, D), write and read vectors (B, count, CHUNK, 2 K), in chunks."""
    config, memory = network.config, network.encoder.memory
    width, states = config.width, config.states
    maps = graph.linear(v, *_joined(*(getattr(memory, name) for name in MAPS)))
    filled = graph.put("Pad", maps, [0, 0, 0, 0, count * CHUNK - config.tokens, 0])  # behind, where it does no harm
    damping, u, pairs = graph.split(filled, [width, width, 4 * states])
    log_rate = exact(memory.log_rate) - math.log(config.token_rate)
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
    angle = np.outer(np.arange(tokens), exact(network.encoder.memory.theta()))
    scale = np.repeat([1.0, 1.0 / math.sqrt(states)], 2 * states)  # of write and read
    cosines, sines = np.tile(np.cos(angle), 4) * scale, np.tile(np.hstack([-np.sin(angle), np.sin(angle)]), 2) * scale
    swapped = np.arange(4 * states).reshape(2, 2, states)[:, ::-1].ravel()  # imaginary before real
    turned = graph.put("Mul", graph.put("Gather", pairs, swapped, axis=2), sines)
    return graph.put("Add", graph.put("Mul", pairs, cosines), turned)


def _joined(*layers: torch.nn.Linear) -> tuple[Exact, Exact]:
    """Maps of one input side by side: weight (inputs, outputs) and bias (outputs,)."""
    weight = np.concatenate([exact(layer.weight) for layer in layers])
    return weight.T, np.concatenate([exact(layer.bias) for layer in layers])
