"""The numbers of the tables, against hand-worked examples and scikit-learn."""

import statistics

import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import jobs, study
from dualres.bench.methods import NAMES
from dualres.bench.paper.protocol import PRIMARY_BUDGET
from dualres.bench.report.results import Results
from dualres.bench.report.tables import study_tables
from tests.bench.campaign.handmade import answered, right
from tests.bench.campaign.synthetic import synthetic_ledger, synthetic_outcome

UORED = jobs(study("bearing"), ["uored"])


def tables_of(ledger, name, **options):
    return {table.name: table for table in study_tables(Results(ledger, study(name), **options))}


def column(table, title):
    """A column's values by row."""
    place = table.header.index(title)
    return {tuple(v.text for v in row[: table.labels]): row[place] for row in table.rows}


def made(path, outcomes):
    ledger = Ledger(path / "ledger.sqlite")
    for job, outcome in outcomes:
        ledger.record(job, outcome)
    return ledger


def test_mean_and_sample_sd_over_seeds_by_hand(tmp_path):
    share = {41: 0.5, 42: 0.75, 43: 1.0}
    outcomes = [(job, right(job, share[job.seed])) for job in UORED if job.method == "dualres"]
    with made(tmp_path, outcomes) as ledger:
        value = column(tables_of(ledger, "bearing")["bearing_accuracy"], "DualRes")["UORED",]
    assert value.text == "75.00 ± 25.00 (n=3)"  # 50, 75 and 100: deviations of 25, 0 and 25, squared and halved
    assert (value.mean, value.sd, value.n) == (75.0, 25.0, 3)
    assert value.labelled_s == 1.024
    assert value.folds == ("U1", "U2")
    assert value.paper == "64.58 ± 15.73"


def test_an_undefined_ratio_counts_as_zero(tmp_path):
    # 12 recordings of each of two classes, all said to be of the first: F1 of 2/3, 0 and, without any, 0.
    first = [j for j in UORED if j.method == "dualres" and j.seed == 41]
    with made(tmp_path, [(job, answered(job, [0] * 12 + [1] * 12, [0] * 24)) for job in first]) as ledger:
        table = tables_of(ledger, "bearing")["bearing_by_fold"]
    assert column(table, "Fold 1")["UORED", "DualRes"].text == "22.22"
    assert column(table, "Mean")["UORED", "DualRes"].mean == pytest.approx(200 / 9)


def test_what_was_not_run_is_said_to_be_so(tmp_path):
    one_fold = [j for j in UORED if j.method == "mambasl" and j.seed == 41 and j.fold == "U1"]
    two_seeds = [j for j in UORED if j.method == "dualres" and j.seed in (41, 42)]
    with made(tmp_path, [(job, right(job, 0.5)) for job in one_fold + two_seeds]) as ledger:
        table = tables_of(ledger, "bearing")["bearing_accuracy"]
    assert column(table, "MiniRocket")["UORED",].text == "not run"
    assert column(table, "MiniRocket")["UORED",].mean is None
    assert column(table, "DualRes")["Paderborn",].shown == "not run [49.96 ± 1.13]"
    assert column(table, "MambaSL")["UORED",].text == "1 of 6 jobs"
    assert column(table, "DualRes")["UORED",].text == "50.00 ± 0.00 (n=2)"


def test_the_best_complete_value_is_bold_and_so_is_its_equal(tmp_path):
    shares = {"dualres": 0.75, "mambasl": 0.75, "minirocket": 1.0}
    outcomes = [(job, right(job, shares[job.method])) for job in UORED if job.method in shares]
    outcomes = [(job, o) for job, o in outcomes if (job.method, job.seed) != ("minirocket", 43)]  # not complete
    with made(tmp_path, outcomes) as ledger:
        tables = tables_of(ledger, "bearing")
    bold = {name: column(tables["bearing_accuracy"], name)["UORED",].bold for name in ("DualRes", "MambaSL")}
    assert bold == {"DualRes": True, "MambaSL": True}
    assert not column(tables["bearing_accuracy"], "MiniRocket")["UORED",].bold
    assert column(tables["bearing_by_fold"], "Mean")["UORED", "MiniRocket"].bold  # complete at the first seed


def test_seeds_that_no_study_asks_for_get_a_table_of_their_own(tmp_path):
    with synthetic_ledger(tmp_path / "l", ["pilot"], datasets=["simulated"]) as ledger:
        for job in jobs(study("pilot"), ["simulated"], methods=["dualres"], seeds=[42, 46]):
            ledger.record(job, synthetic_outcome(job))
        tables = tables_of(ledger, "pilot")
        both = jobs(study("pilot"), ["simulated"], methods=["dualres"], seeds=[41, 46], folds=["S2"])
        f1 = [100 * synthetic_outcome(job).macro_f1 for job in both]
    every = tables["pilot_every_seed"]
    assert column(every, "DualRes")["Rig", "6.144", "S2"].mean == pytest.approx(statistics.fmean(f1))
    assert column(every, "MambaSL")["Rig", "6.144", "both"].text.endswith("(n=1)")
    assert column(tables["pilot_simulated"], "Mean macro-F1")["DualRes",].seeds == (41,)


