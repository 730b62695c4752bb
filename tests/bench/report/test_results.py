import statistics
from dataclasses import replace

import numpy as np
import pytest

from dualres.bench.campaign.ledger import Ledger, LedgerError
from dualres.bench.campaign.studies import Quick, jobs, study
from dualres.bench.report.adapted_scores import CONDITION, condition_of, f1_together, unlabelled_s
from dualres.bench.report.results import Results, percent_f1
from dualres.judge.batch_correction import corrected
from dualres.learn.fold import Budget
from tests.bench.campaign.synthetic import synthetic_ledger, synthetic_outcome

FIELDS = {"dataset": "mcc5", "method": "dualres", "budget": Budget(3, 4)}


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    return synthetic_ledger(tmp_path_factory.mktemp("ledger") / "l", ["replication"], datasets=["mcc5"])


def test_a_cell_is_the_mean_and_spread_over_seeds_of_the_mean_over_folds(ledger):
    cell = Results(ledger, study("replication")).cell(percent_f1, **FIELDS)
    by_hand = []
    for seed in (41, 42, 43):
        folds = [j for j in jobs(study("replication"), ["mcc5"]) if j.seed == seed and matches(j)]
        assert [j.fold for j in folds] == ["M1", "M2"]
        by_hand.append(sum(100 * synthetic_outcome(j).macro_f1 for j in folds) / 2)
    assert cell.values == pytest.approx(by_hand)
    assert cell.mean == pytest.approx(sum(by_hand) / 3)
    assert cell.sd == pytest.approx(statistics.stdev(by_hand))
    assert (cell.seeds, cell.planned, cell.complete, cell.labelled_s) == ((41, 42, 43), 6, True, 6.144)


def matches(job):
    return all(getattr(job, name) == value for name, value in FIELDS.items())


def test_what_was_not_run_is_no_number(ledger):
    results = Results(ledger, study("replication"))
    cell = results.cell(percent_f1, **{**FIELDS, "dataset": "simulated"})
    assert (cell.mean, cell.sd, cell.labelled_s, cell.complete) == (None, None, None, False)
    assert cell.planned == 6
    assert results.datasets() == ("mcc5",)


def test_a_seed_with_one_fold_missing_does_not_count(tmp_path):
    wanted = [j for j in jobs(study("replication"), ["mcc5"]) if matches(j)]
    with Ledger(tmp_path / "l") as ledger:
        for job in wanted[:-1]:
            ledger.record(job, synthetic_outcome(job))
        cell = Results(ledger, study("replication")).cell(percent_f1, **FIELDS)
    assert (cell.seeds, len(cell.values), len(cell.entries), cell.complete) == ((41, 42), 2, 5, False)


def test_a_further_seed_with_a_fold_missing_is_incomplete(tmp_path):
    with Ledger(tmp_path / "l") as ledger:
        for job in jobs(study("pilot"), ["phm2009"], methods=["dualres"], seeds=[41, 44])[:3]:
            ledger.record(job, synthetic_outcome(job))
        cell = Results(ledger, study("pilot")).cell(percent_f1, dataset="phm2009", method="dualres")
    assert (cell.seeds, cell.planned, cell.complete) == ((41,), 4, False)


def test_quick_and_full_never_meet(tmp_path):
    ledger = synthetic_ledger(tmp_path / "l", ["pilot"], quick=Quick(), datasets=["simulated"])
    assert Results(ledger, study("pilot")).entries == []
    assert len(Results(ledger, study("pilot"), quick=Quick()).entries) == 2


def on_both(path, counts):
    """A ledger of the published study in which so many of each method's jobs on a dataset are done on each device."""
    ledger = Ledger(path / "l")
    for (dataset, method), (on_cpu, on_gpu) in counts.items():
        for device, count in (("cpu", on_cpu), ("cuda", on_gpu)):
            for job in jobs(study("published"), [dataset], methods=[method], device=device)[:count]:
                ledger.record(job, synthetic_outcome(job))
    return ledger


def looked_at(results):
    return {(e.job.dataset, e.job.method): e.job.device for e in results.entries}


def test_of_every_method_the_device_with_more_results_is_looked_at_and_the_cpu_where_both_have_as_many(tmp_path):
    counts = {("phm2009", "dualres"): (2, 2), ("phm2009", "mambasl"): (1, 2)}
    with on_both(tmp_path, counts) as ledger:
        for name in ("pilot", "published"):
            results = Results(ledger, study(name))
            assert looked_at(results) == {("phm2009", "dualres"): "cpu", ("phm2009", "mambasl"): "cuda"}
            alike = [j for j in results.planned.values() if (j.dataset, j.method) == ("phm2009", "mambasl")]
            assert {job.device for job in alike} == {"cuda"}
        forced = Results(ledger, study("pilot"), device="cuda")
        assert set(looked_at(forced).values()) == {"cuda"}
        assert len(forced.entries) == 4


def test_a_method_of_the_published_study_may_have_another_device_on_another_dataset(tmp_path):
    counts = {("phm2009", "dualres"): (3, 1), ("cwru", "dualres"): (1, 2), ("cwru", "minirocket"): (2, 0)}
    with on_both(tmp_path, counts) as ledger:
        results = Results(ledger, study("published"))
        devices = {("phm2009", "dualres"): "cpu", ("cwru", "dualres"): "cuda", ("cwru", "minirocket"): "cpu"}
        assert looked_at(results) == devices
        assert len(results.entries) == 3 + 2 + 2
        assert [len(results.on_device(kind).where(method="dualres")) for kind in results.kinds] == [4, 3]


