"""How the held-out recordings would be answered, and whether their stated probabilities hold; nothing is fitted."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dualres.judge.trust.calibration import Answer, Calibration, known_of
from dualres.learn.estimate import Estimate, HeldOut
from dualres.recordings.recording import Recording

BINS = 5  # of stated probabilities, equally wide


@dataclass(frozen=True)
class HeldOutAnswer:
    """A held-out recording with the answer that the finished model would give to such scores."""

    held: HeldOut
    answer: Answer

    @property
    def stated(self) -> float:
        """The probability of the verdict, as the network says it."""
        return self.held.probabilities[self.held.verdict]

    @property
    def calibrated(self) -> float:
        """The same after the temperature."""
        return self.stated if self.answer.probability is None else self.answer.probability

    @property
    def right(self) -> bool:
        return self.held.verdict == self.held.label


@dataclass(frozen=True)
class Bin:
    """Verdicts that were stated with about the same probability."""

    low: float  # of what may be stated
    high: float
    stated: float  # the mean
    right: int
    count: int


def answered(estimate: Estimate, recordings: Sequence[Recording], calibration: Calibration) -> list[HeldOutAnswer]:
    """Every held-out recording, by the scores that its model gave it and by what `calibration` makes of them."""
    known = {r.id: known_of(r) for r in recordings}
    found = []
    for one in estimate.held:
        scores = [one.probabilities[label] for label in calibration.classes]
        look = estimate.looks[one.round - 1][one.recording]
        found.append(HeldOutAnswer(one, calibration.answer(scores, look, known[one.recording])))
    return found


def bins_of(stated: Sequence[float], right: Sequence[bool]) -> list[Bin]:
    """Those that are not empty, in their order."""
    edges = np.linspace(0, 1, BINS + 1)
    number = np.clip(np.ceil(np.asarray(stated) * BINS - 1e-9).astype(int) - 1, 0, BINS - 1)
    found = []
    for i in range(BINS):
        own = number == i
        if own.any():
            mean, correct = float(np.mean(np.asarray(stated)[own])), int(np.asarray(right)[own].sum())
            found.append(Bin(float(edges[i]), float(edges[i + 1]), mean, correct, int(own.sum())))
    return found
