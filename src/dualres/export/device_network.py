"""What exports have to know of a kind of network."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from dualres.errors import ConfigError
from dualres.judge.backends import weights_of
from dualres.judge.model import Model
from dualres.judge.trust.novelty import ORDER_WEIGHTS, WEIGHTS
from dualres.kernel.orders import packed_orders
from dualres.kernel.pack import packed
from dualres.kernel.views import packed_views
from dualres.model.kinds import NetworkKind, Part, resolved
from dualres.model.weights import NetworkWeights
from dualres.utils.arrays import Floats

T = TypeVar("T")


@dataclass(frozen=True)
class DeviceNetwork:
    """What differs from kind to kind, once it is C."""

    header: str  # in device/network
    kernel: str
    scratch: int  # bytes, DUALRES_SCRATCH_BYTES with one lane
    working_memory: int  # bytes that a stream's state may take besides its window
    logit_tolerance: float  # of the largest logit, or of one
    # Of a stream's probabilities. Where a device or Python does not multiply and add at once, its filter rounds
    # otherwise, and by so little difference a count may be rounded up or down.
    share_tolerance: float
    pack: Callable[[Any], tuple[Floats, Floats]]  # weights to constants and head or heads, as the kernel has them
    told: int = 0  # bytes of a stream's state for what it is told: the speed of a shaft
    beside: tuple[str, ...] = ()  # files in device/ that no other kind needs
    # How much heads count where windows are compared with what was labelled, on an axis of Hz and on one of orders.
    weights: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())


@dataclass(frozen=True)
class GraphNetwork:
    """The same of an ONNX graph."""

    # (graph, signal, network, between) to the names of logits and likeness; see `export.model_graph`. That of a kind
    # that knows orders takes the name of the windows' speeds, too: speed=.
    judged: Part[Callable[..., tuple[str, list[str]]]]
    logit_tolerance: float  # of the largest logit, or of one
    tells_likeness: bool = True  # where a model knows what is familiar


PAPER_DEVICE = DeviceNetwork(
    *("paper.h", "windows.c"),
    scratch=13 * 1024,
    working_memory=16 * 1024,
    logit_tolerance=1e-5,
    share_tolerance=1e-3,
    pack=packed,
)
# Its heads magnify what rounding leaves of features that hardly differ within a class, and its modulation sees how the
# little fluctuates that resampling leaves above the device's own band.
VIEWS_DEVICE = DeviceNetwork(
    *("views.h", "views.c"),
    scratch=23 * 1024,
    working_memory=32 * 1024,
    logit_tolerance=1e-4,
    share_tolerance=1e-2,
    pack=packed_views,
    weights=(tuple(WEIGHTS.values()), tuple(WEIGHTS.values())),
)
ORDERS_DEVICE = DeviceNetwork(
    *("orders.h", "orders.c"),
    scratch=27_776,
    working_memory=32 * 1024,
    logit_tolerance=1e-4,
    share_tolerance=1e-2,
    pack=packed_orders,
    told=4,
    beside=("search.h",),
    weights=(tuple(ORDER_WEIGHTS.values()), tuple(ORDER_WEIGHTS.values())),
)
PAPER_GRAPH = GraphNetwork("dualres.export.network_graph:judged", logit_tolerance=1e-5)
VIEWS_GRAPH = GraphNetwork("dualres.export.views_graph:judged", logit_tolerance=1e-4)
ORDERS_GRAPH = GraphNetwork("dualres.export.orders_graph:judged", logit_tolerance=1e-4, tells_likeness=False)


def device_of(model: Model) -> DeviceNetwork:
    """What an export to C knows of a model's kind; an error for what no device can run."""
    kind = exported_kind(model)
    found: DeviceNetwork = _brought(kind, kind.device, "for devices")
    return found


def graph_of(model: Model) -> GraphNetwork:
    """The same of an export to ONNX."""
    kind = exported_kind(model)
    found: GraphNetwork = _brought(kind, kind.graph, "for ONNX")
    return found


def exported_kind(model: Model) -> NetworkKind:
    """A model's kind; an error for a comparator."""
    if model.card.kind is None:
        raise ConfigError(
            f"only DualRes networks can be exported, and this model is of the method {model.card.method}; "
            "fit one with dualres fit"
        )
    return model.card.kind


def _brought(kind: NetworkKind, part: Part[T] | None, target: str) -> T:
    if part is None:
        raise ConfigError(
            f"a {kind.title} cannot be exported: its kind, {kind.method}, brings nothing {target}; "
            "fit another with dualres fit"
        )
    return resolved(part)


def weights_in(model: Model) -> list[NetworkWeights]:
    """Those of each network; an error for a comparator."""
    exported_kind(model)
    return [weights_of(member) for member in model.members]


def axes_in(model: Model) -> int:
    """Signals that the model judges together."""
    return max(1, len(model.card.channels))


def packed_for_c(model: Model) -> list[tuple[Floats, Floats]]:
    """The constants and the head or heads of each network, as its kernel takes them."""
    return list(map(device_of(model).pack, weights_in(model)))
