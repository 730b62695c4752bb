"""Recipes side by side, from a ledger made by hand."""

import statistics

import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import NEURAL, jobs, study
from dualres.bench.datasets import catalog
from dualres.bench.methods import NAMES
from dualres.bench.report.names import method_name
from dualres.bench.report.results import Results
from dualres.bench.report.tables import study_tables
from dualres.config import RECIPES
from tests.bench.campaign.handmade import right
from tests.bench.campaign.synthetic import synthetic_ledger, synthetic_outcome


@pytest.fixture
def table(tmp_path):
    """DualRes is right in half of the recordings by the paper's recipe and in all by the other."""
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        for job in jobs(study("recipes"), ["phm2009"], methods=["dualres"]):
            ledger.record(job, right(job, 1.0 if job.recipe == RECIPES["robust"] else 0.5))
        (found,) = study_tables(Results(ledger, study("recipes")))
        yield found


def test_rows_are_dualres_its_controls_and_then_the_other_networks(table):
    names = [row[0].text for row in table.rows]
    assert names[:5] == ["DualRes", "No rotation", "No memory (ours)", "Short only", "Long only"]
    assert names[5:] == [method_name(name) for name in NAMES if name not in ("dualres", "minirocket")]


def test_the_gain_is_that_of_the_seeds_that_both_recipes_have(tmp_path):
    """A seed that lacks a fold by one of the recipes does not count in the gain."""
    planned = jobs(study("recipes"), ["simulated"], methods=["dualres"], seeds=[41, 42, 43])
    lacking = [j for j in planned if j.recipe.plain and (j.seed, j.fold) == (43, "S2")]
    assert len(lacking) == 1
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        for job in planned:
            if job not in lacking:
                ledger.record(job, synthetic_outcome(job))
        (found,) = study_tables(Results(ledger, study("recipes")))
    gain = found.rows[0][-1]
    f1 = {(j.recipe.plain, j.seed, j.fold): 100 * synthetic_outcome(j).macro_f1 for j in planned}
    by_seed = [statistics.fmean(f1[False, s, f] - f1[True, s, f] for f in ("S1", "S2")) for s in (41, 42)]
    assert (gain.mean, gain.sd) == (pytest.approx(statistics.fmean(by_seed)), pytest.approx(statistics.stdev(by_seed)))
    assert gain.text == f"{gain.mean:+.2f} ± {gain.sd:.2f} [{gain.low:+.2f}, {gain.high:+.2f}] (n=2)"
    assert gain.seeds == tuple(gain.minus) == (41, 42)


def test_it_plans_nothing_that_other_studies_have_not_run():
    others = {job.key for name in ("published", "recipes", "rigs") for job in jobs(study(name), catalog.names())}
    assert {job.key for job in jobs(study("adaptation"), catalog.names())} <= others


def test_every_method_with_probabilities_has_a_row_for_each_recipe(tmp_path):
    with synthetic_ledger(tmp_path / "l.sqlite", ["adaptation"], datasets=["phm2009", "cwru"]) as ledger:
        bearing, gearbox = study_tables(Results(ledger, study("adaptation")))
    assert gearbox.header == ("Method", "Recipe", "Alone", "Together", "Conditions unknown", "Unlabelled seconds")
    both = [(method_name(method), name) for method in NEURAL for name in ("paper", "robust")]
    views = (method_name("dualres/views"), "\N{EN DASH}")
    assert [(row[0].text, row[1].text) for row in gearbox.rows] == [*both, views]
    assert {row[1].text for row in bearing.rows[2:-1]} == {"paper"}
    assert "MiniRocket is left out" in gearbox.note
    for row in (*gearbox.rows, *bearing.rows):
        assert all(value.complete for value in row[2:])
        assert row[2].mean != row[3].mean
        assert row[5].text == f"{row[5].mean:,.0f}"
