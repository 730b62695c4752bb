"""The tables of the published study, from ledgers made by hand."""

import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import RIG, Quick, jobs, study
from dualres.bench.report.results import Results
from dualres.bench.report.tables import Settings, all_tables, study_tables, write_tables
from dualres.bench.report.tables.fill import NOT_PLANNED
from dualres.bench.report.tables.published import controls, devices, fit_costs
from dualres.bench.verify.tables import verify_tables
from dualres.learn.fold import Budget
from tests.bench.campaign.handmade import answered, right
from tests.bench.campaign.synthetic import synthetic_ledger, synthetic_outcome

SHARES = {41: 0.5, 42: 0.75, 43: 1.0, 44: 0.75, 45: 0.5}


def made(path, chosen):
    """A ledger of (job, outcome)."""
    ledger = Ledger(path / "ledger.sqlite")
    for job, outcome in chosen:
        ledger.record(job, outcome)
    return ledger


def planned(dataset, *methods, **options):
    return jobs(study("published"), [dataset], methods=methods or None, **options)


def published(ledger, **options):
    return Results(ledger, study("published"), **options)


def tables_of(ledger, **options):
    return {table.name: table for table in study_tables(published(ledger, **options))}


def cell(table, title, *labels):
    (row,) = (row for row in table.rows if tuple(v.text for v in row[: table.labels]) == labels)
    return row[table.header.index(title)]


@pytest.fixture
def phm(tmp_path):
    """DualRes and MiniRocket on a CPU, MambaSL on a GPU, the main budget only."""
    chosen = planned("phm2009", "dualres", "minirocket") + planned("phm2009", "mambasl", device="cuda")
    whole = [job for job in chosen if job.budget == Budget(3, 4)]
    with made(tmp_path, [(job, right(job, SHARES[job.seed])) for job in whole]) as ledger:
        yield tables_of(ledger)


def test_every_method_has_its_own_seeds_and_device_and_the_paper_a_column_of_its_own(phm):
    table = phm["published_phm2009"]
    assert cell(table, "Mean accuracy", "DualRes").text == "70.00 ± 20.92 (n=5)"  # 50, 75, 100, 75 and 50
    assert cell(table, "Mean accuracy", "MambaSL").text == "75.00 ± 25.00 (n=3)"
    own = [
        [cell(table, title, name).text for title in ("Seeds", "Device")] for name in ("DualRes", "MambaSL", "TSCMamba")
    ]
    assert own == [["41 to 45", "CPU"], ["41 to 43", "GPU"], ["41", "not run"]]
    scores = ("P1 macro-F1", "P2 macro-F1", "mean macro-F1", "mean accuracy")
    assert table.header[-4:] == tuple(f"Paper {title} (seed 41)" for title in scores)
    assert [v.text for v in table.rows[0][-4:]] == ["69.34", "52.94", "61.14", "60.36"]
    assert cell(table, "Paper mean macro-F1 (seed 41)", "MiniRocket").text == NOT_PLANNED
    assert not any(value.bold or value.paper for row in table.rows for value in row)
    assert "fitted on a CPU (DualRes, MiniRocket) and a GPU (MambaSL)." in table.caption


def test_every_seed_stands_alone_with_the_papers_value_of_the_same_seed_beside_it(phm):
    table = phm["published_phm2009_seeds"]
    assert [row[1].text for row in table.rows if row[0].text == "MambaSL"] == ["41", "42", "43"]
    assert cell(table, "P1 macro-F1", "DualRes", "41").paper == "69.34"
    assert cell(table, "P1 macro-F1", "DualRes", "42").paper is None
    assert cell(table, "Mean accuracy", "MambaSL", "41").paper == "39.64"
    assert cell(table, "Mean macro-F1", "DualRes", "43").text == "21.43"  # three of fourteen classes, all right
    assert "Over several seeds" not in table.note


