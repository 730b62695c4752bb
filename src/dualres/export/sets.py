"""What an export carries of a model's promises: the limits of sets of classes at one error rate."""

from dataclasses import dataclass

from dualres.judge.trust.calibration import ERROR, Calibration
from dualres.model_file.card import Card


@dataclass(frozen=True)
class Sets:
    """The truth is one of a set of classes, but for a share of `error`, for another unit of the kind held out."""

    error: float
    unit: str
    limits: tuple[float, ...]  # of every class, nats: by how much another one may be preferred


def sets_of(card: Card, error: float = ERROR) -> Sets | None:
    """The limits for the hardest unit that has enough of them; None where nothing can be promised."""
    if not card.calibration:
        return None
    asked, why_not = Calibration.parsed(card.calibration, card.classes).asked({}, error=error)
    limits = asked.limits(asked.unit, error)
    return None if why_not or limits is None else Sets(error, asked.unit, tuple(limits))
