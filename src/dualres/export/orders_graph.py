"""The network of orders as an ONNX graph: the steps of `dualres.model.views.order_network`, for B windows.

There is no search among speeds: whoever looks for one calls the graph at several.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from dualres.config import (
    HALF_SWING_HZ,
    HEARD_MAGNITUDE,
    LEAST_MAGNITUDE,
    LINE_GAIN,
    ORDER_SIZES,
    VIEW_SIZES,
    ModelConfig,
)
from dualres.errors import ConfigError
from dualres.export.envelope_graph import envelope_spectrum
from dualres.export.graph import Graph
from dualres.export.spectra_graph import powers, refuse_cut_hops
from dualres.export.views_graph import distances, mean_spectra, once, strengths, told
from dualres.model.discriminant import Discriminant
from dualres.model.views.envelope import line_hz
from dualres.model.views.envelope import transform_length as envelope_length
from dualres.model.views.modulation import frame_rate
from dualres.model.views.order_modulation import passed, transform_length
from dualres.model.views.order_network import OrdersNetwork
from dualres.model.views.order_weights import BY_HZ, BY_ORDER, view_of
from dualres.utils.arrays import Exact


def judged(graph: Graph, signal: str, network: OrdersNetwork, between: None, *, speed: str) -> tuple[str, list[str]]:
    """Normalised windows (B, window) to log-probabilities (B, classes); the shafts turn at `speed` (B,) Hz, which is 0
    or NaN where it is not known."""
    learned = bool(network.speeds[0] > 0)  # otherwise no speed is ever known
    known = graph.put("Greater", speed, [0.0 if learned else math.inf])
    hz = graph.double(graph.put("Where", known, speed, [ORDER_SIZES.usual_hz]))
    known = graph.put("Unsqueeze", known, [1])
    views = _views(graph, signal, network.config, hz)
    said = _mean_of(graph, views, network, BY_HZ)
    if learned:
        said = graph.put("Where", known, _mean_of(graph, views, network, BY_ORDER), said)
    return graph.single(said), []


def _mean_of(graph: Graph, views: Mapping[str, str], network: OrdersNetwork, heads: Sequence[str]) -> str:
    """The logarithm of the mean of what heads say, (B, classes), in double precision."""
    each = [graph.put("Unsqueeze", _of_head(graph, view_of(name, views), network.heads[name]), [1]) for name in heads]  # type: ignore[arg-type]
    together = graph.put("ReduceLogSumExp", graph.put("Concat", *each, axis=1), axes=[1], keepdims=0)
    return graph.put("Sub", together, graph.exactly([math.log(len(heads))]))


def _views(graph: Graph, signal: str, config: ModelConfig, hz: str) -> dict[str, str]:
    """What the heads take, of shafts that turn at `hz` (B,) in double precision, (B, features) each."""
    refuse_cut_hops(config)
    if config.hop % 2:
        raise ConfigError(f"hop={config.hop}: ONNX export needs an even one")
    spectra, swings = mean_spectra(graph, signal, config), _bank(graph, signal, config)
    lines = envelope_spectrum(graph, signal, config)
    modulation, envelope = _order_modulation(graph, swings, hz), _order_envelope(graph, lines, hz, config)
    return {"spectra": spectra, "modulation": modulation, "envelope": envelope}


def _of_head(graph: Graph, view: str, head: Discriminant) -> str:
    """Log-probabilities of a view (B, features), (B, classes), in double precision."""
    return graph.put("LogSoftmax", told(graph, distances(graph, view, head), head), axis=-1)


def _bank(graph: Graph, signal: str, config: ModelConfig) -> str:
    """How far every oscillator swings in each band, RMS over the frames, (B, bands, bank), in double precision: what it
    passes of a spectrum may be a small difference of large sums."""
    strength, count = strengths(graph, signal, config)
    strength = graph.double(strength)
    mean = graph.put("ReduceMean", strength, axes=[2])
    squared = graph.put("Mul", mean, mean)
    heard = graph.put("Div", squared, graph.put("Add", squared, graph.exactly([HEARD_MAGNITUDE**2])))
    least = graph.put("Add", mean, graph.exactly([LEAST_MAGNITUDE]))
    driven = graph.put("Mul", graph.put("Div", graph.put("Sub", strength, mean), least), heard)
    length = transform_length(count)
    power, bins = powers(graph, graph.put("Pad", driven, [0, 0, 0, 0, 0, length - count]), length, double=True)
    through = once(bins, passed(count, frame_rate(config)).numpy() / count)
    energy = graph.put("Max", graph.put("MatMul", power, graph.exactly(through)), graph.exactly([0.0]))
    return graph.put("Reshape", graph.put("Sqrt", energy), [-1, VIEW_SIZES.bands, ORDER_SIZES.bank])


def _order_modulation(graph: Graph, swings: str, hz: str) -> str:
    """Swings (B, bands, bank) to (B, bands * orders)."""
    at = _multiples(graph, hz, np.array(ORDER_SIZES.axis(ORDER_SIZES.oscillators)) / ORDER_SIZES.bank_hz[0])
    places = graph.put("Div", graph.put("Log", at), graph.exactly([ORDER_SIZES.bank_step]))
    read = _reading(graph, swings, places, (VIEW_SIZES.bands, ORDER_SIZES.bank))
    rate = graph.put("Unsqueeze", graph.put("Div", hz, graph.exactly([HALF_SWING_HZ])), [1, 2])
    logs = _log_of_one_more(graph, graph.put("Mul", read, rate))
    return graph.put("Reshape", logs, [-1, VIEW_SIZES.bands * ORDER_SIZES.oscillators])


def _order_envelope(graph: Graph, lines: str, hz: str, config: ModelConfig) -> str:
    """Lines (B, bins) to (B, lines)."""
    sizes = ORDER_SIZES
    at = _multiples(graph, hz, np.array(sizes.axis(sizes.lines * sizes.near)) / line_hz(config))
    one_row = graph.put("Unsqueeze", graph.double(lines), [1])
    read = _reading(graph, one_row, at, (1, envelope_length(config) // 2))
    logs = _log_of_one_more(graph, graph.put("Mul", read, graph.exactly([LINE_GAIN])))
    return graph.put("ReduceMax", graph.put("Reshape", logs, [-1, sizes.lines, sizes.near]), axes=[2], keepdims=0)


def _multiples(graph: Graph, hz: str, times: Exact) -> str:
    """Of `hz` (B,), so many times: (B, times)."""
    return graph.put("Mul", graph.put("Unsqueeze", hz, [1]), graph.exactly(times))


def _log_of_one_more(graph: Graph, values: str) -> str:
    return graph.put("Log", graph.put("Add", values, graph.exactly([1.0])))


def _reading(graph: Graph, values: str, at: str, shape: tuple[int, int]) -> str:
    """Values (B, rows, points) between two neighbouring points at the places `at` (B, readings): (B, rows, readings).
    Beyond the last point they are zero."""
    rows, points = shape
    last = points - 1
    at = graph.put("Unsqueeze", at, [1])
    inside = graph.put("Min", graph.put("Max", at, graph.exactly([0.0])), graph.exactly([last]))
    lower = graph.put("Min", graph.put("Floor", inside), graph.exactly([last - 1]))
    # The same places in every row.
    index = graph.put("Add", graph.whole(lower), np.zeros((rows, 1), np.int64))
    share = graph.put("Sub", inside, lower)
    one, next_one = (graph.put("GatherElements", values, i, axis=2) for i in (index, graph.put("Add", index, [1])))
    between = graph.put("Add", one, graph.put("Mul", graph.put("Sub", next_one, one), share))
    return graph.put("Where", graph.put("LessOrEqual", at, graph.exactly([last])), between, graph.exactly([0.0]))