def test_budgets_are_ordered_by_seconds_and_those_of_equal_seconds_by_recordings(phm):
    table = phm["published_phm2009_budgets"]
    assert [row[0].text for row in table.rows[::3]] == ["1 x 3", "3 x 1", "1 x 4", "2 x 4", "3 x 4"]
    assert [row[1].text for row in table.rows[::3]] == ["1.536", "1.536", "2.048", "4.096", "6.144"]
    assert cell(table, "Mean macro-F1", "3 x 4", "6.144", "DualRes").seeds == (41,)
    assert cell(table, "P1 macro-F1", "1 x 3", "1.536", "DualRes").text == "not run"


def test_excerpts_are_said_to_be_none_of_the_papers(tmp_path):
    chosen = [(job, synthetic_outcome(job)) for job in planned("cwru", "dualres")]
    for _, outcome in chosen:
        outcome.facts["variant"] = "excerpts"
    with made(tmp_path, chosen) as ledger:
        tables = tables_of(ledger)
    table, by_seed = tables["published_cwru"], tables["published_cwru_seeds"]
    assert cell(table, "Paper mean macro-F1 (3 seeds)", "DualRes").text == "68.04 ± 4.06"
    assert cell(table, "Paper mean accuracy (3 seeds)", "DualRes").text == "64.29 ± 3.57"
    assert [value.paper for value in by_seed.rows[0][2:]] == ["69.17", "73.40", "71.28", None]
    assert not any(value.paper for row in by_seed.rows if row[1].text != "41" for value in row)
    for one in (table, by_seed):
        assert "CWRU: excerpts of the recordings, not comparable with the paper." in one.caption
        assert "the recordings at 2 hp are excerpts of at most 4 s" in one.note


def test_the_rig_is_compared_at_one_seed_and_its_budgets_have_every_methods_own(tmp_path):
    with made(tmp_path, [(job, synthetic_outcome(job)) for job in planned(RIG, "dualres", "minirocket")]) as ledger:
        tables = tables_of(ledger)
    assert cell(tables["published_rig"], "Mean macro-F1", "DualRes").seeds == (41,)
    assert sum(row[3].bold for row in tables["published_rig"].rows) == 1
    budgets = tables["published_rig_budgets"]
    assert len(budgets.rows) == 2 * 7
    assert cell(budgets, "Mean macro-F1", "6 x 12", "36.864", "DualRes").seeds == (41, 42, 43)
    assert cell(budgets, "Seeds", "6 x 12", "36.864", "MiniRocket").text == "41"


def test_a_collapse_to_one_class_is_seen(tmp_path):
    truth = [i % 4 for i in range(14)]
    chosen = [(job, answered(job, truth, [2] * 14)) for job in planned("cwru", "dualres")]
    chosen += [(job, answered(job, truth, truth)) for job in planned("cwru", "minirocket")]
    with made(tmp_path, chosen) as ledger:
        table = tables_of(ledger)["published_collapse"]
    collapsed, right_ones = (
        [cell(table, title, "CWRU, 4 classes", name) for title in table.header[2:]]
        for name in ("DualRes", "MiniRocket")
    )
    assert [value.mean for value in collapsed[:2]] == [1.0, 100.0]
    losses = [outcome.history[-1].loss for job, outcome in chosen if job.method == "dualres"]
    assert collapsed[2].mean == pytest.approx(sum(losses) / len(losses))
    assert [value.mean for value in right_ones[:2]] == [4.0, pytest.approx(100 * 4 / 14)]
    assert right_ones[2].text == "n/a"


def test_a_quick_run_is_not_put_beside_the_paper(tmp_path):
    with synthetic_ledger(tmp_path / "l", ["published"], quick=Quick(), datasets=["cwru", "phm2009"]) as ledger:
        tables = tables_of(ledger, quick=Quick())
    assert not any("Paper" in title for table in tables.values() for title in table.header)
    assert all("QUICK RUN" in table.caption for table in tables.values())
    assert "published_rig" not in tables


