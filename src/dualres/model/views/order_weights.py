"""A network of orders without PyTorch."""

from collections.abc import Mapping
from typing import TypeVar

from dualres.config import ORDER_SIZES, VIEW_SIZES, ModelConfig
from dualres.model.kinds import ORDERS
from dualres.model.views.weights import ViewsWeights, head_shapes

T = TypeVar("T")

# The heads that judge together, on an axis of Hz and on one of orders.
BY_HZ = ("spectra", "modulation", "envelope", "modulation_moved", "envelope_moved")
BY_ORDER = ("spectra", "order_modulation", "order_envelope")


class OrdersWeights(ViewsWeights):
    """Its frames, the tensors of its heads, and which speeds were labelled."""

    kind = ORDERS.method

    @property
    def speeds_hz(self) -> tuple[float, float] | None:
        """The slowest and the fastest shaft that was labelled; None where speeds were not known."""
        low, high = self.arrays["speeds"].tolist()
        return (low, high) if low > 0 else None


def view_of(head: str, views: Mapping[str, T]) -> T:
    """What a head takes, of views by their names."""
    return views[head.removeprefix("order_").removesuffix("_moved")]


def orders_shapes(config: ModelConfig, classes: int) -> dict[str, tuple[int, ...]]:
    """The names of a network's tensors in a file, and their shapes."""
    return {**head_shapes(ORDER_SIZES.features(config), classes, VIEW_SIZES.rank), "speeds": (2,)}
