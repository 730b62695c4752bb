"""The table of judging together, from a ledger made by hand."""

from dualres.bench.campaign.studies import NEURAL, Quick, jobs, study
from dualres.bench.datasets import catalog
from dualres.bench.report.names import method_name
from dualres.bench.report.results import Results
from dualres.bench.report.tables import Settings, all_tables, study_tables, write_tables
from dualres.bench.verify.tables import verify_tables
from tests.bench.campaign.synthetic import synthetic_ledger


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


def test_the_tables_verify(tmp_path):
    settings = Settings(("adaptation",), quick=True)
    with synthetic_ledger(tmp_path / "l.sqlite", ["adaptation"], quick=Quick(), datasets=["simulated"]) as ledger:
        write_tables(all_tables(ledger, settings), tmp_path / "tables", settings)
        assert verify_tables(ledger, tmp_path / "tables") == []
    assert (tmp_path / "tables" / "adaptation_simulated.md").exists()
