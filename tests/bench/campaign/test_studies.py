from collections import Counter
from copy import copy
from itertools import product

import pytest
import torch

from dualres.bench.campaign import studies
from dualres.bench.campaign.rigs import LINEAR, PICKED, PICKED_TRAINED, WITHOUT_RECIPE
from dualres.bench.campaign.studies import DATASETS, STUDIES, Quick, Study, folds_of, jobs, study
from dualres.bench.datasets import catalog
from dualres.bench.methods import NAMES, method
from dualres.bench.paper.protocol import BEARINGS
from dualres.config import RECIPES, Recipe
from dualres.errors import ConfigError
from dualres.learn.fold import Budget


def count(name, datasets):
    return len(jobs(study(name), datasets))


def test_the_paper_s_studies_have_as_many_fits_as_the_paper_says():
    bearings = [name for name in DATASETS if name not in ("mcc5", "phm2009", "simulated")]
    assert count("bearing", bearings) == 6 * 2 * 3 * 3 + 2 * 3  # iTransformer on HUST besides
    assert count("gearbox", ["mcc5"]) == 9 * 7 * 2
    assert count("replication", ["mcc5"]) == 3 * 7 * 2 * 3
    assert count("allocation", ["mcc5"]) == 2 * 3 * 2
    assert count("pilot", ["phm2009"]) == 2 * 2
    controls = [j for j in jobs(study("ablation"), [*bearings, "mcc5"]) if j.method != "dualres"]
    assert len(controls) == 56
    assert count("duration", ["mcc5"]) == 2 * 2 * 4
    assert count("optimisation", ["mcc5"]) == 8 * 2


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_runs_on_the_rig_alone(name):
    found = jobs(study(name), ["simulated"])
    assert found
    assert {j.dataset for j in found} == {"simulated"}
    assert jobs(study(name), []) == []


def test_jobs_that_two_studies_share_are_the_same_job():
    broad = {j.key for j in jobs(study("gearbox"), ["mcc5"])}
    seed_41 = {j.key for j in jobs(study("replication"), ["mcc5"], seeds=[41])}
    assert seed_41 < broad
    assert {j.key for j in jobs(study("optimisation"), ["mcc5"])} < broad


def test_the_rig_s_bearing_support_overlaps_as_the_bearing_protocol_says():
    (step,) = {j.support_step for j in jobs(study("bearing"), ["simulated"])}
    assert step == 0.5


def test_methods_and_seeds_can_be_picked():
    found = jobs(study("gearbox"), ["simulated"], methods=["dualres"], seeds=[7])
    assert {(j.method, j.seed) for j in found} == {("dualres", 7)}
    assert len(found) == 7 * 2


def test_quick_is_small_and_says_so_in_the_plan():
    for name in STUDIES:
        found = jobs(study(name), ["simulated"], quick=Quick())
        assert found
        assert {j.seed for j in found} == {41}
        assert {j.most_judged for j in found} == {24}
        assert max(j.recipe.updates for j in found if j.recipe) == 30
        assert not {j.key for j in found} & {j.key for j in jobs(study(name), ["simulated"])}
    duration = jobs(study("duration"), ["simulated"], quick=Quick())
    assert sorted(j.recipe.updates for j in duration)[::2] == [5, 10, 20, 30]


def test_minirocket_is_one_job_on_every_device():
    on = [{j.key for j in jobs(study("gearbox"), ["mcc5"], methods=["minirocket"], device=d)} for d in ("cpu", "cuda")]
    assert on[0] == on[1]


def test_a_budget_that_a_fold_cannot_fill_is_left_out():
    assert {j.budget for j in jobs(study("pilot"), ["phm2009"])} == {Budget(3, 4)}
    assert folds_of("phm2009") == ("P1", "P2")


def test_an_unknown_study_is_answered_with_the_known_ones():
    with pytest.raises(ConfigError, match="'gears'; there are bearing, gearbox"):
        study("gears")


