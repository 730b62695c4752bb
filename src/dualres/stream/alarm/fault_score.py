"""How unhealthy a block looks to a model: what an alarm is told."""

from collections.abc import Collection, Mapping
from typing import Protocol

from dualres.errors import ConfigError
from dualres.judge.trust.calibration import NONE_OF_THESE, Answer


class VerdictLike(Protocol):
    """A verdict, or the event of a block."""

    @property
    def probabilities(self) -> Mapping[str, float]: ...
    @property
    def answer(self) -> Answer | None: ...


def fault_score(judged: VerdictLike, healthy_classes: Collection[str]) -> float:
    """From 0 to 2: the probability of everything but the healthy classes, and 1 more for *none of these*."""
    if not healthy_classes or not set(healthy_classes) <= set(judged.probabilities):
        known = ", ".join(judged.probabilities)
        raise ConfigError(f"healthy classes {', '.join(healthy_classes) or '(none)'}: name some of {known}")
    beyond = judged.answer is not None and judged.answer.kind == NONE_OF_THESE
    return 1 - sum(judged.probabilities[label] for label in healthy_classes) + beyond
