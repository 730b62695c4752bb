"""The kinds of networks that devices can run, and what an export has to know of each."""

from dataclasses import dataclass

from dualres.errors import ConfigError
from dualres.judge.backends import weights_of
from dualres.judge.model import Model
from dualres.kernel.pack import packed
from dualres.kernel.views import packed_views
from dualres.model.views.weights import ViewsWeights
from dualres.model.weights import Weights
from dualres.model_file.card import OURS
from dualres.utils.arrays import Floats


@dataclass(frozen=True)
class DeviceKind:
    """What differs between the paper's network and that of views, once it is C."""

    header: str  # in device/network
    kernel: str
    scratch: int  # bytes, DUALRES_SCRATCH_BYTES with one lane
    working_memory: int  # bytes that a stream's state may take besides its window
    logit_tolerance: float  # of the largest logit, or of one
    # Of a stream's probabilities. Where a device or Python does not multiply and add at once, its filter rounds
    # otherwise, and by so little difference a count may be rounded up or down.
    share_tolerance: float


PAPER = DeviceKind("paper.h", "windows.c", 13 * 1024, 16 * 1024, 1e-5, 1e-3)
# Its heads magnify what rounding leaves of features that hardly differ within a class, and its modulation sees how the
# little fluctuates that resampling leaves above the device's own band.
VIEWS = DeviceKind("views.h", "views.c", 23 * 1024, 32 * 1024, 1e-4, 1e-2)


def kind_of(model: Model) -> DeviceKind:
    return PAPER if isinstance(weights_in(model)[0], Weights) else VIEWS


def weights_in(model: Model) -> list[Weights | ViewsWeights]:
    """Those of each network; an error for a comparator, which has none."""
    if model.card.method not in OURS:
        raise ConfigError(
            f"only DualRes networks can be exported, and this model is of the method {model.card.method}; "
            "fit one with dualres fit"
        )
    return [weights_of(member) for member in model.members]


def axes_in(model: Model) -> int:
    """Signals that the model judges together."""
    return max(1, len(model.card.channels))


def packed_for_c(model: Model) -> list[tuple[Floats, Floats]]:
    """The constants and the head or heads of each network, as its kernel takes them."""
    return [packed(one) if isinstance(one, Weights) else packed_views(one) for one in weights_in(model)]
