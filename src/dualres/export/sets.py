"""What an export carries of a model's promises: the limits of sets of classes and of names, at one error rate."""

from dataclasses import dataclass
from math import isfinite

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


@dataclass(frozen=True)
class Names:
    """Of what is named a share of `error` at most is wrong, for another unit of the kind held out."""

    error: float
    unit: str
    margins: tuple[float | None, ...]  # of every class, nats: it must lie further ahead; None for never


def names_of(card: Card, error: float = ERROR) -> Names | None:
    """The limits beside those of sets; None where nothing can be named."""
    if (sets := sets_of(card, error)) is None:
        return None
    limits = Calibration.parsed(card.calibration, card.classes).name_limits(sets.unit, error)
    margins = [by if isfinite(by) else None for by in limits or ()]
    return Names(error, sets.unit, tuple(margins)) if margins else None
