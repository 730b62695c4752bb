"""Doing one job: gather its support, fit, judge, and tell everything that a result must be able to answer for."""

from __future__ import annotations

import platform
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from dualres.campaign.job import Job
from dualres.campaign.ledger import Outcome
from dualres.campaign.protocol import evaluate, gather_support, learned_from
from dualres.campaign.sources import Source
from dualres.config import ModelConfig
from dualres.datasets.folds import Fold
from dualres.file import Model, save
from dualres.kernel import compiled
from dualres.learn.support import Support
from dualres.machinery.versions import all_versions
from dualres.methods import method
from dualres.methods.files import as_model
from dualres.methods.method import Fitted

PROCESS, CPU_FACTS = Path("/proc/self"), Path("/proc/cpuinfo")  # Linux
DECIMALS, DIGITS = 6, 6  # of a score, and significant ones of a loss: what is kept can be read, and is what counts

Progress = Callable[[str, int, int], None]  # stage, done, in all


@dataclass(frozen=True)
class Gathered:
    """A job with all that it may learn from."""

    job: Job
    fold: Fold
    source: Source
    support: Support


def do(job: Job, stores: Path, folder: Path, progress: Progress | None = None) -> Outcome:
    """Fit and judge. The model file goes to `folder`/models, resampled signals are kept in `folder`/cache.

    Evaluation recordings are opened when the fit is over, and never by a job judged on validation.
    """
    with threadpool_limits(job.threads):  # of NumPy's libraries; PyTorch has its own
        torch.set_num_threads(job.threads)
        return _do(job, stores, folder, progress or (lambda stage, done, total: None))


def _do(job: Job, stores: Path, folder: Path, tell: Progress) -> Outcome:
    forget_peak()
    begin = time.perf_counter()
    gathered = gather(job, stores, folder)
    return judge(gathered, _fit(gathered, tell), folder, begin, tell)


def judge(gathered: Gathered, fitted: Fitted, folder: Path, begin: float, tell: Progress, together: int = 1) -> Outcome:
    """Save what was fitted, judge it, and account for all since `begin`, by time.perf_counter.

    `together` is the number of jobs that shared the fit.
    """
    job, fold, source, support = gathered.job, gathered.fold, gathered.source, gathered.support
    path = folder / "models" / f"{job.key}.safetensors"
    model = as_model(fitted, fold.classes, support.seconds, resampler=job.resampler, held_out=fold.held_out)
    save(model, path)
    fitted_at = time.perf_counter()
    evaluation = evaluate(
        model,
        fold,
        source.at_rate(fold.evaluation),
        lambda _, done, total, __: tell("judge", done, total),
    )
    facts = {
        "held_out": fold.held_out,
        "variant": source.variant,
        "labelled_s": support.seconds,
        "support": support.origins,
        "inputs": source.hashes,
        "fitted_together": together,
        "cost": {**asdict(fitted.cost), "file_bytes": path.stat().st_size},
        "model_sha256": sha256(path.read_bytes()).hexdigest(),
        "versions": all_versions(),
        "machine": machine(job.device),
        "judge_s": time.perf_counter() - fitted_at,
        "wall_s": time.perf_counter() - begin,
        "peak_rss_bytes": _peak_rss(),
    }
    return Outcome(
        classes=evaluation.classes,
        recordings=evaluation.recordings,
        truth=evaluation.truth,
        windows=evaluation.windows,
        scores=tuple(tuple(row) for row in np.round(evaluation.scores, DECIMALS).tolist()),
        history=tuple(replace(step, loss=float(f"{step.loss:.{DIGITS}g}")) for step in fitted.history),
        facts=facts,
    )


def learn(job: Job, fold: Fold, source: Source, tell: Progress) -> Model:
    """What the job's method makes of its support; no other recording is opened."""
    gathered = Gathered(job, fold, source, _support(job, fold, source))
    return as_model(_fit(gathered, tell), fold.classes, gathered.support.seconds, resampler=job.resampler)


def gather(job: Job, stores: Path, folder: Path) -> Gathered:
    """The first step of `do`: only recordings that the job learns from are opened."""
    fold = job.used_fold()
    source = Source(job.dataset, stores, folder / "cache", job.resampler)
    return Gathered(job, fold, source, _support(job, fold, source))


def _fit(gathered: Gathered, tell: Progress) -> Fitted:
    job, support = gathered.job, gathered.support
    return method(job.method, job.recipe).fit(
        support.windows,
        support.labels,
        len(gathered.fold.classes),
        seed=job.seed,
        device=job.device,
        progress=lambda step, total: tell("fit", step.update, total),
    )


def _support(job: Job, fold: Fold, source: Source) -> Support:
    """The labelled windows that the job's fold and budget allow."""
    names = [name for _, name in learned_from(fold, job.budget)]
    return gather_support(fold, source.at_rate(names), job.budget, ModelConfig())


def machine(device: str) -> dict[str, Any]:
    """What is computed on."""
    name = torch.cuda.get_device_name() if device.startswith("cuda") else _cpu_name()
    return {
        "device": name,
        "system": platform.platform(),
        "threads": torch.get_num_threads(),
        "kernel": compiled.variant(),  # None where the compiled library is not used
    }


def _cpu_name() -> str:
    if CPU_FACTS.exists():
        found = re.search(r"^model name\s*: (.+)$", CPU_FACTS.read_text(), re.MULTILINE)
        if found:
            return found[1]
    return platform.processor() or platform.machine()


def forget_peak() -> None:
    """Let the system count this process' peak memory anew: it may have done other jobs before."""
    with suppress(OSError):
        (PROCESS / "clear_refs").write_text("5")


def _peak_rss() -> int | None:
    """Most memory this process has held since, in bytes; None where the system does not tell."""
    try:
        found = re.search(r"^VmHWM:\s*(\d+) kB$", (PROCESS / "status").read_text(), re.MULTILINE)
    except OSError:
        return None
    return 1024 * int(found[1]) if found else None
