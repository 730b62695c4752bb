"""Doing one job: gather its support, fit, judge, and record everything that a result must be able to answer for."""

import platform
import re
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.bench.campaign.job import Job
from dualres.bench.campaign.ledger import Outcome
from dualres.bench.datasets.folds import Fold
from dualres.bench.methods import method
from dualres.bench.methods.axes import fit_axes
from dualres.bench.methods.catalog import entry
from dualres.bench.methods.method import FittedMethod
from dualres.bench.methods.model_file import as_model
from dualres.config import ModelConfig
from dualres.judge.model import save
from dualres.kernel import compiled
from dualres.learn.fold_support import evaluate, gather_support, learned_from
from dualres.learn.support import Support
from dualres.utils.progress import Progress, quiet, renamed
from dualres.utils.versions import all_versions

PROCESS, CPU_FACTS = Path("/proc/self"), Path("/proc/cpuinfo")  # Linux
DECIMALS, DIGITS = 6, 6  # of a score, and significant ones of a loss: what is kept can be read, and is what counts


@dataclass(frozen=True)
class JobInputs:
    """A job with all that it may learn from."""

    job: Job
    fold: Fold
    source: DatasetSignals
    support: Support


def run_job(job: Job, stores: Path, folder: Path, progress: Progress = quiet) -> Outcome:
    """Fit and judge. The model file goes to `folder`/models, resampled signals are kept in `folder`/cache.

    Evaluation recordings are opened when the fit is over, and never by a job judged on validation.
    """
    with threadpool_limits(job.threads):  # of NumPy's libraries; PyTorch has its own
        torch.set_num_threads(job.threads)
        forget_peak()
        begin = time.perf_counter()
        gathered = gather_inputs(job, stores, folder / "cache")
        return judge_fitted(gathered, fit_method(gathered, progress), folder, begin=begin, progress=progress)


def judge_fitted(
    gathered: JobInputs, fitted: FittedMethod, folder: Path, *, begin: float, progress: Progress, together: int = 1
) -> Outcome:
    """Save, judge, and account for all since `begin`, by time.perf_counter; `together` jobs shared the fit."""
    job, fold, source, support = gathered.job, gathered.fold, gathered.source, gathered.support
    path = folder / "models" / f"{job.key}.safetensors"
    held_out, channels = fold.held_out, support.channels
    model = as_model(
        fitted, fold.classes, support.seconds, resampler=job.resampler, held_out=held_out, channels=channels
    )
    save(model, path)
    fitted_at = time.perf_counter()
    evaluation = evaluate(
        model, affordable(fold, job.method), source.at_rate(fold.evaluation), renamed(progress, "judge")
    )
    peak = _found(PROCESS / "status", r"^VmHWM:\s*(\d+) kB$")  # most memory since `forget_peak`, KiB
    facts = {
        "held_out": held_out,
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
        "peak_rss_bytes": 1024 * int(peak) if peak else None,
    }
    scores = tuple(map(tuple, np.round(evaluation.scores, DECIMALS).tolist()))
    history = tuple(replace(step, loss=float(f"{step.loss:.{DIGITS}g}")) for step in fitted.history)
    return Outcome(**vars(evaluation) | {"scores": scores}, history=history, facts=facts)


def gather_inputs(job: Job, stores: Path, cache: Path) -> JobInputs:
    """The first step of `run_job`: only recordings that the job's fold and budget allow to learn from are opened."""
    fold, source = job.used_fold(), DatasetSignals(job.dataset, stores, cache, job.resampler)
    names = [name for _, name in learned_from(fold, job.budget)]
    return JobInputs(job, fold, source, gather_support(fold, source.at_rate(names), job.budget, ModelConfig()))


def fit_method(gathered: JobInputs, progress: Progress) -> FittedMethod:
    """The second step: what the job's method makes of its support."""
    job, support, classes = gathered.job, gathered.support, len(gathered.fold.classes)
    learner, tell = method(job.method, job.recipe), renamed(progress, "fit")
    rate = gathered.source.native_rate(name for name, _ in support.origins)
    return fit_axes(learner, support, classes, seed=job.seed, device=job.device, native_rate=rate, progress=tell)


def affordable(fold: Fold, method: str) -> Fold:
    """The fold with as many windows of a judged recording as its method can look at."""
    most, own = entry(method).most_windows, fold.evaluation_windows
    return fold if most is None else replace(fold, evaluation_windows=min(most, own or most))


def machine(device: str) -> dict[str, str | int | None]:
    """What is computed on."""
    cpu = _found(CPU_FACTS, r"^model name\s*: (.+)$") or platform.processor() or platform.machine()
    return {
        "device": torch.cuda.get_device_name() if device.startswith("cuda") else cpu,
        "system": platform.platform(),
        "threads": torch.get_num_threads(),
        "kernel": compiled.variant(),  # None where the compiled library is not used
    }


def forget_peak() -> None:
    """Let the system count this process' peak memory anew: it may have done other jobs before."""
    with suppress(OSError):
        (PROCESS / "clear_refs").write_text("5")


def _found(path: Path, pattern: str) -> str | None:
    """What the pattern's group matches in one of the system's files; None if that is not there."""
    try:
        found = re.search(pattern, path.read_text(), re.MULTILINE)
    except OSError:
        return None
    return found and found[1]
