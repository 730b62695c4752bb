"""Where the paper's numbers stand beside ours, nobody can take one for the other: of every table that there is."""

import re

import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import DATASETS, STUDIES, jobs
from dualres.bench.paper.printed import DATASETS as PAPER_DATASETS
from dualres.bench.report import compare
from dualres.bench.report.captions import FOLDS_ARE_OURS
from dualres.bench.report.names import dataset_name
from dualres.bench.report.tables import Settings, Table, Value, all_tables
from dualres.bench.report.tables.fill import NOT_PLANNED, with_folds_notice
from dualres.bench.report.tables.write import as_latex, as_markdown
from tests.bench.campaign.synthetic import filled
from tests.bench.profile.synthetic import keep_all

OUR_RECIPE = re.compile(r"paper's recipe", re.IGNORECASE)
PAPER = re.compile(r"\bpaper\b", re.IGNORECASE)
INTERVAL = re.compile(r"\[[+-]\d+\.\d\d, [+-]\d+\.\d\d\]")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Every table of every study on every dataset, and of measurements on the paper's; most cells are not run."""
    folder = tmp_path_factory.mktemp("bench")
    keep_all(folder / "profile", PAPER_DATASETS)
    with pytest.MonkeyPatch.context() as patch, Ledger(folder / "ledger.sqlite") as ledger:
        some = {"methods": ["dualres", "mambasl", "itransformer"], "seeds": [41]}
        filled(ledger, (job for one in STUDIES.values() for job in jobs(one, DATASETS, **some)))
        patch.setattr(compare, "RESAMPLES", 2)  # intervals take long, and are not looked at
        return {table.name: table for table in all_tables(ledger, Settings(tuple(STUDIES)))}


def heads_paper(title: str) -> bool:
    return bool(PAPER.search(OUR_RECIPE.sub("", title)))


def prints_paper(table: Table) -> bool:
    """By what a reader sees: a column that says so, or a bracket that is no interval."""
    rows = [line for line in as_markdown(table).splitlines() if line.startswith("|")]
    return any(map(heads_paper, table.header)) or any("[" in INTERVAL.sub("", row) for row in rows)


def test_all_registered_tables_are_looked_at(tables):
    asked = [name for study in STUDIES.values() for name in (*study.tables, *study.dataset_tables)]
    # The last three need all seeds, or jobs of other methods, and show no number of the paper.
    unmade = ["published_devices", "rigs_left_out", "rigs_shipped", "rigs_peers"]
    assert [name for name in asked if not any(made.startswith(name) for made in tables)] == unmade
    printing = {name for name, table in tables.items() if prints_paper(table)}
    assert printing >= {
        "bearing_macro_f1", "bearing_accuracy", "bearing_by_fold", "bearing_hust_itransformer", "ablation_macro_f1",
        "gearbox_macro_f1_mcc5", "gearbox_accuracy_mcc5", "gearbox_by_fold_mcc5", "fit_costs_mcc5", "replication_mcc5",
        "allocation_mcc5", "pilot_phm2009", "optimisation_mcc5", "published_phm2009", "published_cwru",
        "published_cwru_seeds", "recipes_phm2009", "costs_window_cuda_4", "costs_summary_cuda_4",
    }  # fmt: skip
    assert tables.keys() - printing >= {
        "gearbox_macro_f1_simulated", "published_rig", "bearing_differences", "recipes_simulated", "task_inventory",
    }  # fmt: skip


def test_a_table_with_a_number_of_the_paper_says_in_its_caption_that_folds_are_ours(tables):
    for name, table in tables.items():
        assert (FOLDS_ARE_OURS in table.caption) == prints_paper(table), name
        if prints_paper(table):
            assert table.caption.count(FOLDS_ARE_OURS) == 1
            assert FOLDS_ARE_OURS in as_latex(table)


def test_every_dataset_of_which_there_is_such_a_number_is_named(tables):
    for name, table in tables.items():
        notice = table.caption.partition(FOLDS_ARE_OURS)[2]
        datasets = {value.dataset for row in table.rows for value in row if value.of_paper} - {""}
        assert [d for d in datasets if dataset_name(d) not in notice] == [], name
    assert "those of MCC5 follow from the paper's text." in tables["gearbox_by_fold_mcc5"].caption
    assert "those of CWRU are reconstructed." in tables["published_cwru"].caption
    seven = tables["ablation_macro_f1"].caption
    assert (
        "those of MCC5 follow from the paper's text, those of Paderborn, CWRU, KAIST, UORED, HUST and Ottawa" in seven
    )


def test_a_column_headed_paper_holds_nothing_but_the_papers_numbers_and_no_other_holds_them(tables):
    seen = 0
    for name, table in tables.items():
        for title, values in zip(table.header, zip(*table.rows, strict=True), strict=True):
            if heads_paper(title):
                seen += 1
                assert all(value.quoted or value.text == NOT_PLANNED for value in values), (name, title)
                assert not any(value.jobs or value.metric for value in values), (name, title)
            else:
                assert not any(value.quoted for value in values), (name, title)
    assert seen == 4 + 2  # of PHM2009 and CWRU


def test_a_table_from_outside_gets_the_notice_too():
    value = Value("50.00", paper="48.55", dataset="mcc5")
    bare = Table("toy", "Toy", "One seed.", "toy", 0, ("Score",), ((value,),))
    assert with_folds_notice(bare).caption.startswith(f"One seed. {FOLDS_ARE_OURS}: those of MCC5 ")
    ours = Table("toy", "Toy", "One seed.", "toy", 0, ("Score",), ((Value("50.00", dataset="mcc5"),),))
    assert with_folds_notice(ours) == ours


def test_a_control_of_ours_is_called_so_in_every_table(tables):
    texts = {value.text for table in tables.values() for row in table.rows for value in row[: table.labels]}
    assert "No memory (ours)" in texts
    assert "No memory" not in texts
    assert {"No rotation", "No jitter", "Short only", "Long only"} <= texts
