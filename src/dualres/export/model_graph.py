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


def model_graph(networks: Sequence[Network]) -> onnx.ModelProto:
    """Raw windows (B, window) to logits (B, classes); of several networks the log of their mean probability."""
    first = networks[0]
    if len(networks) == 1:
        return network_graph(first) if isinstance(first, DualRes) else views_graph(first)
    graph = Graph()
    signal = normalised(graph)  # what networks have in common beyond this, a runtime computes once
    said = [_log_probabilities(graph, signal, network) for network in networks]
    together = graph.put("ReduceLogSumExp", graph.put("Concat", *said, axis=1), axes=[1], keepdims=0)
    mean = graph.put("Sub", graph.single(together), [math.log(len(networks))])
    return graph.finish(mean, (INPUT, first.config.window), (OUTPUT, first.classes))


def _log_probabilities(graph: Graph, signal: str, network: Network) -> str:
    """(B, 1, classes), in double precision, so that averaging costs no digit."""
    logits = (network_logits if isinstance(network, DualRes) else views_logits)(graph, signal, network)  # type: ignore[operator]
    return graph.put("Unsqueeze", graph.put("LogSoftmax", graph.double(logits), axis=-1), [1])
