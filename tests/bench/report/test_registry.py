"""A study says by name how it is shown; tables, figures and studies can be added from outside."""

import matplotlib.figure
import pytest

from dualres.bench.campaign.studies import RIG, STUDIES, Study, StudyPart, register_study
from dualres.bench.paper.protocol import PRIMARY_BUDGET
from dualres.bench.report.plots.picture import Picture
from dualres.bench.report.plots.write import write_figures
from dualres.bench.report.registry import FIGURES, TABLES, made, register_figure
from dualres.bench.report.tables import Settings, all_tables, register_table, write_tables
from dualres.bench.report.tables.fill import Column, Sheet, TableLine, by_column
from dualres.bench.verify.tables import verify_tables
from dualres.errors import ConfigError
from dualres.utils.registry import Registry
from tests.bench.campaign.synthetic import synthetic_ledger


@pytest.mark.parametrize("name", STUDIES)
def test_every_name_that_a_study_is_shown_by_has_a_maker(name):
    study = STUDIES[name]
    assert all(map(TABLES.find, (*study.tables, *study.dataset_tables)))
    assert all(map(FIGURES.find, (*study.figures, *study.dataset_figures, *study.cost_figures)))
    assert study.tables or study.dataset_tables


def toy_table(results, dataset):
    return Sheet(results).table(
        f"toy_{dataset}",
        "Toy",
        [TableLine((method,), {"dataset": dataset, "method": method}) for method in ("dualres", "mambasl")],
        [Column("Macro-F1", "macro_f1")],
        labels=("Method",),
        best=by_column,
    )


def toy_figure(results):
    return Picture("toy", "Toy", "A toy.", results.study.name, matplotlib.figure.Figure())


def test_a_table_a_figure_and_a_study_from_outside_are_shown_and_verified(tmp_path, monkeypatch):
    monkeypatch.setitem(TABLES, "toy", toy_table)
    monkeypatch.setitem(FIGURES, "toy", toy_figure)
    part = StudyPart((RIG,), ("dualres", "mambasl"), (PRIMARY_BUDGET,), (20,))
    register_study(Study("toy", "Does it work?", (part,), dataset_tables=("toy",), differences=False, figures=("toy",)))
    try:
        settings = Settings(("toy",))
        with synthetic_ledger(tmp_path / "ledger.sqlite", ["toy"]) as ledger:
            tables = all_tables(ledger, settings)
            write_tables(tables, tmp_path / "tables", settings)
            drawn = write_figures({"toy": settings.results(ledger, "toy")}, tmp_path / "figures")
            assert verify_tables(ledger, tmp_path / "tables") == []
        toy = next(table for table in tables if table.name == "toy_simulated")
        assert sum(row[1].bold for row in toy.rows) == 1
        assert "toy_simulated.md" in {path.name for path in (tmp_path / "tables").iterdir()}
        assert drawn[-1].name == "toy"
    finally:
        del STUDIES["toy"]


def test_a_name_is_taken_once_and_what_a_maker_has_nothing_for_is_left_out():
    for register, taken in ((register_table, "pilot"), (register_figure, "bearing_bars")):
        with pytest.raises(ConfigError, match=f"'{taken}' already"):
            register(taken, toy_figure)
    with pytest.raises(ConfigError, match="there is a study 'pilot' already"):
        register_study(STUDIES["pilot"])
    makers = Registry("table")
    makers.register("empty", lambda: None)
    makers.register("full", lambda: 1)
    assert list(made(makers, ["empty", "full"])) == [1]
