"""What to expect on a machine that was not learned from, estimated from the labelled recordings alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dualres.config import Recipe
from dualres.judge import diagnose_recording
from dualres.learn.fit import Step, fit_recordings
from dualres.learn.holdout import Rounds
from dualres.metrics import Counts, confusion, macro_f1
from dualres.recordings.recording import Recording
from dualres.recordings.resample import POLYPHASE

Progress = Callable[[int, int, Step, int], None]  # round, rounds, the step just made, steps in a round


@dataclass(frozen=True)
class Estimate:
    """Scores of recordings judged by models that had not learned from their unit."""

    macro_f1: float  # over all held-out recordings
    spread: float  # standard deviation over the rounds
    rounds: int
    unit: str
    confusion: Counts
    remarks: tuple[str, ...]


def estimate(
    recordings: Sequence[Recording],
    rounds: Rounds,
    classes: Sequence[str],
    *,
    windows_each: int,
    recipe: Recipe,
    seed: int,
    members: int = 1,
    resampler: str = POLYPHASE,
    progress: Progress | None = None,
) -> Estimate:
    """Fit once per round, as many members as the model will have, and judge what the round holds out."""
    total = np.zeros((len(classes), len(classes)), dtype=np.int64)
    scores = []
    for number, held in enumerate(rounds.held_out, start=1):
        known = [r for r in recordings if r.id not in held]
        model, _ = fit_recordings(
            known,
            [str(r.label) for r in known],
            classes,
            windows_each=windows_each,
            resampler=resampler,
            recipe=recipe,
            seed=seed,
            members=members,
            progress=_in_round(progress, number, len(rounds.held_out)),
        )
        unseen = [r for r in recordings if r.id in held]
        verdicts = [classes.index(diagnose_recording(model, r).label) for r in unseen]
        matrix = confusion([classes.index(str(r.label)) for r in unseen], verdicts, len(classes))
        scores.append(_score(matrix))
        total += matrix
    spread = float(np.std(scores, ddof=1))
    return Estimate(_score(total), spread, len(scores), rounds.unit, total, rounds.remarks)


def _in_round(progress: Progress | None, number: int, rounds: int) -> Callable[[Step, int], None] | None:
    if progress is None:
        return None
    return lambda step, steps: progress(number, rounds, step, steps)


def _score(matrix: Counts) -> float:
    """Macro-F1 over the classes that were judged; a class that could not be held out has nothing to say."""
    judged = matrix.sum(1) > 0
    share = float(judged.mean())
    return macro_f1(matrix) / share if share else 0.0
