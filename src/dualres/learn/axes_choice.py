"""Whether the axes of recordings have a network each or share one, by what is held out."""

from collections.abc import Sequence
from typing import Any

from dualres.learn.estimate import Estimate, estimate
from dualres.learn.holdout import Rounds
from dualres.learn.trained.tune import Candidate, first_unless_clearly_behind
from dualres.metrics import Evaluation
from dualres.model_file.card import APART, SHARED
from dualres.recordings.recording import Recording


def estimate_both(
    recordings: Sequence[Recording], rounds: Rounds, classes: Sequence[str], *, stage: str = "Hold out", **learning: Any
) -> tuple[str, Estimate, str]:
    """Hold out the same with a network for each axis and with a shared one: which to take, its estimate, and why.

    A network each is taken unless the shared one is right clearly more often, recording by recording.
    """
    found = {APART: estimate(recordings, rounds, classes, **learning, axes=APART, stage=stage)}
    found[SHARED] = estimate(recordings, rounds, classes, **learning, axes=SHARED, stage=shared_stage(stage))
    right = [Candidate(name, learning["recipe"], _right(one.judged)) for name, one in found.items()]
    chosen = first_unless_clearly_behind(right).name
    each, shared = (f"{100 * one.mean:.1f} %" for one in right)
    taken = "the shared one is clearly ahead" if chosen == SHARED else "the shared one is not clearly ahead"
    why = f"axes: a network each is right on {each} of what was held out, a shared one on {shared}; {taken}"
    return chosen, found[chosen], why


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
