"""How long a job takes: from finished jobs of its method, or from constants where there are none."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from dualres.bench.campaign.job import Job
from dualres.bench.campaign.ledger import Ledger
from dualres.bench.datasets import catalog
from dualres.bench.datasets.folds import load_fold
from dualres.bench.methods.catalog import entry
from dualres.config import ModelConfig
from dualres.recordings.windows import half_overlapping


@dataclass(frozen=True)
class Total:
    seconds: float
    unknown: int  # jobs that are not counted in it


class Times:
    """Knows what finished jobs took, and what a job of the same kind should."""

    def __init__(self, finished: Iterable[tuple[Job, float]] = ()) -> None:
        self._taken: dict[tuple[str, str, int], float] = defaultdict(float)
        self._nominal: dict[tuple[str, str, int], float] = defaultdict(float)
        for job, seconds in finished:
            self.learn(job, seconds)

    def learn(self, job: Job, seconds: float) -> None:
        self._taken[_kind(job)] += seconds
        self._nominal[_kind(job)] += nominal_s(job)

    def seconds(self, job: Job) -> float | None:
        """The job's time; None where nobody knows: the constants are a CPU's."""
        kind = _kind(job)
        if kind in self._taken:
            return nominal_s(job) * self._taken[kind] / self._nominal[kind]
        return nominal_s(job) if job.device == "cpu" else None

    def total(self, jobs: Iterable[Job]) -> Total:
        """Of all jobs, one after the other."""
        seconds = [self.seconds(job) for job in jobs]
        known = [s for s in seconds if s is not None]
        return Total(sum(known), len(seconds) - len(known))


def times_in(ledger: Ledger) -> Times:
    """What the ledger's jobs took; those on folds that have changed since say nothing of these."""
    current = {key: job for key, job in ledger.jobs().items() if load_fold(job.fold).hash == job.fold_hash}
    return Times((job, float(ledger.outcome(key).facts["wall_s"])) for key, job in current.items())


@cache
def nominal_s(job: Job) -> float:
    """Seconds by the constants of the methods."""
    fold = job.used_fold()
    fit_ms, judge_ms = entry(job.method).nominal_ms
    support = job.budget.recordings * job.budget.windows * len(fold.classes)
    config, seconds = ModelConfig(), catalog.release(job.dataset).seconds
    whole = len(half_overlapping(int(seconds * config.rate), config.window))  # windows where there is no limit
    judged = len(fold.evaluation) * (fold.evaluation_windows or whole)
    updates = job.recipe.updates if job.recipe else 1
    return (support * updates * fit_ms + judged * judge_ms) / 1000


def _kind(job: Job) -> tuple[str, str, int]:
    return job.method, job.device, job.threads
