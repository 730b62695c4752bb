"""Cells of networks that are fitted in closed form, and their mean over the rigs."""

import statistics
from pathlib import Path

import pytest

from dualres.bench.campaign.exchange.read_export import load_export
from dualres.bench.report.names import method_name
from dualres.errors import ConfigError
from tools.pages.cells import Cells
from tools.pages.recipes import Recipes

pytestmark = pytest.mark.exhaustive  # each asks for cells of all results
RESULTS = Path(__file__).parents[3] / "results"


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    with load_export(RESULTS, tmp_path_factory.mktemp("ledger") / "ledger.sqlite") as ledger:
        yield ledger


@pytest.mark.parametrize("recipe", ["orders", "views"])
def test_a_network_in_closed_form_is_asked_for_as_a_recipe(ledger, recipe):
    cell = Cells(ledger).cell("phm2009", "dualres", recipe=recipe)
    assert {entry.job.method for entry in cell.entries} == {f"dualres/{recipe}"}
    assert {entry.job.fold for entry in cell.entries} == {"P1", "P2"}


def test_what_was_not_run_is_an_error(ledger):
    with pytest.raises(ConfigError, match=r"nothing was run of mcc5 dualres orders"):
        Cells(ledger).cell("mcc5", "dualres", recipe="orders", budget="1x3")


@pytest.mark.parametrize(
    ("recipe", "title"),
    [("orders", method_name("dualres/orders")), ("views", method_name("dualres/views")), ("paper", "paper")],
)
def test_the_mean_over_the_rigs_is_that_of_the_table(ledger, recipe, title):
    rows = (RESULTS / "tables" / "rigs_scores.md").read_text().splitlines()
    (row,) = (line for line in rows if line.startswith(f"| {title} |"))
    scores = [float(cell.strip(" *")) for cell in row.split("|")[2:11]]
    asked = Recipes(RESULTS, ledger, Cells(ledger)).over_rigs(recipe)
    assert float(asked) == pytest.approx(statistics.fmean(scores), abs=0.1)