@pytest.mark.parametrize("device", [None, "cpu"])
def test_a_report_of_two_devices_agrees_with_its_ledger(tmp_path, device):
    settings = Settings(("published",), device=device)
    chosen = [*planned("cwru", "dualres", "minirocket", "patchtst"), *planned("phm2009")[:40]]
    chosen += [*planned("cwru", "dualres", "mambasl", device="cuda"), *planned("phm2009", "dualres", device="cuda")]
    with made(tmp_path, [(job, synthetic_outcome(job)) for job in chosen]) as ledger:
        write_tables(all_tables(ledger, settings), tmp_path / "tables", settings)
        assert verify_tables(ledger, tmp_path / "tables") == []
    assert (tmp_path / "tables/published_devices.md").exists() == (device is None)


def test_a_control_is_compared_seed_by_seed(tmp_path):
    truth = [i % 2 for i in range(8)]
    wrong = [1 - t for t in truth]
    lost = {("dualres", 42), ("dualres/short", 41), ("dualres/short", 43), ("dualres/short", 44)}
    chosen = [
        (job, answered(job, truth, wrong if (job.method, job.seed) in lost else truth))
        for job in planned("phm2009", "dualres", "dualres/short")
        if (job.budget.recordings, job.budget.windows) == (3, 4)
    ]
    with made(tmp_path, chosen) as ledger:
        table = controls(published(ledger))
    whole = 200 / 14  # two classes of fourteen are named right
    found = table.rows[0][1]
    assert found.mean == pytest.approx(2 / 5 * whole)  # +1, -1, +1, +1, 0
    assert found.sd == pytest.approx(whole * (3.2 / 4) ** 0.5)
    assert found.n == 10
    assert found.text.startswith(f"{found.mean:+.2f} ± {found.sd:.2f} [")
    assert cell(table, table.header[2], "Short only").text == "1 of 5"
    assert cell(table, table.header[2], "Long only").text == "not run"


def test_what_ran_on_both_devices_is_compared_over_all_budgets(tmp_path):
    on_cpu = planned("phm2009", "dualres", "minirocket")[:14]
    on_gpu = planned("phm2009", "dualres", device="cuda")
    chosen = [(job, right(job, 1.0)) for job in on_cpu]
    chosen += [(job, right(job, 0.0 if (job.seed, job.fold) == (42, "P2") else 1.0)) for job in on_gpu]
    shared = sum(job.method == "dualres" for job in on_cpu)
    with made(tmp_path, chosen) as ledger:
        table = devices(published(ledger))
        assert devices(published(ledger, device="cpu")) is None
    assert [row[1].text for row in table.rows] == ["DualRes"]
    largest = 300 / 14  # three classes of fourteen, all right or none
    assert cell(table, "Largest", "PHM2009", "DualRes").mean == pytest.approx(largest)
    mean = cell(table, "Mean", "PHM2009", "DualRes")
    assert (mean.mean, mean.n) == (pytest.approx(largest / shared), shared)
    assert mean.text.endswith(f"({shared} pairs)")
    assert "fitted on a CPU and a GPU." in table.caption


def test_fits_are_timed_on_each_device_apart(tmp_path):
    chosen = []
    for device, seconds in (("cpu", 30.0), ("cuda", 2.0)):
        for job in planned("cwru", "dualres", "minirocket" if device == "cpu" else "dualres", device=device):
            outcome = synthetic_outcome(job)
            outcome.facts["cost"]["fit_s"] = seconds + (job.fold == "C2")
            chosen.append((job, outcome))
    with made(tmp_path, chosen) as ledger:
        table = fit_costs(published(ledger))
        forced = fit_costs(published(ledger, device="cuda"))
    times = ["30.5 ± 0.0 (n=5)", "2.5 ± 0.0 (n=5)"]
    assert [v.text for v in table.rows[0]] == ["CWRU", "DualRes", "40,048", "40,048", *times]
    rocket = [cell(table, f"Fit s, {kind}", "CWRU", "MiniRocket").text for kind in ("CPU", "GPU")]
    assert rocket == [times[0], NOT_PLANNED]
    assert cell(table, "Fit s, GPU", "CWRU", "MambaSL").text == "not run"
    assert forced.header[4:] == ("Fit s, GPU",)
    assert "x86_64" in table.note
