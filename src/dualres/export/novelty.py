"""What an export carries to notice that a recording is of none of the classes."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dualres.export.device_network import device_of, exported_kind, weights_in
from dualres.export.sets import sets_of
from dualres.judge.backends import Windows, weights_of
from dualres.judge.model import Model
from dualres.judge.trust.calibration import Calibration
from dualres.judge.trust.novelty import ORDER_WEIGHTS, WEIGHTS, between, distances
from dualres.judge.trust.standing import HZ, ORDER, Standing
from dualres.model.kinds import resolved
from dualres.model.views.order_weights import OrdersWeights
from dualres.model.views.weights import ViewsWeights
from dualres.utils.arrays import Exact, Floats

MOST_CLASSES = 256  # whose distances a device has room for


@dataclass(frozen=True)
class Familiar:
    """Beyond these means over its windows (`judge/trust/novelty.py`) a recording is unlike all that was labelled."""

    distance: float  # nats, the most; 0, which nothing exceeds, where no error rate can be stated
    spectrum: float  # nats, the most
    level: tuple[float, float]  # log of the rms, the least and the most


def familiar_of(model: Model) -> Familiar | None:
    """None where nothing is known: without a calibration, and of a kind that does not tell how its classes lie."""
    card = model.card
    if not card.calibration or exported_kind(model).between is None or len(card.classes) > MOST_CLASSES:
        return None
    calibration, sets = Calibration.parsed(card.calibration, card.classes), sets_of(card)
    most = calibration.doubt_limit(sets.unit, sets.error) if sets else None
    return Familiar(min(most or 0.0, 0.0), calibration.familiar["spectrum"][1], calibration.familiar["level"])


def standings_of(model: Model) -> tuple[Standing, Standing]:
    """How windows are compared with classes, on an axis of Hz and on one of orders."""
    usual, known = device_of(model).weights, model.standings
    return known.get(HZ, Standing(usual[0])), known.get(ORDER, Standing(usual[1]))


def likeness_of(model: Model, windows: Windows) -> Exact:
    """By NumPy, (windows, 2), of windows (windows, window) or (windows, axes, window): means over networks and axes."""
    by_axis = windows.reshape(len(windows), -1, windows.shape[-1]).swapaxes(0, 1)
    found = [
        distances(weights_of(member), of_axis, known=model.standings)
        for axis, of_axis in enumerate(by_axis)
        for member in model.members_of(axis)
    ]
    return np.asarray(np.mean(found, axis=0))


def between_classes(model: Model) -> Floats:
    """How classes lie around their middle, (networks, heads, classes, classes): lengths, then coordinates."""
    lying = resolved(exported_kind(model).between)
    return np.stack([lying(weights) for weights in weights_in(model)] if lying else [])


def lying_of(weights: ViewsWeights) -> Floats:
    """The same of one network of views, (heads, classes, classes)."""
    return _lying(weights, WEIGHTS)


def lying_of_orders(weights: OrdersWeights) -> Floats:
    """The same of one of orders: of spectra, and of its other heads on an axis of Hz and on one of orders."""
    spectra, *others = ORDER_WEIGHTS
    return _lying(weights, (spectra, *others, *(f"order_{name}" for name in others)))


def _lying(weights: ViewsWeights, names: Iterable[str]) -> Floats:
    heads = [between(weights, head) for head in names]
    return np.array([np.concatenate([head.lengths[None], head.across]) for head in heads], dtype=np.float32)
