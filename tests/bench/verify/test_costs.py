"""Reports with costs, verified; and every kind of change to them, noticed."""

import csv
import json

import pytest

from dualres.bench.methods import NAMES
from dualres.bench.report.tables import Settings, all_tables, write_tables
from dualres.bench.verify.tables import verify_tables
from dualres.utils.checksums import listed, write_sums
from tests.bench.campaign.synthetic import synthetic_ledger
from tests.bench.profile.synthetic import keep_all

SETTINGS = Settings(("pilot",))


@pytest.fixture
def bench(tmp_path):
    """A ledger, measurements on two devices and in both ways, a long record, and the report."""
    keep_all(tmp_path / "profile", ["cwru", "hust"], NAMES[:4])
    keep_all(tmp_path / "profile", ["cwru", "hust"], NAMES[:4], way="eager")
    keep_all(tmp_path / "profile", ["simulated"], ["dualres", "dualres/short"], "cpu", quick=True)
    keep_all(tmp_path / "profile", ["simulated"], ["dualres"], "cpu", long=True)
    with synthetic_ledger(tmp_path / "ledger.sqlite", ["pilot"], datasets=["simulated"]) as ledger:
        write_tables(all_tables(ledger, SETTINGS), tmp_path / "tables", SETTINGS)
        yield ledger, tmp_path


def changed(folder, table, row, column, **fields):
    """Change a cell of the CSV file, hashes included, as somebody would who wants it to be believed."""
    path = folder / "tables.csv"
    records = list(csv.DictReader(path.read_text().splitlines()))
    one = next(r for r in records if (r["table"], r["row"], r["column"]) == (table, row, column))
    one.update(fields)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(one), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
    write_sums(folder, listed(folder))


def test_a_report_agrees_with_the_measurements_beside_the_ledger(bench):
    ledger, folder = bench
    assert verify_tables(ledger, folder / "tables") == []


@pytest.mark.parametrize(
    ("place", "fields", "words"),
    [
        (("costs_window_cuda_4", "DualRes", "CWRU"), {"mean": "1.0"}, "the measurements give"),
        (("costs_window_cuda_4", "DualRes", "CWRU"), {"text": "0.01"}, "shows '0.01'"),
        (("costs_window_cuda_4_eager", "DualRes", "CWRU"), {"paper": "9.99"}, "not what the ledger gives now (paper)"),
        (("costs_window_cuda_4_eager", "MambaSL", "HUST"), {"mean": "1.0"}, "the measurements give"),
        (
            ("costs_summary_cuda_4_eager", "MiniRocket (CPU)", "Median (range), ms"),
            {"mean": "1.0"},
            "measurements give",
        ),
        (("costs_ways_cuda_4", "DualRes", "HUST, eager"), {"mean": "1.0"}, "the measurements give"),
        (("costs_ways_cuda_4", "DualRes", "HUST, shipped"), {"mean": "1.0"}, "the measurements give"),
        (("costs_ways_cuda_4", "TSCMamba", "CWRU, eager"), {"best": "1"}, "in bold print and should not be"),
        (("costs_window_cuda_4", "PatchTST", "CWRU"), {"text": "1.00", "mean": "1.0"}, "the measurements give none"),
        (("costs_summary_cuda_4", "MambaSL", "Median (range), ms"), {"mean": "1.0"}, "the measurements give"),
        (("costs_tails_cuda_4", "CWRU / TSCMamba", "Native"), {"mean": ""}, "mean is not given"),
        (("costs_window_cuda_4", "TSCMamba", "CWRU"), {"best": "1"}, "in bold print and should not be"),
        (("costs_window_cuda_4", "DualRes", "CWRU"), {"dataset": "../cwru"}, "cannot be read"),
        (("costs_checks_cuda_4", "CWRU / DualRes", "Same class"), {"text": "no"}, "not what the ledger gives now"),
    ],
)
def test_a_changed_cell_is_noticed(bench, place, fields, words):
    ledger, folder = bench
    changed(folder / "tables", *place, **fields)
    assert any(words in problem for problem in verify_tables(ledger, folder / "tables"))


def test_a_changed_repetition_and_an_eager_measurement_of_other_scores_are_noticed(bench):
    ledger, folder = bench
    for name, part, change, words in (
        ("4", ("workloads", "prepared"), {"seconds": [1.0] * 10}, "costs_prepared_cuda_4, MambaSL, HUST: mean is"),
        ("4-eager", ("agreement", "shipped"), {"difference": 2e-5}, "was measured with scores that are 2.0e-05 off"),
    ):
        path = folder / "profile" / f"hust-mambasl-cuda-{name}.json"
        content = json.loads(path.read_text())
        content[part[0]][part[1]].update(change)
        path.write_text(json.dumps(content))
        assert any(words in problem for problem in verify_tables(ledger, folder / "tables"))


def test_measurements_made_after_the_report_are_noticed(bench):
    ledger, folder = bench
    keep_all(folder / "profile", ["mcc5"], ["dualres"])
    assert any("costs_window_cuda_4" in problem for problem in verify_tables(ledger, folder / "tables"))