def test_folds_and_budgets_pick_down_to_a_single_cell():
    picked = {"methods": ["dualres"], "seeds": [41], "folds": ["P2"], "budgets": [Budget(3, 1)]}
    (job,) = jobs(study("published"), ["phm2009", "cwru"], **picked)
    assert (job.dataset, job.fold, job.budget, job.seed) == ("phm2009", "P2", Budget(3, 1), 41)


def test_what_is_published_has_its_seeds():
    found = jobs(study("published"), ["phm2009", "cwru", "simulated"])
    seeds = {}
    for job in found:
        seeds.setdefault((job.dataset, job.method, str(job.budget)), set()).add(job.seed)
    assert seeds["phm2009", "dualres", "3x4"] == seeds["phm2009", "minirocket", "3x4"] == {41, 42, 43, 44, 45}
    assert seeds["phm2009", "dualres/no-rotation", "3x4"] == seeds["cwru", "medformer", "1x3"] == {41, 42, 43, 44, 45}
    assert seeds["phm2009", "mambasl", "3x4"] == seeds["simulated", "dualres", "6x12"] == {41, 42, 43}
    assert seeds["phm2009", "medformer", "3x4"] == seeds["simulated", "minirocket", "6x12"] == {41}
    assert {budget for _, method, budget in seeds if method == "mambasl"} == {"3x4", "1x4", "2x4", "1x3", "3x1"}


def test_recipes_are_compared_on_the_same_folds_and_seeds():
    found = jobs(study("recipes"), ["phm2009", "cwru", "simulated"])
    plain = {(j.dataset, j.fold, j.method, j.seed) for j in found if j.recipe.plain}
    robust = {(j.dataset, j.fold, j.method, j.seed) for j in found if j.recipe == RECIPES["robust"]}
    assert plain == robust
    peers = {(dataset, method, seed) for dataset, _, method, seed in robust if not method.startswith("dualres")}
    assert peers == {("phm2009", method, 41) for method in NAMES if method not in ("dualres", "minirocket")}
    assert "dualres/no-memory" in {method for _, _, method, _ in plain}


@pytest.mark.parametrize("name", ["published", "recipes"])
def test_of_a_recipe_that_the_study_has_its_own_jobs_are_taken(name):
    every = jobs(study(name), ["phm2009", "cwru"])
    plain = [job for job in every if job.recipe is None or job.recipe.plain]
    assert jobs(study(name), ["phm2009", "cwru"], recipe=RECIPES["paper"]) == plain


def test_a_recipe_replaces_those_of_the_study():
    chosen = Recipe(updates=7, path_sigma=0.5)
    found = jobs(study("recipes"), ["cwru"], methods=["dualres"], recipe=chosen)
    assert {job.recipe for job in found} == {chosen}
    assert len(found) == 2 * 5, "the two recipes of the study are one now"
    quick = jobs(study("recipes"), ["cwru"], methods=["dualres"], recipe=chosen, quick=Quick())
    assert {job.recipe for job in quick} == {Recipe(updates=Quick().updates, path_sigma=0.5)}


def test_bearings_are_the_datasets_that_say_so():
    assert tuple(name for name in catalog.NAMES if catalog.release(name).kind == "bearing") == BEARINGS


def test_a_registered_study_is_one_of_them(monkeypatch):
    monkeypatch.setattr(studies, "STUDIES", copy(STUDIES))
    studies.register_study(Study("mine", "Does it work?", study("pilot").parts))
    assert jobs(study("mine"), ["simulated"]) == jobs(study("pilot"), ["simulated"])
    with pytest.raises(ConfigError, match="there is a study 'mine' already"):
        studies.register_study(study("mine"))


EVERYWHERE = ["phm2009", "cwru", "cwru_12k", "uestc", "simulated", "machines"]