def test_own_seeds_are_those_of_the_method_and_budget_without_further_ones(tmp_path):
    with Ledger(tmp_path / "l") as ledger:
        for job in jobs(study("published"), ["phm2009"], methods=["mambasl"], seeds=[46]):
            ledger.record(job, synthetic_outcome(job))
        results = Results(ledger, study("published"))
    fields = {"dataset": "phm2009", "budget": Budget(3, 4)}
    assert results.planned_seeds(method="mambasl", **fields) == (41, 42, 43)
    assert results.planned_seeds(method="medformer", **fields) == (41,)
    assert results.planned_seeds(method="medformer", dataset="phm2009", budget=Budget(1, 4)) == ()
    assert 46 in {job.seed for job in results.planned.values()}
    assert [results.main_budget(name) for name in ("phm2009", "cwru")] == [Budget(3, 4), Budget(1, 3)]


def test_a_study_s_own_jobs_are_told_from_another_s_at_more_seeds(tmp_path):
    """The study of recipes has jobs of the published one on the rig with more seeds, and others by its own recipe."""
    with synthetic_ledger(tmp_path / "l", ["published", "recipes"], datasets=["simulated"]) as ledger:
        shared, alone = Results(ledger, study("published")), tmp_path / "alone"
        fields = {"dataset": "simulated", "method": "dualres", "budget": Budget(3, 4)}
        assert shared.cell(percent_f1, **fields).seeds == (41, 42, 43, 44, 45)
        assert shared.planned_only().cell(percent_f1, **fields).seeds == (41, 42, 43)
        assert shared.planned_only().on_device("cpu").cell(percent_f1, **fields).seeds == (41, 42, 43)
        assert shared.planned_only().on_device("cuda").where(method="dualres") == []
    with synthetic_ledger(alone, ["published"], datasets=["simulated"]) as ledger:
        expected = Results(ledger, study("published"))
    assert shared.planned_only().planned == expected.planned
    assert {e.key for e in shared.planned_only().entries} == {e.key for e in expected.entries}


def test_both_recipes_of_a_method_are_looked_at_on_one_device(tmp_path):
    with Ledger(tmp_path / "l") as ledger:
        for dataset, kinds in (("cwru", ("cpu",)), ("phm2009", ("cpu", "cuda"))):
            for device in kinds:
                for job in jobs(study("recipes"), [dataset], methods=["dualres"], seeds=[41], device=device):
                    if device == "cuda" or dataset == "cwru" or job.recipe.plain:
                        ledger.record(job, synthetic_outcome(job))
        results = Results(ledger, study("recipes"))
    assert looked_at(results) == {("phm2009", "dualres"): "cuda", ("cwru", "dualres"): "cpu"}
    assert len(results.where(dataset="phm2009")) == 4


@pytest.mark.parametrize("names", [("gear", "..", "<script>"), ("\x1b[2J",)])
def test_foreign_class_names_are_refused(tmp_path, names):
    job = jobs(study("pilot"), ["simulated"])[0]
    outcome = synthetic_outcome(job)
    classes = (*names, *outcome.classes[len(names) :])
    with Ledger(tmp_path / "l") as ledger:
        ledger.record(job, replace(outcome, classes=classes))
        with pytest.raises(LedgerError, match=f"job {job.key[:16]} has other classes than fold {job.fold}"):
            Results(ledger, study("pilot"))


NAMES = {
    "phm2009": ("helical1_30hz_high_1", "30hz_high"),
    "simulated": ("break_outer_H_speed_2000rpm_10Nm", "2000rpm_10Nm"),
    "machines": ("m10_good_light_1240rpm_34pc", "1240rpm_34pc"),
    "cwru": ("OR007@6_2", "_2"),
}


@pytest.fixture
def outcome():
    (job,) = jobs(study("adaptation"), ["phm2009"], methods=["mambasl"], seeds=[41], folds=["P1"])[:1]
    return synthetic_outcome(job)


@pytest.mark.parametrize("dataset", CONDITION)
def test_a_recording_s_name_tells_its_condition(dataset):
    recording, condition = NAMES[dataset]
    assert condition_of(dataset, recording) == condition


def test_classes_named_too_seldom_are_named_again(outcome):
    """A class whose log-probability is too low by the same amount everywhere is right again when judged together."""
    scores = np.full((len(outcome.truth), 14), 0.01)
    scores[np.arange(len(outcome.truth)), outcome.truth] = 1.0
    scores[:, 0] *= 0.008
    tilted = replace(outcome, scores=tuple(map(tuple, (scores / scores.sum(1, keepdims=True)).tolist())))
    assert percent_f1(tilted) < 95
    assert f1_together(tilted) == pytest.approx(100)
    assert f1_together(tilted, "phm2009") == pytest.approx(100)


def test_conditions_make_a_difference(outcome):
    conditions = [condition_of("phm2009", name) for name in outcome.recordings]
    unknown, known = (corrected(outcome.scores, some) for some in ([None] * len(conditions), conditions))
    assert not np.allclose(unknown, known)
    truth = np.asarray(outcome.truth)
    right = [100 * float((named.argmax(1) == truth).mean()) for named in (unknown, known)]
    assert f1_together(outcome) == pytest.approx(right[0], abs=5)
    assert f1_together(outcome, "phm2009") == pytest.approx(right[1], abs=5)


def test_unlabelled_seconds_are_those_that_windows_cover(outcome):
    assert unlabelled_s(replace(outcome, windows=(1, 3))) == pytest.approx(0.512 + 1.024)
