"""The published scores are intact, and a published cell comes out again."""

import csv
import json
import math
from collections import defaultdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dualres import cli
from dualres.bench.campaign import run_job as work
from dualres.bench.campaign.exchange.read_export import load_export
from dualres.bench.datasets import catalog
from dualres.bench.datasets.prepare import prepare
from dualres.bench.paper.protocol import STUDIES
from dualres.bench.report.plots.drawn import bears, mark_of, read_drawn
from dualres.bench.verify.manifest import check_manifest
from dualres.learn.fold import Budget
from dualres.utils.checksums import check_sums, listed
from tools.figures.__main__ import SCHEMATICS

ROOT = Path(__file__).parents[2]
OF_ONE_RECIPE = {*STUDIES, "broad", "published"} - {"duration"}  # which has several numbers of updates


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    with load_export(ROOT / "results", tmp_path_factory.mktemp("ledger") / "ledger.sqlite") as loaded:
        yield loaded


@pytest.mark.parametrize("folder", ["measured", "chosen"])
def test_what_lies_beside_the_scores_is_as_it_was_written(folder):
    assert check_sums(ROOT / "results" / folder) == []


def test_the_manifest_lists_every_file_of_the_results():
    problems = check_manifest(ROOT / "results")
    assert problems == [], "`make manifest` renews results/MANIFEST"


@pytest.mark.exhaustive
def test_the_results_verify():
    result = CliRunner().invoke(cli.app, ["bench", "verify", str(ROOT / "results")])
    assert result.exit_code == 0, result.output
    of_results = len(read_drawn(ROOT / "results" / "figures")) - len(SCHEMATICS)
    assert f"{of_results} figures" in result.output, "all of them are drawn again"


def test_every_figure_of_the_results_was_drawn_of_the_data_beside_it():
    figures = ROOT / "results" / "figures"
    lines = read_drawn(figures)
    assert {Path(name).stem for name in listed(figures) if name.endswith((".png", ".pdf"))} == lines.keys()
    for name, line in lines.items():
        assert bears(figures / f"{name}.png", mark_of(line)), name
        assert bears(figures / f"{name}.pdf", mark_of(line)), name


def test_a_cell_of_the_paper_s_studies_is_one_number():
    """The same method, folds, budget and seeds, wherever they stand: devices are not chosen table by table."""
    with (ROOT / "results" / "tables" / "tables.csv").open(encoding="utf-8") as file:
        records = [record for record in csv.DictReader(file) if record["study"] in OF_ONE_RECIPE]
    found = defaultdict(set)
    for record in records:
        if record["metric"] in ("macro_f1", "accuracy") and record["mean"] and not record["minus"]:
            names = ("metric", "dataset", "method", "budget", "folds", "seeds", "labelled_s")
            found[tuple(record[name] for name in names)] |= {(record["mean"], record["jobs"])}
    assert len(found) > 300
    assert not {place: several for place, several in found.items() if len(several) > 1}


def test_pages_that_no_script_fills_say_what_was_measured():
    def measured(name):
        return json.loads((ROOT / "results" / "measured" / f"{name}.json").read_text())

    def page(name):
        return " ".join((ROOT / name).read_text().split())

    campaign, size, cold = (measured(name) for name in ("campaign_cuda", "install_size", "cold_start"))
    took = f"one seed, took {campaign['now_s']:.0f} s on an H200"
    before = f"{campaign['former_finished']} of the {campaign['now_finished']} jobs were finished"
    assert (
        f"{took}; by the version that made the published results {before} after {campaign['former_s']:.0f} s"
        in page("docs/benchmark.md")
    )
    install = page("docs/install.md")
    assert f"counts what came: {size['mb']:.0f} MB" in install
    assert f"`du -m` counts {math.ceil(size['mib_on_disk'])} MiB" in install
    assert f"{cold['diagnose_s']:.2f} s in the median" in install
    assert f"{cold['over_numpy']:.1f} times Python" in install
    assert f"exports to C: {size['mb']:.0f} MB" in page("README.md")
    intervals = [one for of in measured("intervals")["held"].values() for laws in of.values() for one in laws.values()]
    given = [one for one in intervals if one["held"] is not None]
    now, before = ([one[how] for one in given] for how in ("held", "jackknife"))
    held = f"held the truth in {min(now):.0f} to {max(now):.0f} % of cases, by law and number"
    alone = f"by units alone, as they were before, in {min(before):.0f} to {max(before):.0f} %"
    assert f"{held}; {alone}" in page("docs/own-files.md")


@pytest.mark.exhaustive
def test_a_published_bearing_cell_comes_out_again(ledger, data, tmp_path):
    prepare(catalog.release("cwru"), data / "cwru", tmp_path / "stores" / "cwru", partial=True)
    repeats(ledger, tmp_path, dataset="cwru", method="dualres", fold="C1", seed=41)


@pytest.mark.slow
def test_a_published_gearbox_cell_comes_out_again(ledger, phm2009, tmp_path):
    (tmp_path / "stores").mkdir()
    (tmp_path / "stores" / "phm2009").symlink_to(phm2009)
    repeats(ledger, tmp_path, dataset="phm2009", method="dualres", fold="P2", seed=43)


@pytest.mark.exhaustive
def test_a_published_rig_cell_comes_out_again(ledger, tmp_path):
    repeats(ledger, tmp_path, dataset="simulated", method="dualres", fold="S1", seed=43, budget=Budget(1, 4))


def repeats(ledger, folder, **fields):
    found = [job for job in ledger.jobs().values() if all(getattr(job, k) == v for k, v in fields.items())]
    job = next(job for job in found if job.device == "cpu")
    published = ledger.outcome(job.key)
    for name in ("device", "kernel"):
        here = work.machine("cpu")[name]
        if here != published.facts["machine"][name]:
            pytest.skip(f"published on another {name}: {published.facts['machine'][name]}, here {here}")
    assert work.do(job, folder / "stores", folder / "bench").scores == published.scores
