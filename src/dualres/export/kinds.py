"""The kinds of networks that devices can run, and what an export has to know of each."""

from dataclasses import dataclass

from dualres.file import Model
from dualres.kernel.pack import Floats, Weights, packed
from dualres.kernel.views import packed_views


@dataclass(frozen=True)
class Kind:
    """What differs between the paper's network and that of views, once it is C."""

    header: str  # in device/network
    kernel: str
    scratch: int  # bytes, DUALRES_SCRATCH_BYTES with one lane
    working_memory: int  # bytes that a stream's state may take besides its window
    logit_tolerance: float  # of the largest logit, or of one
    # Of a stream's probabilities. A device cannot know the mean of what is still to come, and by so little difference
    # a count may be rounded up or down.
    share_tolerance: float


PAPER = Kind("paper.h", "windows.c", 13 * 1024, 16 * 1024, 1e-5, 1e-3)
# Its heads magnify what rounding leaves of features that hardly differ within a class, and its modulation sees how the
# little fluctuates that resampling leaves above the device's own band.
VIEWS = Kind("views.h", "views.c", 23 * 1024, 32 * 1024, 1e-4, 1e-2)


def kind_of(model: Model) -> Kind:
    return PAPER if isinstance(model.weights, Weights) else VIEWS


def packed_for_c(model: Model) -> tuple[Floats, Floats]:
    """The constants and the head or heads of a model's only network, as its kernel takes them."""
    weights = model.weights
    return packed(weights) if isinstance(weights, Weights) else packed_views(weights)
