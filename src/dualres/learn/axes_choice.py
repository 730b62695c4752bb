"""Whether the axes of recordings have a network each or share one, by what is held out."""

from collections.abc import Sequence

import numpy as np

from dualres.learn.estimate import Estimate, estimate
from dualres.learn.holdout import Rounds
from dualres.learn.interval import clearly_ahead
from dualres.learn.settings import FitSettings
from dualres.metrics import Evaluation
from dualres.model_file.card import APART, SHARED
from dualres.utils.progress import Progress, quiet


def estimate_both(
    settings: FitSettings, rounds: Rounds, *, stage: str = "Hold out", progress: Progress = quiet
) -> tuple[str, Estimate, str]:
    """Hold out the same with a network for each axis and with a shared one: which to take, its estimate, and why.

    A network each is taken unless the shared one is right clearly more often, recording by recording.
    """
    found = {
        APART: estimate(settings, rounds, axes=APART, stage=stage, progress=progress),
        SHARED: estimate(settings, rounds, axes=SHARED, stage=shared_stage(stage), progress=progress),
    }
    each, shared = (_right(found[axes].judged) for axes in (APART, SHARED))
    chosen = SHARED if clearly_ahead(shared, each) else APART
    ahead = "clearly ahead" if chosen == SHARED else "not clearly ahead"
    said = [f"{100 * float(np.mean(right)):.1f} %" for right in (each, shared)]
    why = f"axes: a network each is right on {said[0]} of what was held out, a shared one on {said[1]}"
    return chosen, found[chosen], f"{why}; the shared one is {ahead}"


def shared_stage(stage: str) -> str:
    """What the rounds of a shared network are called, where those of a network each are called `stage`."""
    return f"{stage}, one network for all axes"


def _right(judged: Sequence[Evaluation]) -> tuple[float, ...]:
    """1 for every recording that is named right, 0 for the others, in an order that depends on the rounds alone."""
    return tuple(
        float(max(range(len(scores)), key=scores.__getitem__) == truth)
        for one in judged
        for truth, scores in zip(one.truth, one.scores, strict=True)
    )
