"""Comparing methods honestly: paired differences with an interval, and ranks where there are enough datasets.

Two methods form a pair where both were fitted with the same fold, budget and seed and judged on the same recordings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import numpy.typing as npt
from scipy import stats

from dualres.benchmark.ledger import Outcome
from dualres.benchmark.names import dataset_name
from dualres.benchmark.protocol import Budget
from dualres.benchmark.results import Entry, Results, percent_f1
from dualres.benchmark.studies import RIG

REFERENCE = "dualres"
RESAMPLES = 2000
LEVEL = 0.95
ENOUGH_DATASETS = 5  # for ranks to mean anything

Reals = npt.NDArray[np.float64]
Pair = tuple[Outcome, Outcome]


@dataclass(frozen=True)
class Difference:
    """Macro-F1 of `method` minus that of `other`, in percentage points."""

    dataset: str
    budget: Budget
    method: str
    other: str
    pairs: tuple[tuple[Entry, Entry], ...]  # of equal fold and seed
    mean: float
    low: float
    high: float

    @property
    def decided(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Ranks:
    """Mean ranks over datasets, 1 the best; ranks further apart than the critical difference differ."""

    methods: tuple[str, ...]
    average_ranks: tuple[float, ...]
    datasets: tuple[str, ...]
    statistic: float  # of Friedman's test
    p: float
    critical_difference: float  # Nemenyi's, at 5 %


def paired_differences(results: Results, reference: str = REFERENCE) -> list[Difference]:
    """The reference minus every other method, per dataset and budget, over all pairs of folds and seeds there are."""
    jobs = [entry.job for entry in results.entries]
    places = dict.fromkeys((job.dataset, job.budget) for job in jobs)
    others = dict.fromkeys(job.method for job in jobs if job.method != reference)
    found = []
    for dataset in results.datasets():
        for budget in (budget for name, budget in places if name == dataset):
            ours = {
                (e.job.fold, e.job.seed): e for e in results.where(dataset=dataset, budget=budget, method=reference)
            }
            for other in others:
                theirs = results.where(dataset=dataset, budget=budget, method=other)
                pairs = [(ours[place], e) for e in theirs if (place := (e.job.fold, e.job.seed)) in ours]
                if pairs:
                    found.append(_difference(dataset, budget, reference, other, pairs))
    return found


def _difference(
    dataset: str, budget: Budget, method: str, other: str, pairs: Sequence[tuple[Entry, Entry]]
) -> Difference:
    pairs = sorted(pairs, key=lambda pair: (pair[0].job.fold, pair[0].job.seed))
    outcomes = [(one.outcome, two.outcome) for one, two in pairs]
    differences = [percent_f1(one) - percent_f1(two) for one, two in outcomes]
    low, high = interval(outcomes, f"{dataset} {budget.recordings}x{budget.windows} {method} {other}")
    return Difference(dataset, budget, method, other, tuple(pairs), float(np.mean(differences)), low, high)


def interval(pairs: Sequence[Pair], name: str) -> tuple[float, float]:
    """The 95 % percentile interval of the mean difference in macro-F1, in percentage points.

    A hierarchical bootstrap: pairs are drawn with replacement, and within each drawn pair recordings of every true
    class are drawn with replacement, the same ones for both methods. The name of the comparison seeds the draws, so
    that an interval does not depend on what else was compared.
    """
    rng = np.random.default_rng(int(sha256(name.encode()).hexdigest()[:16], 16))
    drawn = rng.integers(len(pairs), size=(RESAMPLES, len(pairs)))
    differences = np.empty(drawn.shape)
    for number, pair in enumerate(pairs):
        places = drawn == number
        differences[places] = _resampled(pair, int(places.sum()), rng)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(differences.mean(1), (tail, 1 - tail))
    return float(low), float(high)


def _resampled(pair: Pair, count: int, rng: np.random.Generator) -> Reals:
    """The difference in macro-F1 for `count` resamples of a pair's recordings, (count,).

    Drawing n of n recordings with replacement is drawing the multinomial counts of (one's class, other's class).
    """
    one, other = pair
    classes = len(one.classes)
    said = [np.asarray(outcome.scores).argmax(1) for outcome in (one, other)]
    matrices = np.zeros((2, count, classes, classes))
    for label in range(classes):
        members = np.asarray(one.truth) == label
        if not members.any():
            continue
        both, number = np.unique(np.stack([said[0][members], said[1][members]]), axis=1, return_counts=True)
        counts = rng.multinomial(number.sum(), number / number.sum(), size=count).astype(float)
        for matrix, named in zip(matrices, both, strict=True):
            matrix[:, label] = counts @ np.eye(classes)[named]
    scores = _macro_f1(matrices)
    difference: Reals = 100 * (scores[0] - scores[1])
    return difference


def _macro_f1(matrices: Reals) -> Reals:
    """Of confusion matrices (..., classes, classes); an undefined ratio is zero."""
    hits = np.diagonal(matrices, axis1=-2, axis2=-1)
    involved = matrices.sum(-1) + matrices.sum(-2)
    ratio: Reals = np.divide(2 * hits, involved, out=np.zeros_like(hits), where=involved > 0)
    score: Reals = ratio.mean(-1)
    return score


def critical_difference(results: Results) -> Ranks | str:
    """Friedman's test and Nemenyi's critical difference, or the sentence that says why there is none.

    A dataset counts where every method of the study was run on all folds and seeds; the rig, simulated, does not.
    """
    budgets = {job.dataset: job.budget for job in results.planned.values()}
    if len({(job.dataset, job.budget) for job in results.planned.values()}) > len(budgets):
        return "There is no comparison of ranks: the study varies the budget within a dataset."
    everywhere = [{j.method for j in results.planned.values() if j.dataset == name} for name in budgets]
    methods = sorted(set.intersection(*everywhere)) if everywhere else []
    complete: dict[str, list[float]] = {}
    for dataset in results.datasets():
        cells = [results.cell(percent_f1, results.seeds, dataset=dataset, method=method) for method in methods]
        means = [cell.mean for cell in cells if cell.complete and cell.mean is not None]
        if dataset != RIG and len(means) == len(methods):
            complete[dataset] = means
    if len(complete) < ENOUGH_DATASETS or len(methods) < 3:
        return (
            f"There is no comparison of ranks: it needs at least {ENOUGH_DATASETS} real datasets on which 3 or more "
            f"methods are complete, and there are {len(complete)} ({_names(complete)}) with {len(methods)} methods."
        )
    scores = np.array(list(complete.values())).round(9)  # (datasets, methods)
    ranks = stats.rankdata(-scores, axis=1).mean(0)
    statistic, p = stats.friedmanchisquare(*scores.T)
    count = len(methods)
    quantile = float(stats.studentized_range.ppf(LEVEL, count, math.inf)) / math.sqrt(2)
    width = quantile * math.sqrt(count * (count + 1) / (6 * len(scores)))
    return Ranks(tuple(methods), tuple(ranks.tolist()), tuple(complete), float(statistic), float(p), width)


def _names(datasets: dict[str, list[float]]) -> str:
    return ", ".join(map(dataset_name, datasets)) or "none"
