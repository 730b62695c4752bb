import statistics
from dataclasses import replace

import pytest

from dualres.bench.campaign.studies import RIG
from dualres.bench.methods import NAMES
from dualres.bench.paper.printed import DATASETS as PAPER_DATASETS
from dualres.bench.profile.measurements import keep, kept
from dualres.bench.profile.plan import plan
from dualres.bench.report.tables.costs import cost_tables
from tests.bench.profile.synthetic import keep_all, made_up


def by_name(directory):
    return {table.name: table for table in cost_tables(directory)}


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """All of the paper's datasets on a GPU."""
    return keep_all(tmp_path_factory.mktemp("bench") / "profile", PAPER_DATASETS).parent


@pytest.fixture(scope="module")
def eager(tmp_path_factory):
    return keep_all(tmp_path_factory.mktemp("eager") / "profile", PAPER_DATASETS, way="eager").parent


@pytest.fixture
def rig(tmp_path):
    """Two methods on the rig, on a CPU."""
    return keep_all(tmp_path / "profile", [RIG], ["dualres", "mambasl"], "cpu").parent


def row(table, name):
    return next(row for row in table.rows if row[0].text == name)


def test_a_full_set_fills_every_table(full):
    tables = by_name(full)
    kinds = "window prepared native allocated summary workloads tails memory storage checks"
    assert list(tables) == [f"costs_{kind}_cuda_4" for kind in kinds.split()]
    for table in tables.values():
        texts = [value.text for line in table.rows for value in line]
        assert "not run" not in texts
        assert "missing" not in table.note


def test_a_cell_is_the_median_with_the_papers_beside_it(eager):
    table = by_name(eager)["costs_native_cuda_4_eager"]
    known = kept(eager / "profile")
    position = 1 + PAPER_DATASETS.index("kaist")
    value = row(table, "DualRes")[position]
    seconds = known[plan("kaist", "dualres", "cuda", 4, way="eager")].seconds("native")
    assert value.mean == pytest.approx(1000 * statistics.median(seconds))
    assert value.shown == f"{value.mean:.2f} [146.51]"
    assert row(table, "MiniRocket (CPU)")[position].paper == "556.55"
    assert "did their scans by the CUDA kernel of mamba_ssm" in table.note


def test_the_papers_value_is_not_put_beside_the_shipped_way_but_for_minirocket(full):
    for kind in ("window", "native", "allocated", "summary"):
        table = by_name(full)[f"costs_{kind}_cuda_4"]
        beside = {line[0].text for line in table.rows if any(value.paper for value in line)}
        assert beside <= {"MiniRocket (CPU)"}


def test_every_table_says_its_way(full, eager):
    for directory, way in ((full, "Shipped: each"), (eager, "Eager, like for like: every neural")):
        for table in cost_tables(directory):
            assert f"(GPU, {way.partition(':')[0].partition(',')[0].lower()})" in table.title
            assert way in table.caption
            assert "MiniRocket: one way only, on the CPU, shown with both." in table.caption


def test_both_ways_stand_side_by_side_each_with_its_own_bold(tmp_path):
    keep_all(tmp_path / "profile", ["cwru", "hust"], NAMES[:4])
    keep_all(tmp_path / "profile", ["cwru"], NAMES[:3], way="eager")
    keep_all(tmp_path / "profile", ["cwru"], ["dualres/short"], way="eager")
    table = by_name(tmp_path)["costs_ways_cuda_4"]
    assert table.header == ("Method", "CWRU, eager", "CWRU, shipped")
    known = kept(tmp_path / "profile")
    assert [value.mean for value in row(table, "DualRes")[1:]] == [
        known[plan("cwru", "dualres", "cuda", 4, way=way)].median_ms("window") for way in ("eager", "shipped")
    ]
    _, eager, shipped = row(table, "MiniRocket (CPU)")
    assert eager.mean == shipped.mean
    assert row(table, "TSCMamba")[1].text == "not run"
    for position in (1, 2):
        bold = [line[0].text for line in table.rows if line[position].bold]
        neural = [line for line in table.rows if "Rocket" not in line[0].text and line[position].mean]
        assert bold == [min(neural, key=lambda line: line[position].mean)[0].text]
    assert "Eager, like for like:" in table.caption
    assert "Shipped:" in table.caption


def test_ways_without_a_common_dataset_do_not_stand_side_by_side(tmp_path):
    keep_all(tmp_path / "profile", ["hust"], ["dualres"])
    keep_all(tmp_path / "profile", ["cwru"], ["dualres"], way="eager")
    assert not [name for name in by_name(tmp_path) if name.startswith("costs_ways")]


