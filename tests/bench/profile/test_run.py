"""Real measurements of a fast method on the rig, each in its own process."""

from dataclasses import replace
from itertools import product

import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.run_job import run_job
from dualres.bench.profile.checkpoints import ProfilePaths, wanted_job
from dualres.bench.profile.measure import this_machine
from dualres.bench.profile.measurements import keep, kept
from dualres.bench.profile.plan import EAGER, Plan
from dualres.bench.profile.run import PlanResult, run
from dualres.utils.versions import all_versions
from tests.bench.profile.synthetic import made_up

PLAN = Plan("simulated", "itransformer", threads=1, quick=True)


@pytest.fixture(scope="module")
def place(bench):
    folder = bench()
    return ProfilePaths(folder / "ledger.sqlite", folder / "stores")


def measured(place, plans=(PLAN,), **options):
    """What came of it, and the stages that were told."""
    stages, ended = [], []
    options = {"updates": 1, **options}
    results = run(
        plans, place, tell_of=lambda plan: lambda stage, *_: stages.append(stage), ended=ended.append, **options
    )
    assert ended == results
    return results, stages


@pytest.fixture(scope="module")
def first(place):
    return measured(place)


def test_a_model_is_fitted_measured_and_kept(first, place):
    ((ended,), stages) = first
    assert {"fit", "window", "prepared", "native"} <= set(stages)
    assert not ended.known
    assert not ended.measurement.facts["model"]["from_ledger"]
    assert ended.measurement.facts["model"]["plan"]["recipe"]["updates"] == 1
    assert kept(place.kept) == {PLAN: ended.measurement}


def test_what_is_kept_is_not_measured_again(first, place):
    ((ended,), stages) = measured(place)
    assert ended.known
    assert ended.measurement == first[0][0].measurement
    assert stages == []


def test_again_means_again_with_the_model_there_is(first, place):
    ((ended,), stages) = measured(place, again=True)
    assert "fit" not in stages
    old, new = first[0][0].measurement, ended.measurement
    assert new.facts["model"] == old.facts["model"]
    assert new.seconds("window") != old.seconds("window")
    assert kept(place.kept) == {PLAN: new}


def test_a_model_that_the_ledger_has_got_meanwhile_is_measured(bench, place):
    folder, job = bench(), replace(wanted_job(PLAN, 3), most_judged=1)
    where = ProfilePaths(folder / "ledger.sqlite", folder / "stores")
    keep(made_up(PLAN), where.kept)  # of a model that was fitted for it, as long as there was no ledger
    assert measured(where, updates=None)[0][0].known
    with Ledger(where.ledger) as ledger:
        ledger.record(job, run_job(job, where.stores, folder))
    ((ended,), _) = measured(where, updates=None)
    assert not ended.known
    assert ended.measurement.facts["model"]["from_ledger"]
    assert ended.measurement.facts["model"]["key"] == job.key


def test_a_damaged_measurement_is_told_and_measured_again(first, place):
    path = place.kept / f"{PLAN.name}.json"
    path.write_text("{}")
    ((ended,), _) = measured(place)
    assert path.name in ended.damage
    assert not ended.known
    assert kept(place.kept) == {PLAN: ended.measurement}


def test_a_failure_costs_that_plan_only(first, place):
    lacking = replace(PLAN, dataset="cwru")
    results, _ = measured(place, (lacking, PLAN))
    assert results[0].measurement is None
    assert not results[0].elsewhere
    assert "cwru" in results[0].reason
    assert results[1].known


@pytest.mark.parametrize(
    ("fact", "name"),
    [*product(["machine"], ["device", "cpu", "cores", "kernel"]), *product(["versions"], ["source", "torch"])],
)
def test_a_measurement_with_other_code_or_on_another_machine_is_told(fact, name):
    measurement = made_up(PLAN)
    measurement.facts.update(versions=all_versions(), machine={**this_machine("cpu"), "load_before": None})
    assert not PlanResult(PLAN, measurement, known=True).elsewhere
    measurement.facts[fact][name] = "other"
    assert PlanResult(PLAN, measurement, known=True).elsewhere


def test_the_eager_way_uses_no_compiled_kernel_and_that_is_not_elsewhere():
    plan = replace(PLAN, way=EAGER)
    measurement = made_up(plan)
    measurement.facts.update(versions=all_versions(), machine={**this_machine("cpu"), "kernel": None})
    assert not PlanResult(plan, measurement, known=True).elsewhere


def test_a_measurement_of_another_model_does_not_count(first, place):
    ((ended,), _) = measured(place, updates=2)
    assert not ended.known
    assert ended.measurement.facts["model"]["plan"]["recipe"]["updates"] == 2
