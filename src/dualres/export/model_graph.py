"""A whole model as an ONNX graph: the logits of its network, or what several networks say together."""

import math
from collections.abc import Sequence

import onnx

from dualres.export.graph import Graph
from dualres.export.network_graph import network_graph, network_logits
from dualres.export.novelty_graph import likeness
from dualres.export.spectra_graph import INPUT, LIKENESS, OUTPUT, normalised
from dualres.export.views_graph import views_distances, views_graph, views_logits
from dualres.model.network import DualRes
from dualres.model.views.network import ViewsNetwork
from dualres.utils.arrays import Floats

AnyNetwork = DualRes | ViewsNetwork


def model_graph(
    networks: Sequence[AnyNetwork], axes: int = 1, apart: bool = False, between: Floats | None = None
) -> onnx.ModelProto:
    """Raw windows (B, window), or of several axes (B, axes, window), to logits (B, classes).

    Where there are several networks or axes, the logits are the log of the mean probability. All networks judge all
    axes, or `apart` every axis has as many of its own, those of the first axis first. With `between`, how the classes
    of each network lie (networks, heads, classes, classes), there is `likeness` (B, 2) beside them, its mean over
    networks and axes.
    """
    first = networks[0]
    if len(networks) == axes == 1:
        if isinstance(first, DualRes):
            return network_graph(first)
        return views_graph(first, None if between is None else between[0])
    graph, window = Graph(), first.config.window
    if apart:
        members = len(networks) // axes
        asked = [
            (graph.put("Gather", INPUT, axis, axis=1), networks[axis * members : (axis + 1) * members])
            for axis in range(axes)
        ]
    else:
        asked = [(graph.put("Reshape", INPUT, [-1, window]) if axes > 1 else INPUT, networks)]
    said: list[str] = []
    looks: list[str] = []
    lying = iter([None] * len(networks) if between is None else between)
    for windows, own in asked:
        signal = normalised(graph, windows)  # what networks have in common beyond this, a runtime computes once
        for network in own:
            logs, look = _judged(graph, signal, network, axes // len(asked), next(lying))
            said.append(logs)
            looks += look
    together = graph.single(graph.put("ReduceLogSumExp", graph.put("Concat", *said, axis=1), axes=[1], keepdims=0))
    mean = graph.put("Sub", together, [math.log(len(said) * axes / len(asked))])
    takes = (INPUT, axes, window) if axes > 1 else (INPUT, window)
    gives = [(mean, OUTPUT, first.classes)]
    if looks:
        joined = graph.put("ReduceMean", graph.put("Concat", *looks, axis=1), axes=[1], keepdims=0)
        gives.append((graph.single(joined), LIKENESS, 2))
    return graph.finish(takes, *gives)


def _judged(graph: Graph, signal: str, network: AnyNetwork, axes: int, between: Floats | None) -> tuple[str, list[str]]:
    """Of normalised windows of several axes, (B * axes, window): log-probabilities (B, axes, classes), and likeness.

    Both in double precision.
    """
    looks = []
    if isinstance(network, DualRes):
        logits = network_logits(graph, signal, network)
    else:
        distances = views_distances(graph, signal, network)
        logits = views_logits(graph, distances, network)
        if between is not None:
            looks.append(graph.put("Reshape", likeness(graph, distances, between), [-1, axes, 2]))
    logs = graph.put("LogSoftmax", graph.double(logits), axis=-1)
    return graph.put("Reshape", logs, [-1, axes, network.classes]), looks