def test_seeds_of_another_study_with_the_same_jobs_do_not_count_as_more(tmp_path):
    # Replication runs the pilot's jobs on the rig at further seeds.
    with synthetic_ledger(tmp_path / "l", ["pilot"], datasets=["simulated"], seeds=[41, 42, 43]) as ledger:
        assert "pilot_every_seed" not in tables_of(ledger, "pilot")


@pytest.mark.parametrize("name", ["pilot", "ablation", "published"])
def test_tables_are_the_same_when_other_studies_share_the_ledger(name, tmp_path):
    """The study of recipes has some of the others' jobs on the rig with more seeds, and some by another recipe."""
    with synthetic_ledger(tmp_path / "alone", [name], datasets=["simulated"]) as ledger:
        alone = tables_of(ledger, name)
    with synthetic_ledger(tmp_path / "shared", [name, "recipes"], datasets=["simulated"]) as ledger:
        assert tables_of(ledger, name) == alone


def test_costs_are_the_stored_ones_and_a_cpu_has_no_gpu_memory(tmp_path):
    with synthetic_ledger(tmp_path / "l", ["pilot"], datasets=["simulated"]) as ledger:
        table = tables_of(ledger, "gearbox")["fit_costs_simulated"]  # the gearbox study has these jobs, too
    fits = [
        synthetic_outcome(j).facts["cost"]["fit_s"] for j in jobs(study("pilot"), ["simulated"], methods=["dualres"])
    ]
    assert column(table, "Registered")["DualRes",].text == "40,048"
    assert column(table, "File MiB")["DualRes",].mean == pytest.approx(162_000 / 2**20)
    assert column(table, "Fit s")["DualRes",].mean == pytest.approx(statistics.fmean(fits))
    assert column(table, "Train MiB")["DualRes",].text == "n/a"
    assert column(table, "Fit s")["Crossformer",].text == "not run"
    assert "x86_64" in table.note


def test_the_papers_costs_stand_beside_those_of_its_dataset_only_and_bold_is_the_lowest_neural_one(tmp_path):
    names = ("dualres", "minirocket", "crossformer")
    fits = dict(zip(names, (3.0, 1.0, 2.0), strict=True))
    with Ledger(tmp_path / "l") as ledger:
        for job in jobs(study("gearbox"), ["mcc5", "simulated"], methods=names, budgets=[PRIMARY_BUDGET]):
            outcome = synthetic_outcome(job)
            outcome.facts["cost"] |= {"fit_s": fits[job.method], "registered": int(fits[job.method])}
            ledger.record(job, outcome)
        tables = tables_of(ledger, "gearbox")
    table, rig = tables["fit_costs_mcc5"], tables["fit_costs_simulated"]
    beside = {row[0].text: [value.paper for value in row[1:]] for row in table.rows}
    assert beside["DualRes"] == ["40,048", "40,048", "0.164", "49.8", "41.8"]
    assert beside["MiniRocket"] == ["n/a", "n/a", "0.802", "5.2", "n/a (CPU)"]
    assert beside["Crossformer"] == ["189,576", "66,440", "4.782", "56.0", "37.2"]
    assert len(beside) == len(NAMES)
    assert [name for (name,), value in column(table, "Registered").items() if value.bold] == ["Crossformer"]
    assert not any(value.bold for value in column(table, "Fit s").values()), "of several machines"
    assert not any(value.of_paper for row in rig.rows for value in row)
    assert "9,996 fixed features" in table.note
    assert "shared host" in table.note
    assert "shared host" not in rig.note


def test_allocations_are_in_bold_when_all_were_run(tmp_path):
    with Ledger(tmp_path / "l") as ledger:
        planned = list(jobs(study("allocation"), ["simulated"]))
        for last in (False, True):
            for job in planned[-1:] if last else planned[:-1]:
                ledger.record(job, synthetic_outcome(job))
            table = tables_of(ledger, "allocation")["allocation_simulated"]
            assert any(value.bold for cells in table.rows for value in cells) == last
            assert ("Bold" in table.note) == last


def test_a_share_of_fits_done_together_is_not_shown_as_a_time(tmp_path):
    with Ledger(tmp_path / "l") as ledger:
        for job in jobs(study("gearbox"), ["simulated"], methods=("dualres", "mambasl"), budgets=[PRIMARY_BUDGET]):
            outcome = synthetic_outcome(job)
            outcome.facts["cost"]["peak_bytes"] = 2**20
            outcome.facts["fitted_together"] = 1 + 5 * (job.method == "dualres" and job.fold == "S2")
            ledger.record(job, outcome)
        table = tables_of(ledger, "gearbox")["fit_costs_simulated"]
    for title in ("Fit s", "Train MiB"):
        shown = {name: (value.text, value.mean) for (name,), value in column(table, title).items()}
        assert shown["DualRes"] == ("shared", None)
        assert shown["MambaSL"][1] is not None
    assert "none of them has a time or memory of its own" in table.note
