import pytest

from dualres.bench.campaign.studies import study
from dualres.bench.report.results import Results
from dualres.bench.report.tables.model import NOT_PLANNED
from dualres.bench.report.tables.published_comparisons import controls, devices, fit_costs
from tests.bench.campaign.handmade import answered, right
from tests.bench.campaign.synthetic import synthetic_outcome
from tests.bench.report.tables.test_published import cell, made, planned


def published(ledger, **options):
    return Results(ledger, study("published"), **options)


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


def test_nothing_is_compared_where_nothing_ran_on_both(tmp_path):
    with made(tmp_path, [(job, synthetic_outcome(job)) for job in planned("cwru", "dualres", "minirocket")]) as ledger:
        assert devices(published(ledger)) is None


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
    assert [v.text for v in table.rows[0]] == [
        "CWRU", "DualRes", "40,048", "40,048", "30.5 ± 0.0 (n=5)", "2.5 ± 0.0 (n=5)",
    ]  # fmt: skip
    assert [cell(table, f"Fit s, {kind}", "CWRU", "MiniRocket").text for kind in ("CPU", "GPU")] == [
        "30.5 ± 0.0 (n=5)", NOT_PLANNED,
    ]  # fmt: skip
    assert cell(table, "Fit s, GPU", "CWRU", "MambaSL").text == "not run"
    assert forced.header[4:] == ("Fit s, GPU",)
    assert "x86_64" in table.note
