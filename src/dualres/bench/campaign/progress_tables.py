"""What studies are made of, and how far they are: counts for the command line to show."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from dualres.bench.campaign.coordinator import RunSummary
from dualres.bench.campaign.job import Job
from dualres.bench.campaign.studies import STUDIES, Quick, jobs, study
from dualres.bench.campaign.times import Times, Total


class StudyPlan(NamedTuple):
    study: str
    dataset: str
    methods: int
    budgets: int
    seeds: int
    jobs: int
    done: int
    rest: Total


def plan_rows(chosen: Mapping[str, Sequence[Job]], done: Collection[str], times: Times) -> list[StudyPlan]:
    """The jobs of each study, dataset by dataset; `done` are keys of finished jobs."""
    rows = []
    for name, its in chosen.items():
        for dataset in dict.fromkeys(job.dataset for job in its):
            group = [job for job in its if job.dataset == dataset]
            rest = [job for job in group if job.key not in done]
            methods, budgets, seeds = (len({getattr(job, f) for job in group}) for f in ("method", "budget", "seed"))
            done_now = len(group) - len(rest)
            rows.append(StudyPlan(name, dataset, methods, budgets, seeds, len(group), done_now, times.total(rest)))
    return rows


class StudyProgress(NamedTuple):
    """One study in one size on one kind of device."""

    study: str
    quick: bool
    device: str
    planned: int
    done: int
    failed: int
    missing: int


def progress_rows(present: Sequence[str], done: set[str], failed: Collection[str]) -> tuple[list[StudyProgress], int]:
    """Every study on the datasets present, also quick or on GPUs where jobs were, and how many other jobs are done."""
    rows, counted = [], set[str]()
    for (name, one), quick, device in product(STUDIES.items(), (None, Quick()), ("cpu", "cuda")):
        keys = {job.key for job in jobs(one, present, quick=quick, device=device)}
        finished, broken = keys & done, keys & set(failed)
        counted |= finished
        if finished or broken or (quick is None and device == "cpu"):
            counts = map(len, (keys, finished, broken, keys - done - broken))
            rows.append(StudyProgress(name, quick is not None, device, *counts))
    return rows, len(done - counted)


class StudyRun(NamedTuple):
    study: str
    jobs: int
    before: int
    now: int
    failed: int


def run_rows(chosen: Mapping[str, Sequence[Job]], summary: RunSummary) -> list[StudyRun]:
    finished, failed = ({each.job.key for each in ended} for ended in (summary.finished, summary.failed))
    rows = []
    for name, its in chosen.items():
        keys = {job.key for job in its}
        rows.append(StudyRun(name, *map(len, (keys, keys - finished - failed, keys & finished, keys & failed))))
    return rows


def distinct_jobs(chosen: Mapping[str, Sequence[Job]]) -> list[Job]:
    """The jobs of all studies; one that several share is there once."""
    return list({job.key: job for its in chosen.values() for job in its}.values())


def jobs_by_reason(failures: Iterable[tuple[Job, str]]) -> dict[str, list[Job]]:
    """The failed jobs by why they failed; the same reason often holds for many."""
    reasons = defaultdict(list)
    for job, reason in failures:
        reasons[reason].append(job)
    return reasons


def datasets_of(studies: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(d for name in studies for part in study(name).parts for d in part.datasets))
