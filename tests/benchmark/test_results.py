import statistics

import pytest

from dualres.benchmark.ledger import Ledger
from dualres.benchmark.protocol import Budget
from dualres.benchmark.results import Results, percent_f1
from dualres.benchmark.studies import Quick, jobs, study
from tests.benchmark.synthetic import synthetic_ledger, synthetic_outcome

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


def test_further_seeds_are_used_where_they_were_run(tmp_path):
    ledger = synthetic_ledger(tmp_path / "l", ["pilot"], seeds=[41, 42, 43, 44, 45], datasets=["phm2009"])
    results = Results(ledger, study("pilot"))
    cell = results.cell(percent_f1, dataset="phm2009", method="dualres")
    assert cell.seeds == (41, 42, 43, 44, 45)
    assert cell.complete
    assert results.cell(percent_f1, dataset="phm2009", method="dualres", seeds=[41]).seeds == (41,)


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


def test_the_device_with_more_results_is_looked_at(tmp_path):
    ledger = synthetic_ledger(tmp_path / "l", ["pilot"], datasets=["phm2009"])
    for job in jobs(study("pilot"), ["phm2009"], device="cuda")[:2]:
        ledger.record(job, synthetic_outcome(job))
    assert Results(ledger, study("pilot")).device == "cpu"
    assert len(Results(ledger, study("pilot"), device="cuda").entries) == 2