def test_the_rigs_have_their_folds_and_budgets():
    found = jobs(study("rigs"), catalog.names())
    assert list(dict.fromkeys(job.dataset for job in found)) == EVERYWHERE
    budgets = {job.fold: str(job.budget) for job in found}
    assert len({(job.fold, str(job.budget)) for job in found}) == len(budgets) == 2 + 2 + 3 + 4 + 2 + 18
    assert {fold: budget for fold, budget in budgets.items() if budget != "3x4"} == {
        **dict.fromkeys(("C1", "C2"), "1x3"), "D3": "4x4", **dict.fromkeys(("E1", "E2", "E3", "E4"), "1x4"),
    }  # fmt: skip
    per_fold = Counter((job.dataset, job.fold) for job in found if job.method not in (*PICKED, *PICKED_TRAINED))
    several = {count for (dataset, _), count in per_fold.items() if dataset != "machines"}
    single = {count for (dataset, _), count in per_fold.items() if dataset == "machines"}
    assert (several, single) == ({(16 + 2) * 5 + 4}, {16 + 2 + 4}), (
        "MiniRocket and what is in closed form have one seed"
    )
    alone = {(job.method, job.seed) for job in found if job.recipe is None}
    assert alone == {(name, 41) for name in ("minirocket", *WITHOUT_RECIPE, *PICKED)}


def test_peers_stand_beside_the_default_on_every_rig():
    found = jobs(study("rigs"), catalog.names(), methods=["dualres/orders", *PICKED, *PICKED_TRAINED])
    places = {name: {(job.fold, job.budget, job.seed) for job in found if job.method == name} for name in PICKED}
    ours = {(job.fold, job.budget, job.seed) for job in found if job.method == "dualres/orders"}
    slow = {place for place in ours if place[0][0] in "PM"}
    assert places.pop("tsfresh-lightgbm") == ours - slow, "it takes a day on long windows"
    assert set(map(frozenset, places.values())) == {frozenset(ours)}
    (trained,) = PICKED_TRAINED
    recipes = Counter(job.recipe.kind for job in found if job.method == trained)
    assert recipes == {"paper": len(ours), "robust": len(ours)}


@pytest.mark.parametrize("dataset", EVERYWHERE)
def test_every_combination_of_parts_is_there_once(dataset):
    found = jobs(study("rigs"), [dataset], methods=["dualres"], seeds=[41])
    fold = found[0].fold
    recipes = [job.recipe for job in found if job.fold == fold]
    parts = {(r.path_sigma, r.mixup, r.standardise, r.updates, r.learning_rate, r.decay) for r in recipes}
    short = 300 if dataset in ("phm2009", "simulated", "machines") else 100
    long = [(800, 1e-3, 0.996), (short, 5e-4, 0.99)]
    assert parts == {(*some, *how) for *some, how in product((0.0, 1.0), (False, True), (False, True), long)}
    assert len(recipes) == 16


def test_what_other_studies_have_done_is_not_done_again():
    ours = {job.key: job for job in jobs(study("rigs"), EVERYWHERE, device="cuda")}
    shared = [job for job in jobs(study("recipes"), EVERYWHERE, device="cuda") if job.key in ours]
    assert Counter((job.dataset, job.method) for job in shared) == {
        (dataset, method): 2 * 2 * 5  # folds, recipes, seeds
        for dataset in ("phm2009", "cwru", "simulated")
        for method in ("dualres", "dualres/no-memory")
    }
    published = {job.key for job in jobs(study("published"), EVERYWHERE)}
    peers = {key for key, job in ours.items() if job.method == "minirocket" and job.fold in "P1 P2 C1 C2 S1 S2"}
    assert peers <= published


def test_the_linear_model_is_linear_in_the_mean_spectra():
    """Blending two windows' spectra blends the logits, so it sees nothing but means over time."""
    network = method(LINEAR).build(3, 41).eval()
    short, long = torch.randn(2, 249, 129), torch.randn(2, 249, 513)
    one, other = network(short, long)
    blended = network(short.mean(0, keepdim=True), long.mean(0, keepdim=True))[0]
    shuffled = network(short.flip(1), long.roll(7, 1))
    torch.testing.assert_close(blended, (one + other) / 2)
    torch.testing.assert_close(shuffled, torch.stack([one, other]))
