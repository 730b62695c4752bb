"""How surprising each class may be to belong to a set, by what was held out of it and of classes like it.

Classes are put into groups by how many units were held out of them, before any score is looked at. Each group has a
limit of its own, by its own units alone. So the rate holds within every group, and rare classes do not lean on common
ones that are easier to tell.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from dualres.judge.trust.conformal import limit, rank

ROUNDED = 0.2  # of the error rate: by so much a class's own limit may be kept better than asked, for want of units

Scores = Mapping[str, Mapping[str, Sequence[float]]]  # by class, by unit


def class_limits(classes: Sequence[str], scores: Scores, error: float, sure: float | None) -> list[float] | None:
    """The limit of every class; None where too few units were held out to state the rate of all of them."""
    alone = [label for label in classes if _alone(len(scores.get(label, ())), error, sure)]
    alone.sort(key=lambda label: -len(scores[label]))
    together = [label for label in classes if label not in alone]
    while (k := rank(len(_units(together, scores)), error, sure)) is None and together and alone:
        together.append(alone.pop())
    if together and k is None:
        return None
    groups = [[label] for label in alone] + ([together] if together else [])
    found: dict[str, float] = {}
    for group in groups:
        units = _units(group, scores)
        own = rank(len(units), error, sure)
        assert own is not None
        found |= dict.fromkeys(group, limit(units, own))
    return [found[label] for label in classes]


def _alone(units: int, error: float, sure: float | None) -> bool:
    """Whether a class has a limit of its own: where one of its units may lie beyond it, and few more than asked lie
    within."""
    k = rank(units, error, sure)
    if k is None or k == units:
        return False
    return sure is not None or k / (units + 1) <= 1 - (1 - ROUNDED) * error


def _units(group: Sequence[str], scores: Scores) -> list[list[float]]:
    """The scores of each unit of some classes; a unit may be of several."""
    units: dict[str, list[float]] = defaultdict(list)
    for label in group:
        for unit, own in scores.get(label, {}).items():
            units[unit] += own
    return list(units.values())
