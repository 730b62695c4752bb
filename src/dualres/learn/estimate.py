"""What to expect on a machine that was not learned from, estimated from the labelled recordings alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dualres.config import POLYPHASE, Recipe
from dualres.file import APART
from dualres.learn.evaluate import evaluate
from dualres.learn.fit import fit_recordings
from dualres.learn.history import fits_of, steps_told
from dualres.learn.holdout import Rounds
from dualres.machinery.progress import Progress, quiet
from dualres.metrics import Counts, Evaluation, macro_f1
from dualres.recordings.recording import Recording


@dataclass(frozen=True)
class Estimate:
    """Recordings judged by models that had not learned from their unit."""

    judged: tuple[Evaluation, ...]  # one per round
    unit: str
    remarks: tuple[str, ...]

    @property
    def rounds(self) -> int:
        return len(self.judged)

    @property
    def confusion(self) -> Counts:
        """Over all held-out recordings."""
        total: Counts = np.sum([one.confusion for one in self.judged], axis=0)
        return total

    @property
    def macro_f1(self) -> float:
        """Over all held-out recordings."""
        return _score(self.confusion)

    @property
    def spread(self) -> float:
        """Standard deviation of macro-F1 over the rounds."""
        return float(np.std([_score(one.confusion) for one in self.judged], ddof=1))

    def as_score(self) -> dict[str, float]:
        """What a card tells of it."""
        return {"macro_f1": self.macro_f1, "spread": self.spread, "rounds": float(self.rounds)}


def estimate(
    recordings: Sequence[Recording],
    rounds: Rounds,
    classes: Sequence[str],
    *,
    windows_each: int,
    recipe: Recipe | None,
    seed: int,
    members: int = 1,
    axes: str = APART,
    resampler: str = POLYPHASE,
    device: str = "cpu",
    progress: Progress = quiet,
) -> Estimate:
    """Fit once per round, as many members as the model will have, and judge what the round holds out.

    `axes` is as for `fit_recordings`.
    """
    judged = []
    for number, held in enumerate(rounds.held_out, start=1):
        known, stage = (
            [r for r in recordings if r.id not in held],
            f"Hold out, round {number} of {len(rounds.held_out)}",
        )
        if recipe is None:  # views tell of no updates
            progress(stage, 0, 1, "")
        model, _ = fit_recordings(
            known,
            [str(r.label) for r in known],
            classes,
            windows_each=windows_each,
            resampler=resampler,
            recipe=recipe,
            seed=seed,
            members=members,
            axes=axes,
            device=device,
            progress=steps_told(progress, stage, fits_of(known, members, axes)),
        )
        if recipe is None:
            progress(stage, 1, 1, "")
        unseen = [r for r in recordings if r.id in held]
        judged.append(evaluate(model, unseen))
    return Estimate(tuple(judged), rounds.unit, rounds.remarks)


def _score(matrix: Counts) -> float:
    """Macro-F1 over the classes that were judged; a class that could not be held out has nothing to say."""
    judged = matrix.sum(1) > 0
    share = float(judged.mean())
    return macro_f1(matrix) / share if share else 0.0
