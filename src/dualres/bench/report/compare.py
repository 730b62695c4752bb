"""Comparing methods honestly: paired differences with an interval, and ranks where there are enough datasets.

Two methods form a pair where both were fitted with the same fold, budget and seed and judged on the same recordings.
"""

import math
import statistics
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256

import numpy as np
import numpy.typing as npt
from scipy import stats

from dualres.bench.campaign.ledger import Outcome
from dualres.bench.campaign.studies import RIG
from dualres.bench.report.names import dataset_name
from dualres.bench.report.results import FinishedJob, Results
from dualres.learn.fold import Budget
from dualres.utils.arrays import Exact

REFERENCE = "dualres"
RESAMPLES = 2000
LEVEL = 0.95
ENOUGH_DATASETS = 5  # for ranks to mean anything

Whole = npt.NDArray[np.int_]
Pair = tuple[Outcome, Outcome]


@dataclass(frozen=True)
class PairedDifference:
    """Macro-F1 of `method` minus that of `other`, in percentage points."""

    dataset: str
    budget: Budget
    method: str
    other: str
    pairs: tuple[tuple[FinishedJob, FinishedJob], ...]  # of equal fold and seed
    mean: float
    low: float
    high: float

    @property
    def by_seed(self) -> dict[int, float]:
        """The mean difference of each seed's pairs."""
        found: dict[int, list[float]] = {}
        for one, other in self.pairs:
            found.setdefault(one.job.seed, []).append(one.f1 - other.f1)
        return {seed: statistics.fmean(found[seed]) for seed in sorted(found)}

    @property
    def sd(self) -> float | None:
        """Sample standard deviation over seeds; None with fewer than two."""
        values = list(self.by_seed.values())
        return statistics.stdev(values) if len(values) > 1 else None

    @property
    def decided(self) -> bool:
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


def paired_differences(
    results: Results, reference: str = REFERENCE, others: Collection[str] | None = None
) -> list[PairedDifference]:
    """The reference minus others, by default all, per dataset and budget, over all pairs of folds and seeds."""
    jobs = [entry.job for entry in results.entries]
    places = dict.fromkeys((job.dataset, job.budget) for job in jobs)
    methods = dict.fromkeys(job.method for job in jobs if job.method != reference)
    found = []
    for dataset in results.datasets():
        for budget in (budget for name, budget in places if name == dataset):
            at = partial(results.where, dataset=dataset, budget=budget)
            ours = {(e.job.fold, e.job.seed): e for e in at(method=reference)}
            for other in (name for name in methods if others is None or name in others):
                theirs = at(method=other)
                if pairs := [(ours[place], e) for e in theirs if (place := (e.job.fold, e.job.seed)) in ours]:
                    found.append(difference(reference, other, pairs))
    return found


def difference(method: str, other: str, pairs: Sequence[tuple[FinishedJob, FinishedJob]]) -> PairedDifference:
    """Of pairs of equal fold and seed, the first of each minus the second; the names are those of the two sides."""
    pairs = sorted(pairs, key=lambda pair: (pair[0].job.fold, pair[0].job.seed))
    differences = [one.f1 - two.f1 for one, two in pairs]
    folds: dict[str, list[Pair]] = {}
    for one, two in pairs:
        folds.setdefault(one.job.fold, []).append((one.outcome, two.outcome))
    dataset, budget = pairs[0][0].job.dataset, pairs[0][0].job.budget
    low, high = interval(list(folds.values()), f"{dataset} {budget} {method} {other}")
    return PairedDifference(dataset, budget, method, other, tuple(pairs), float(np.mean(differences)), low, high)


