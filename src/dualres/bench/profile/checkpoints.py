"""Which model is measured: the ledger's of the first fold and seed at the primary budget, or one fitted for it here."""

from dataclasses import dataclass
from pathlib import Path

import torch
from threadpoolctl import threadpool_limits

from dualres.bench.campaign.job import Job
from dualres.bench.campaign.ledger import Ledger, Outcome
from dualres.bench.campaign.run_job import fit_method, gather_inputs
from dualres.bench.campaign.studies import folds_of
from dualres.bench.datasets import catalog
from dualres.bench.datasets.folds import load_fold
from dualres.bench.methods.catalog import entry
from dualres.bench.methods.model_file import as_model
from dualres.bench.paper.protocol import BEARING_BUDGET, PRIMARY_BUDGET, SEEDS
from dualres.bench.profile.measurements import FOLDER
from dualres.bench.profile.plan import Plan
from dualres.config import Recipe
from dualres.judge.model import save
from dualres.utils.progress import Progress

UPDATES = 10  # of a model that is fitted only to be measured: what inference costs does not depend on them


@dataclass(frozen=True)
class ProfilePaths:
    ledger: Path
    stores: Path

    @property
    def kept(self) -> Path:
        """The measurements, beside the ledger."""
        return self.ledger.parent / FOLDER

    @property
    def cache(self) -> Path:
        return self.ledger.parent / "cache"


@dataclass(frozen=True)
class Checkpoint:
    """A model file, and the job that it is or would be the model of."""

    path: Path
    job: Job
    from_ledger: bool
    outcome: Outcome | None = None  # what the ledger says of it


def wanted_job(plan: Plan, updates: int) -> Job:
    """The first fold and seed at the dataset's primary budget."""
    fold = load_fold(folds_of(plan.dataset)[0])
    budget = BEARING_BUDGET if catalog.release(plan.dataset).kind == "bearing" else PRIMARY_BUDGET
    recipe = entry(plan.method).recipe(Recipe(updates=updates))
    place = plan.dataset, fold.fold, fold.hash, budget, plan.method, recipe, SEEDS[0]
    return Job(*place, threads=plan.threads, device=plan.device)


def find(plan: Plan, ledger: Path, updates: int | None = None) -> Checkpoint:
    """The ledger's model trained longest, or by that number of `updates`; else, the place of one to be fitted."""
    wanted = wanted_job(plan, UPDATES if updates is None else updates)
    same = ("dataset", "fold", "fold_hash", "budget", "method", "seed", "judged", "support_step", "resampler")
    if ledger.exists():
        with Ledger(ledger) as opened:
            found = [
                ((job.recipe.updates if job.recipe else 0, job.device == plan.device, key), job)
                for key, job in opened.jobs().items()
                if all(getattr(job, name) == getattr(wanted, name) for name in same)
                and (updates is None or job.recipe == wanted.recipe)
                and _model(ledger.parent, key).exists()
            ]
            if found:
                (*_, key), job = max(found, key=lambda each: each[0])
                return Checkpoint(_model(ledger.parent, key), job, True, opened.outcome(key))
    return Checkpoint(_model(ledger.parent / "profile", wanted.key), wanted, False)


def fit(checkpoint: Checkpoint, paths: ProfilePaths, tell: Progress) -> None:
    """Fit the checkpoint's job and write its model; nothing is judged."""
    job = checkpoint.job
    with threadpool_limits(job.threads):
        torch.set_num_threads(job.threads)
        gathered = gather_inputs(job, paths.stores, paths.cache)
        classes, seconds = gathered.fold.classes, gathered.support.seconds
        model = as_model(fit_method(gathered, tell), classes, seconds, resampler=job.resampler)
    save(model, checkpoint.path)


def _model(folder: Path, key: str) -> Path:
    return folder / "models" / f"{key}.safetensors"
