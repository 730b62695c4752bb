from dataclasses import replace
from types import SimpleNamespace

import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import jobs, study
from dualres.bench.methods.model_file import load
from dualres.bench.profile.checkpoints import UPDATES, find, fit, wanted_job
from dualres.bench.profile.plan import Plan
from dualres.config import Recipe
from dualres.learn.fold import Budget
from tests.bench.campaign.synthetic import synthetic_outcome

PLAN = Plan("simulated", "dualres", threads=1)
PLANNED = jobs(study("pilot"), ["simulated"], methods=["dualres"])[0]


def model(folder, job):
    path = folder / "models" / f"{job.key}.safetensors"
    path.parent.mkdir(exist_ok=True)
    path.touch()
    return path


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        yield ledger


def test_it_is_the_first_fold_and_seed_at_the_primary_budget():
    rig, bearing = wanted_job(PLAN, 7), wanted_job(replace(PLAN, dataset="cwru"), 7)
    assert (rig.fold, rig.seed, rig.budget, rig.recipe) == ("S1", 41, Budget(3, 4), Recipe(updates=7))
    assert (bearing.fold, bearing.budget) == ("C1", Budget(1, 3))
    assert wanted_job(replace(PLAN, method="minirocket"), 7).recipe is None


def test_the_ledgers_model_is_taken_with_a_verdict_of_it(ledger, tmp_path):
    outcome = synthetic_outcome(PLANNED)
    ledger.record(PLANNED, outcome)
    path = model(tmp_path, PLANNED)
    found = find(PLAN, ledger.path)
    assert (found.path, found.job, found.from_ledger) == (path, PLANNED, True)
    assert found.outcome == ledger.outcome(PLANNED.key)
    assert (found.outcome.recordings, found.outcome.scores) == (outcome.recordings, outcome.scores)


def test_of_several_it_is_the_one_trained_longest(ledger, tmp_path):
    quick = replace(PLANNED, recipe=Recipe(updates=30), most_judged=24)
    for job in (quick, PLANNED):
        ledger.record(job, synthetic_outcome(job))
        model(tmp_path, job)
    assert find(PLAN, ledger.path).job == PLANNED
    assert find(PLAN, ledger.path, updates=30).job == quick


def test_other_jobs_and_missing_models_do_not_count(ledger, tmp_path):
    others = [replace(PLANNED, budget=Budget(1, 4)), replace(PLANNED, seed=42), replace(PLANNED, support_step=0.5)]
    for job in (PLANNED, *others):
        ledger.record(job, synthetic_outcome(job))
    for job in others:
        model(tmp_path, job)
    found = find(PLAN, ledger.path)
    assert not found.from_ledger
    assert found.job.recipe == Recipe(updates=UPDATES)
    assert found.path == tmp_path / "profile" / "models" / f"{found.job.key}.safetensors"


def test_without_a_ledger_one_is_fitted(tmp_path, kept_signals):
    found = find(replace(PLAN, method="itransformer"), tmp_path / "ledger.sqlite", updates=1)
    steps = []
    fit(found, SimpleNamespace(stores=tmp_path, cache=kept_signals), lambda *step: steps.append(step))
    card = load(found.path).card
    assert (card.method, len(card.classes), card.recipe) == ("itransformer", 8, Recipe(updates=1))
    assert ("fit", 1, 1) in [step[:3] for step in steps]
    assert not (tmp_path / "ledger.sqlite").exists()