def test_the_summary_is_over_the_papers_datasets(eager):
    keep_all(eager / "profile", [RIG], way="eager")
    value = row(by_name(eager)["costs_summary_cuda_4_eager"], "DualRes")[1]
    known, one = kept(eager / "profile"), plan("cwru", "dualres", "cuda", 4, way="eager")
    medians = [known[replace(one, dataset=dataset)].median_ms("window") for dataset in PAPER_DATASETS]
    assert value.mean == pytest.approx(statistics.median(medians))
    assert value.text == f"{value.mean:.2f} ({min(medians):.2f}\N{EN DASH}{max(medians):.2f})"
    assert value.paper == "1.75 (1.56\N{EN DASH}2.63)"
    for each in (eager / "profile").glob(f"{RIG}-*"):
        each.unlink()


def test_a_partial_set_says_what_is_missing(rig):
    tables = by_name(rig)
    assert "costs_allocated_cpu_4" not in tables  # a CPU tells no such thing
    assert "costs_summary_cpu_4" not in tables  # there is one dataset only
    table = tables["costs_window_cpu_4"]
    assert [line[1].text == "not run" for line in table.rows] == [name not in ("dualres", "mambasl") for name in NAMES]
    assert "Datasets not measured: Paderborn, CWRU, KAIST, UORED, HUST, Ottawa, MCC5." in table.note
    assert "Of 9 combinations, 7 are missing." in table.note


def test_the_summary_is_over_all_where_one_of_the_papers_datasets_was_measured(tmp_path):
    keep_all(tmp_path / "profile", ["cwru", "phm2009", "simulated"], way="eager")
    table = by_name(tmp_path)["costs_summary_cuda_4_eager"]
    assert "of 3 datasets: CWRU, PHM2009, Rig" in table.note
    value = row(table, "DualRes")[1]
    assert value.low < value.mean < value.high
    assert value.paper is None, "the paper's is over others"


def test_a_summary_of_fewer_datasets_than_others_have_is_no_number(tmp_path):
    keep_all(tmp_path / "profile", ["cwru", "hust"], ["dualres"])
    keep_all(tmp_path / "profile", ["cwru"], ["mambasl"])
    table = by_name(tmp_path)["costs_summary_cuda_4"]
    assert [value.text for value in row(table, "MambaSL")[1:]] == ["1 of 2 datasets", "1 of 2 datasets"]
    assert row(table, "MambaSL")[1].mean is None
    assert [value.text for value in row(table, "PatchTST")[1:]] == ["not run", "not run"]
    assert row(table, "DualRes")[1].paper is None


def test_a_busy_machine_is_told(rig):
    assert "not idle" not in by_name(rig)["costs_window_cpu_4"].caption
    measurement = made_up(plan(RIG, "dualres", "cpu", 4))
    measurement.facts["machine"]["load_before"] = [17.25, 9.0, 9.0]
    keep(measurement, rig / "profile")
    words = "The machine was not idle: up to 17.2 processes ran or waited before a measurement."
    assert words in by_name(rig)["costs_window_cpu_4"].caption


def test_a_quick_run_and_excerpts_are_named_and_have_no_paper_beside_them(tmp_path):
    keep_all(tmp_path / "profile", ["cwru"], ["dualres"], quick=True)
    keep(made_up(plan("hust", "dualres", "cuda", 4, quick=True), variant="excerpts"), tmp_path / "profile")
    for table in cost_tables(tmp_path):
        assert "QUICK RUN" in table.caption
        assert "HUST: excerpts of the recordings" in table.caption
        assert table.name.endswith("_cuda_4_quick")
    window, workloads = (by_name(tmp_path)[f"costs_{kind}_cuda_4_quick"] for kind in ("window", "workloads"))
    assert all(value.paper is None for line in window.rows for value in line)
    cwru, hust = workloads.rows
    assert [value.paper for value in cwru[1:]] == ["10.11", "23", None, None, None]
    assert not any(value.paper for value in hust)


def test_the_papers_gpu_is_not_put_beside_a_cpu(tmp_path):
    keep_all(tmp_path / "profile", ["cwru"], ["dualres", "minirocket"], "cpu")
    table = by_name(tmp_path)["costs_window_cpu_4"]
    assert row(table, "DualRes")[1].paper is None
    assert row(table, "MiniRocket")[1].paper == "54.52"
