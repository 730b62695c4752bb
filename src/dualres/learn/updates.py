"""The updates of fits, told as progress."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from dualres.learn.history import Step
from dualres.machinery.progress import Progress


def steps_told(progress: Progress, stage: str, fits: int = 1) -> Callable[[Step, int], None]:
    """What `fit_network` calls after each update; updates of several fits count on."""
    done = count(1)

    def tell(step: Step, updates: int) -> None:
        progress(stage, next(done), fits * updates, f"loss {step.loss:.3f}")

    return tell
