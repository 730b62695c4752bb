"""How like the labelled windows others are, as an ONNX graph; the steps of `judge/trust/novelty.py`."""

from collections.abc import Sequence

import numpy as np

from dualres.config import SMALLEST_DISTANCE
from dualres.export.graph import Graph
from dualres.judge.trust.standing import Standing
from dualres.utils.arrays import Floats

Compared = tuple[Floats, Standing]  # how the classes of each head lie, (heads, classes, classes), and what they count


def likeness(graph: Graph, distances: Sequence[str], between: Floats, standing: Standing) -> str:
    """Squared distances (B, classes) of each head to what `judge/trust/novelty.py` says of them, (B, 2), in double
    precision. `between` is how the classes of each head lie, (heads, classes, classes)."""
    logs = []
    for distance, weight, of_head in zip(distances, standing.weights, between, strict=True):
        left = graph.put("Max", _told(graph, distance, of_head), _constant(graph, [SMALLEST_DISTANCE]))
        logs.append(graph.put("Mul", graph.put("Log", left), _constant(graph, [weight])))
    told = graph.put("Sum", *logs)
    unusual = graph.put("Sub", told, _constant(graph, standing.usual)) if standing.usual else told
    stands_out = graph.put("Sub", graph.put("ReduceMin", unusual, axes=[1]), graph.put("ReduceMean", told, axes=[1]))
    return graph.put("Concat", stands_out, graph.put("Log", graph.put("ReduceMin", distances[0], axes=[1])), axis=1)


def _told(graph: Graph, distance: str, of_head: Floats) -> str:
    lengths, across = of_head[0].astype(np.float64), of_head[1:].astype(np.float64)
    middle = graph.put("ReduceMean", distance, axes=[1])
    off = graph.put("Sub", graph.put("Sub", distance, middle), _constant(graph, lengths - lengths.mean()))
    along = graph.put("MatMul", off, _constant(graph, across.T / -2))
    inside = graph.put("ReduceSum", graph.put("Mul", along, along), [1])
    same = graph.put("Sub", graph.put("Sub", middle, inside), _constant(graph, [lengths.mean()]))
    unseen = graph.put("Mul", graph.put("Max", same, _constant(graph, [0.0])), _constant(graph, [1 - 1 / len(across)]))
    return graph.put("Sub", distance, unseen)


def _constant(graph: Graph, values: Sequence[float] | np.ndarray) -> str:
    return graph.double(graph.put("Identity", np.asarray(values, np.float64)))
