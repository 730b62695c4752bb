"""A whole model as an ONNX graph: the logits of its network, or what several networks say together."""

import math
from collections.abc import Sequence

import onnx

from dualres.export.graph import Graph
from dualres.export.network_graph import network_graph, network_logits
from dualres.export.spectra_graph import INPUT, OUTPUT, normalised
from dualres.export.views_graph import views_graph, views_logits
from dualres.model.network import DualRes
from dualres.model.views.network import ViewsNetwork

Network = DualRes | ViewsNetwork


def model_graph(networks: Sequence[Network], axes: int = 1, apart: bool = False) -> onnx.ModelProto:
    """Raw windows (B, window), or of several axes (B, axes, window), to logits (B, classes).

    Where there are several networks or axes, the logits are the log of the mean probability. All networks judge all
    axes, or `apart` every axis has as many of its own, those of the first axis first.
    """
    first = networks[0]
    if len(networks) == axes == 1:
        return network_graph(first) if isinstance(first, DualRes) else views_graph(first)
    graph, window = Graph(), first.config.window
    if apart:
        members = len(networks) // axes
        asked = [
            (graph.put("Gather", INPUT, axis, axis=1), networks[axis * members : (axis + 1) * members])
            for axis in range(axes)
        ]
    else:
        asked = [(graph.put("Reshape", INPUT, [-1, window]) if axes > 1 else INPUT, networks)]
    said = []
    for windows, own in asked:
        signal = normalised(graph, windows)  # what networks have in common beyond this, a runtime computes once
        said += [_log_probabilities(graph, signal, network, axes // len(asked)) for network in own]
    together = graph.single(graph.put("ReduceLogSumExp", graph.put("Concat", *said, axis=1), axes=[1], keepdims=0))
    mean = graph.put("Sub", together, [math.log(len(said) * axes / len(asked))])
    takes = (INPUT, axes, window) if axes > 1 else (INPUT, window)
    return graph.finish(mean, takes, (OUTPUT, first.classes))


def _log_probabilities(graph: Graph, signal: str, network: Network, axes: int) -> str:
    """Of normalised windows of several axes, (B * axes, window), to (B, axes, classes), in double precision."""
    if isinstance(network, DualRes):
        logits = network_logits(graph, signal, network)
    else:
        logits = views_logits(graph, signal, network)
    logs = graph.put("LogSoftmax", graph.double(logits), axis=-1)
    return graph.put("Reshape", logs, [-1, axes, network.classes])
