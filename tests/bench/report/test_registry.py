"""A study says by name how it is shown; tables, figures and studies can be added from outside."""

import matplotlib.figure
import pytest

from dualres.bench.campaign.studies import RIG, STUDIES, Study, StudyPart, register_study
from dualres.bench.paper.protocol import PRIMARY_BUDGET
from dualres.bench.report.plots.picture import Picture
from dualres.bench.report.plots.registry import FIGURES, register_figure
from dualres.bench.report.plots.write import write_figures
from dualres.bench.report.registry import Registry
from dualres.bench.report.tables import Settings, all_tables, register_table, write_tables
from dualres.bench.report.tables.fill import Column, Sheet, TableLine, by_column
from dualres.bench.report.tables.registry import TABLES
from dualres.bench.verify.tables import verify_tables
from dualres.errors import ConfigError
from tests.bench.campaign.synthetic import synthetic_ledger


@pytest.mark.parametrize("name", STUDIES)
def test_every_name_that_a_study_is_shown_by_has_a_maker(name):
    study = STUDIES[name]
    assert all(map(TABLES.maker, (*study.tables, *study.dataset_tables)))
    assert all(map(FIGURES.maker, (*study.figures, *study.dataset_figures, *study.cost_figures)))
    assert study.tables or study.dataset_tables


def toy_table(results, dataset):
    return Sheet(results).table(
        f"toy_{dataset}",
        "Toy",
        [TableLine((method,), {"dataset": dataset, "method": method}) for method in ("dualres", "mambasl")],
        [Column("Macro-F1", "macro_f1")],
        labels=("Method",),
        best=by_column,
        best_per="column",
    )


def toy_figure(results):
    return Picture("toy", "Toy", "A toy.", results.study.name, matplotlib.figure.Figure())


def test_a_table_a_figure_and_a_study_from_outside_are_shown_and_verified(tmp_path, monkeypatch):
    monkeypatch.setattr(TABLES, "_makers", {**TABLES._makers})
    monkeypatch.setattr(FIGURES, "_makers", {**FIGURES._makers})
    register_table("toy", toy_table)
    register_figure("toy", toy_figure)
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


def test_a_name_is_taken_once_and_one_that_nobody_took_is_refused_in_a_sentence():
    registry = Registry("table", "dualres.bench.paper")
    registry.register("toy", lambda: None)
    with pytest.raises(ConfigError, match="already"):
        registry.register("toy", lambda: 1)
    with pytest.raises(ConfigError, match="there is no table 'game'; there are toy"):
        registry.maker("game")
    assert list(registry.made(["toy"])) == []
    with pytest.raises(ConfigError, match="already"):
        register_study(STUDIES["pilot"])
