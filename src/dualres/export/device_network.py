"""What an export has to know of a kind of network."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dualres.errors import ConfigError
from dualres.judge.backends import weights_of
from dualres.judge.model import Model
from dualres.kernel.pack import packed
from dualres.kernel.views import packed_views
from dualres.model.kinds import Part, resolved
from dualres.model.weights import NetworkWeights
from dualres.utils.arrays import Floats


@dataclass(frozen=True)
class DeviceNetwork:
    """What differs from kind to kind, once it is C or an ONNX graph."""

    header: str  # in device/network
    kernel: str
    scratch: int  # bytes, DUALRES_SCRATCH_BYTES with one lane
    working_memory: int  # bytes that a stream's state may take besides its window
    logit_tolerance: float  # of the largest logit, or of one
    # Of a stream's probabilities. Where a device or Python does not multiply and add at once, its filter rounds
    # otherwise, and by so little difference a count may be rounded up or down.
    share_tolerance: float
    pack: Callable[[Any], tuple[Floats, Floats]]  # weights to constants and head or heads, as the kernel has them
    # (graph, signal, network, between) to the names of logits and likeness; see `export.model_graph`.
    graph: Part[Callable[..., tuple[str, list[str]]]]
    # How classes lie around their middle, (heads, classes, classes), where what is unlike all of them can be noticed.
    between: Part[Callable[[Any], Floats]] | None = None


PAPER_DEVICE = DeviceNetwork(
    *("paper.h", "windows.c"),
    scratch=13 * 1024,
    working_memory=16 * 1024,
    logit_tolerance=1e-5,
    share_tolerance=1e-3,
    pack=packed,
    graph="dualres.export.network_graph:judged",
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
    graph="dualres.export.views_graph:judged",
    between="dualres.export.novelty:lying_of",
)


def device_of(model: Model) -> DeviceNetwork:
    """What an export knows of a model's kind; an error for a comparator, and for a kind that no device can run."""
    kind = model.card.kind
    if kind is None:
        raise ConfigError(
            f"only DualRes networks can be exported, and this model is of the method {model.card.method}; "
            "fit one with dualres fit"
        )
    if kind.device is None:
        raise ConfigError(
            f"a {kind.title} cannot be exported: its kind, {kind.method}, brings nothing for devices; "
            "fit another with dualres fit"
        )
    found: DeviceNetwork = resolved(kind.device)
    return found


def weights_in(model: Model) -> list[NetworkWeights]:
    """Those of each network; an error where none can be exported."""
    device_of(model)
    return [weights_of(member) for member in model.members]


def axes_in(model: Model) -> int:
    """Signals that the model judges together."""
    return max(1, len(model.card.channels))


def packed_for_c(model: Model) -> list[tuple[Floats, Floats]]:
    """The constants and the head or heads of each network, as its kernel takes them."""
    return list(map(device_of(model).pack, weights_in(model)))
