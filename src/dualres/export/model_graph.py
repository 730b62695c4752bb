"""A whole model as an ONNX graph: the logits of its network, or what several networks say together."""

import math
from collections.abc import Sequence

import onnx

from dualres.export.device_network import GraphNetwork
from dualres.export.graph import Graph
from dualres.export.novelty_graph import Compared
from dualres.export.spectra_graph import INPUT, LIKENESS, OUTPUT, SPEED, normalised
from dualres.model.kinds import kind_of, resolved
from dualres.model.torch_network import TorchNetwork


def model_graph(
    networks: Sequence[TorchNetwork], axes: int = 1, apart: bool = False, between: Sequence[Compared] | None = None
) -> onnx.ModelProto:
    """Raw windows (B, window), or of several axes (B, axes, window), to logits (B, classes).

    Where there are several networks or axes, the logits are the log of the mean probability. All networks judge all
    axes, or `apart` every axis has as many of its own, those of the first axis first. With `between`, by
    which each network's classes are compared with windows, there is `likeness` (B, 2) beside them, its mean over
    networks and axes. Networks that know orders take the speed of the shaft as well, (B,) in Hz, one for all axes.
    """
    first, graph, window = networks[0], Graph(), networks[0].config.window
    turning: list[tuple[str, *tuple[int, ...]]] = [(SPEED,)] if kind_of(first).knows_orders else []
    lying = iter([None] * len(networks) if between is None else between)
    if len(networks) == axes == 1:
        logits, seen = _of_kind(graph, normalised(graph), first, next(lying), speed=SPEED)
        shown = [(graph.single(look), LIKENESS, 2) for look in seen]
        return graph.finish([(INPUT, window), *turning], [(logits, OUTPUT, first.classes), *shown])
    if apart:
        members = len(networks) // axes
        own = [networks[i : i + members] for i in range(0, len(networks), members)]
        asked = [(graph.put("Gather", INPUT, axis, axis=1), SPEED, those) for axis, those in enumerate(own)]
    elif axes > 1:
        speeds = _of_axes(graph, axes) if turning else SPEED
        asked = [(graph.put("Reshape", INPUT, [-1, window]), speeds, networks)]
    else:
        asked = [(INPUT, SPEED, networks)]
    said: list[str] = []
    looks: list[str] = []
    for windows, speed, those in asked:
        signal = normalised(graph, windows)  # what networks have in common beyond this, a runtime computes once
        for network in those:
            logits, seen = _of_kind(graph, signal, network, next(lying), speed=speed)
            looks += [graph.put("Reshape", look, [-1, axes // len(asked), 2]) for look in seen]
            logs = graph.put("LogSoftmax", graph.double(logits), axis=-1)
            said.append(graph.put("Reshape", logs, [-1, axes // len(asked), network.classes]))
    together = graph.single(graph.put("ReduceLogSumExp", graph.put("Concat", *said, axis=1), axes=[1], keepdims=0))
    mean = graph.put("Sub", together, [math.log(len(said) * axes / len(asked))])
    takes: tuple[str, *tuple[int, ...]] = (INPUT, axes, window) if axes > 1 else (INPUT, window)
    gives = [(mean, OUTPUT, first.classes)]
    if looks:
        joined = graph.put("ReduceMean", graph.put("Concat", *looks, axis=1), axes=[1], keepdims=0)
        gives.append((graph.single(joined), LIKENESS, 2))
    return graph.finish([takes, *turning], gives)


def _of_axes(graph: Graph, axes: int) -> str:
    """The speed of each window, (B,), once for every axis, (B * axes,)."""
    column = graph.put("Unsqueeze", SPEED, [1])
    return graph.put("Reshape", graph.put("Concat", *[column] * axes, axis=1), [-1])


def _of_kind(
    graph: Graph, signal: str, network: TorchNetwork, between: Compared | None, *, speed: str
) -> tuple[str, list[str]]:
    """Normalised windows (B, window) to logits (B, classes), and likeness (B, 2) in double precision where there is."""
    kind = kind_of(network)
    found: GraphNetwork = resolved(kind.graph)
    turning = {"speed": speed} if kind.knows_orders else {}
    return resolved(found.judged)(graph, signal, network, between, **turning)