def interval(folds: Sequence[Sequence[Pair]], name: str, level: float = LEVEL) -> tuple[float, float]:
    """The percentile interval of the mean difference in macro-F1 over all pairs, in percentage points.

    `level` is the share it covers. `folds` holds the pairs of each fold, one per seed, all judged on the same
    recordings. A hierarchical bootstrap: folds are drawn with replacement; for each drawn fold, recordings of every
    true class are drawn with replacement, the same for both methods and all seeds, which share what is peculiar to
    these recordings; then its seeds are drawn. The name of the comparison seeds the draws, so that an interval does
    not depend on what else was compared.
    """
    rng = np.random.default_rng(int(sha256(name.encode()).hexdigest()[:16], 16))
    drawn = rng.integers(len(folds), size=(RESAMPLES, len(folds)))
    sums = np.empty(drawn.shape)
    for number, pairs in enumerate(folds):
        places = drawn == number
        sums[places] = _resampled(pairs, int(places.sum()), rng)
    counts = np.array([len(pairs) for pairs in folds])[drawn]
    tail = (1 - level) / 2
    low, high = np.quantile(sums.sum(1) / counts.sum(1), (tail, 1 - tail))
    return float(low), float(high)


def _resampled(pairs: Sequence[Pair], count: int, rng: np.random.Generator) -> Exact:
    """The sum of the differences in macro-F1 over a fold's resampled seeds, for `count` resamples, (count,)."""
    truth, classes = np.asarray(pairs[0][0].truth), len(pairs[0][0].classes)
    drawn = _drawn_recordings(truth, count, rng)
    differences = np.empty((count, len(pairs)))
    for number, pair in enumerate(pairs):
        one, other = (_macro_f1(_confusions(outcome, truth, classes, drawn)) for outcome in pair)
        differences[:, number] = 100 * (one - other)
    seeds = rng.integers(len(pairs), size=differences.shape)
    total: Exact = np.take_along_axis(differences, seeds, axis=1).sum(1)
    return total


def _drawn_recordings(truth: Whole, count: int, rng: np.random.Generator) -> Exact:
    """How often each recording was drawn, (count, recordings): as many of every class as it has."""
    times = np.zeros((count, len(truth)))
    for label in np.unique(truth):
        members = np.flatnonzero(truth == label)
        picks = rng.integers(len(members), size=(count, len(members)))
        flat = picks + len(members) * np.arange(count)[:, None]
        times[:, members] = np.bincount(flat.ravel(), minlength=flat.size).reshape(flat.shape)
    return times


def _confusions(outcome: Outcome, truth: Whole, classes: int, times: Exact) -> Exact:
    """Confusion matrices of the resamples, (count, classes, classes)."""
    said = np.eye(classes)[np.asarray(outcome.scores).argmax(1)]  # (recordings, classes)
    matrices = np.zeros((len(times), classes, classes))
    for label in np.unique(truth):
        members = truth == label
        matrices[:, label] = times[:, members] @ said[members]
    return matrices


def _macro_f1(matrices: Exact) -> Exact:
    """Of confusion matrices (..., classes, classes); an undefined ratio is zero."""
    hits = np.diagonal(matrices, axis1=-2, axis2=-1)
    involved = matrices.sum(-1) + matrices.sum(-2)
    ratio: Exact = np.divide(2 * hits, involved, out=np.zeros_like(hits), where=involved > 0)
    score: Exact = ratio.mean(-1)
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
        cells = [results.f1(results.seeds, dataset=dataset, method=method) for method in methods]
        means = [cell.mean for cell in cells if cell.complete and cell.mean is not None]
        if dataset != RIG and len(means) == len(methods):
            complete[dataset] = means
    names = ", ".join(map(dataset_name, complete)) or "none"
    if len(complete) < ENOUGH_DATASETS or len(methods) < 3:
        return (
            f"There is no comparison of ranks: it needs at least {ENOUGH_DATASETS} real datasets on which 3 or more "
            f"methods are complete, and there are {len(complete)} ({names}) with {len(methods)} methods."
        )
    scores = np.array(list(complete.values())).round(9)  # (datasets, methods)
    ranks = stats.rankdata(-scores, axis=1).mean(0)
    statistic, p = stats.friedmanchisquare(*scores.T)
    count = len(methods)
    quantile = float(stats.studentized_range.ppf(LEVEL, count, math.inf)) / math.sqrt(2)
    width = quantile * math.sqrt(count * (count + 1) / (6 * len(scores)))
    return Ranks(tuple(methods), tuple(ranks.tolist()), tuple(complete), float(statistic), float(p), width)
