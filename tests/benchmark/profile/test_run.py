"""Real measurements of a fast method on the rig, each in its own process."""

from dataclasses import replace

import pytest

from dualres.benchmark.profile.keep import kept
from dualres.benchmark.profile.plan import Plan
from dualres.benchmark.profile.run import Ended, Place, run
from dualres.benchmark.work import all_versions, machine
from tests.benchmark.profile.synthetic import made_up

PLAN = Plan("simulated", "itransformer", threads=1, quick=True)


@pytest.fixture(scope="module")
def place(bench):
    folder = bench()
    return Place(folder / "ledger.sqlite", folder / "stores")


def measured(place, plans=(PLAN,), **options):
    """What came of it, and the stages that were told."""
    stages, ended = [], []
    options = {"updates": 1, **options}
    results = run(plans, place, tell=lambda plan, stage, *_: stages.append(stage), ended=ended.append, **options)
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


def test_a_failure_costs_that_plan_only(first, place):
    lacking = replace(PLAN, dataset="cwru")
    results, _ = measured(place, (lacking, PLAN))
    assert results[0].measurement is None
    assert "cwru" in results[0].reason
    assert results[1].known


def test_a_measurement_of_other_code_or_another_machine_is_told():
    measurement = made_up(PLAN)
    measurement.facts["versions"] = all_versions()
    assert Ended(PLAN, measurement, known=True).elsewhere
    measurement.facts["machine"] = machine("cpu")
    assert not Ended(PLAN, measurement, known=True).elsewhere
    measurement.facts["versions"] = {"source": "other"}
    assert Ended(PLAN, measurement, known=True).elsewhere
    assert not Ended(PLAN, None, reason="failed").elsewhere
