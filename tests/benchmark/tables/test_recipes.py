"""Recipes side by side, from a ledger made by hand."""

import pytest

from dualres.benchmark.ledger import Ledger
from dualres.benchmark.results import Results
from dualres.benchmark.studies import Quick, jobs, study
from dualres.benchmark.tables import Settings, all_tables, study_tables, write_tables
from dualres.benchmark.tables.model import NOT_PLANNED, NOT_RUN
from dualres.benchmark.verify_tables import verify_tables
from dualres.config import RECIPES
from tests.benchmark.handmade import right
from tests.benchmark.synthetic import synthetic_ledger


@pytest.fixture
def table(tmp_path):
    """DualRes is right in half of the recordings by the paper's recipe and in all by the other."""
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        for job in jobs(study("recipes"), ["phm2009"], methods=["dualres"]):
            ledger.record(job, right(job, 1.0 if job.recipe == RECIPES["robust"] else 0.5))
        (found,) = study_tables(Results(ledger, study("recipes")))
        yield found


def test_each_recipe_has_its_columns_and_its_own_numbers(table):
    assert table.header[1:] == ("Paper P1", "Paper P2", "Paper mean", "Robust P1", "Robust P2", "Robust mean")
    rows = {row[0].text: [value.text for value in row[1:]] for row in table.rows}
    assert rows["DualRes"][-1].endswith("± 0.00 (n=5)")
    assert rows["DualRes"][2] != rows["DualRes"][-1]
    assert set(rows["No memory"]) == {NOT_RUN}
    assert rows["MambaSL"][:3] == [NOT_PLANNED] * 3, "others run by the robust recipe only"


def test_the_paper_s_values_stand_beside_its_own_recipe_only(tmp_path):
    with synthetic_ledger(tmp_path / "ledger.sqlite", ["recipes"], datasets=["phm2009"], seeds=[41]) as ledger:
        results = Results(ledger, study("recipes"))
        (found,) = study_tables(results)
    robust = [value for row in found.rows for value in row[4:]]
    assert not any(value.paper for value in robust)


def test_the_tables_verify_also_where_both_recipes_have_as_many_updates(tmp_path):
    settings = Settings(("recipes",), quick=True)
    with synthetic_ledger(tmp_path / "l.sqlite", ["recipes"], quick=Quick(), datasets=["simulated"]) as ledger:
        write_tables(all_tables(ledger, settings), tmp_path / "tables", settings)
        assert verify_tables(ledger, tmp_path / "tables") == []
    assert (tmp_path / "tables" / "recipes_simulated.md").exists()
