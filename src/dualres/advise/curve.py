"""What more labels would bring: scores of held-out recordings by how many of each class were learned from.

The curve is taken in logits of the score and goes on straight in doublings of the labels. Few recordings tell its slope
poorly, so a quarter of the measured slope is used and three quarters of the usual one. That share, the usual slope and
how far curves stray from a straight line were set on simulated machines.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dualres.advise.features import Looks, Places
from dualres.errors import ConfigError
from dualres.learn.holdout import plan_rounds
from dualres.metrics import class_f1, confusion
from dualres.recordings.recording import Recording
from dualres.utils.progress import Progress, quiet

LEAST = 3  # recordings of every class, below which no curve is drawn
MOST = 16  # recordings of a class that are learned from
DRAWS = 2  # of the recordings to learn from, for every size and round
USUAL_SLOPE = 0.75  # of the score's logit, per doubling of the labels
TRUST = 0.25  # in the measured slope
STRAYING = 0.24  # standard deviation of the logit per doubling from the middle of the curve
NORMAL_80 = 1.2816  # standard deviations on either side that hold 80 %
Judge = Callable[[Places, Places], Places]  # what is learned from and what is judged, to the classes named


class CurveRefusedError(ConfigError):
    """Too few labels to say what more of them would bring."""


@dataclass(frozen=True)
class ExpectedScore:
    """A score that so many recordings per class are expected to have, in percent, with an interval of 80 %."""

    per_class: int
    score: float
    low: float
    high: float


@dataclass(frozen=True)
class LearningCurve:
    """Macro-F1 in percent of held-out recordings."""

    per_class: tuple[int, ...]  # recordings of each class that were learned from
    score: tuple[float, ...]
    judged: int  # recordings behind every score
    labelled: int  # recordings of the smallest class
    unit: str  # what was held out

    def expected(self, per_class: int) -> ExpectedScore:
        """At another number of recordings per class."""
        least = 1 / (2 * self.judged)  # what so many recordings cannot tell from none, or from all
        shares = np.clip(np.array(self.score) / 100, least, 1 - least)
        logits = np.log(shares / (1 - shares))
        doublings = np.log2(self.per_class)
        measured = np.polyfit(doublings, logits, 1)[0] if len(logits) > 1 else USUAL_SLOPE
        slope = TRUST * measured + (1 - TRUST) * USUAL_SLOPE
        further = np.log2(per_class) - doublings.mean()
        middle = logits.mean() + slope * further
        now = 1 / (1 + np.exp(-logits[-1]))
        spread = np.sqrt(1 / (self.judged * now * (1 - now)) + (STRAYING * further) ** 2)
        score, low, high = (_percent(middle + side * NORMAL_80 * spread, least) for side in (0.0, -1.0, 1.0))
        return ExpectedScore(per_class, score, low, high)


def learning_curve(recordings: Sequence[Recording], looks: Looks, progress: Progress = quiet) -> LearningCurve:
    """From labelled recordings and what is seen of them. An error below three recordings of a class."""
    classes = sorted({str(r.label) for r in recordings})
    labels = np.array([classes.index(str(r.label)) for r in recordings], dtype=np.int64)
    counts = np.bincount(labels, minlength=len(classes))
    if len(classes) < 2:
        raise CurveRefusedError("what more labels would bring is not known before two classes have three recordings")
    if counts.min() < LEAST:
        few = ", ".join(f"{name} has {n}" for name, n in zip(classes, counts, strict=True) if n < LEAST)
        raise CurveRefusedError(f"what more labels would bring is not known before every class has three: {few}")
    rounds = plan_rounds(recordings)
    held = [np.array([r.id in names for r in recordings]) for names in rounds.held_out]

    def judge(learned: Places, judged: Places) -> Places:
        return np.asarray(looks.probabilities(learned, labels[learned], len(classes), judged).argmax(1))

    sizes, scores = curve_of(labels, held, judge, progress)
    return LearningCurve(sizes, scores, int(sum(h.sum() for h in held)), int(counts.min()), rounds.unit)


def curve_of(
    labels: Places, held: Sequence[np.ndarray], judge: Judge, progress: Progress = quiet
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Sizes and scores, from labels 0 .. classes - 1 and, for every round, which recordings it holds out."""
    classes, rng = int(labels.max()) + 1, np.random.default_rng(0)
    most = min(MOST, *(int(np.bincount(labels[~out], minlength=classes).min()) for out in held))
    sizes = tuple(sorted({most, *(size for size in (1, 2, 4, 8) if size < most)}))
    scores, total = [], len(sizes) * DRAWS
    for step, size in enumerate(sizes):
        found = []
        for draw in range(DRAWS):
            progress("Draw the learning curve", step * DRAWS + draw, total, f"{size} of each class")
            matrix = np.zeros((classes, classes), dtype=np.int64)
            for out in held:
                of_class = (np.flatnonzero((labels == c) & ~out) for c in range(classes))
                learned = np.concatenate([rng.permutation(members)[:size] for members in of_class])
                judged = np.flatnonzero(out)
                matrix += confusion(labels[judged], judge(learned, judged), classes)
            found.append(100 * float(class_f1(matrix)[matrix.sum(1) > 0].mean()))  # over the classes that were judged
        scores.append(float(np.mean(found)))
    progress("Draw the learning curve", total, total, "")
    return sizes, tuple(scores)


def _percent(logit: float, least: float) -> float:
    """A share in percent; what cannot be told from none or from all is that."""
    share = 1 / (1 + np.exp(-logit))
    return float(100 * (0.0 if share <= least else 1.0 if share >= 1 - least else share))
