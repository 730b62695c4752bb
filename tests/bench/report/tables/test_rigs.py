"""The tables across rigs, from ledgers made by hand."""

import csv
import statistics

import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.rigs import LINEAR, RIGS, WITHOUT_RECIPE
from dualres.bench.campaign.studies import Quick, jobs, study
from dualres.bench.report.results import FinishedJob, Results
from dualres.bench.report.tables import Settings, all_tables, study_tables, write_tables
from dualres.bench.report.tables.rigs import CANDIDATES, choose, chosen_without, gains, paired, suite_of
from dualres.bench.report.tables.write import CSV_NAME
from dualres.bench.verify.tables import verify_tables
from dualres.config import Recipe
from tests.bench.campaign.handmade import right
from tests.bench.campaign.synthetic import filled, synthetic_ledger

DATASETS = ["uestc", "simulated"]
QUICK = Settings(("rigs",), quick=True)
SMALL = Quick(methods=("dualres", LINEAR, *WITHOUT_RECIPE))


def share(job):
    """How many recordings are right: mixup helps UESTC and harms the rig, paths help both a little, views neither."""
    recipe = job.recipe or Recipe()
    gain = 0.25 * recipe.mixup * (1 if job.dataset == "uestc" else -1) + 0.125 * (recipe.path_sigma > 0)
    return 0.5 + gain + (0.25 if job.method == LINEAR else 0)


@pytest.fixture
def tables(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        filled(ledger, jobs(study("rigs"), DATASETS, quick=SMALL), lambda job: right(job, share(job)))
        yield {table.name: table for table in study_tables(Results(ledger, study("rigs"), quick=SMALL))}


def test_every_candidate_has_its_row_and_only_whole_rigs_count(tables):
    table = tables["rigs_scores"]
    rows = {row[0].text: row[1:] for row in table.rows}
    titles = [one.title for one in CANDIDATES]
    assert titles[:6] == ["paper", "paths", "mixup", "standardised", "long", "paths + mixup"]
    assert list(rows)[: len(titles)] == titles
    assert len(titles) == 19
    assert titles[15:] == ["robust", "Views (ours)", "Orders, no speed (ours)", "Orders (ours)"]
    assert table.header[1:-2] == tuple(rig.title for rig in RIGS)
    uestc, rig = table.header.index("UESTC") - 1, table.header.index("Rig") - 1
    assert [rows["paper"][k].text for k in (uestc, rig)] == ["37.5", "18.8"]  # 3 classes of 4 and of 8 are asked for
    assert rows["paper"][0].text == "not run"
    assert "Gains are over UESTC and Rig." in table.note
    assert (rows["paths"][-2].text, rows["mixup"][-1].text) == ("+7.0", "-9.4")
    assert (rows["Views (ours)"][-2].text, rows["linear, paper"][-2].text) == ("+0.0", "")


def test_what_is_chosen_without_a_rig_is_judged_on_it(tables):
    rows = {row[0].text: [value.text for value in row[1:]] for row in tables["rigs_left_out"].rows}
    assert list(rows) == ["UESTC", "Rig"]
    assert rows["UESTC"][0] == "paths"
    assert rows["Rig"][0] == "paths + mixup", "UESTC alone likes mixup"
    assert rows["Rig"][2].startswith("-4.7 [")
    assert rows["UESTC"][-1].startswith("-28.1 ["), "the linear model is by its better recipe"
    shipped = {row[0].text: row[1].text for row in tables["rigs_shipped"].rows}
    assert set(shipped.values()) == {"paths"}
    assert "chooses paths, which ships" in tables["rigs_left_out"].note


def test_one_rig_alone_lets_nothing_be_chosen(tmp_path):
    with synthetic_ledger(tmp_path / "l.sqlite", ["rigs"], quick=Quick(), datasets=["uestc"]) as ledger:
        names = [table.name for table in study_tables(Results(ledger, study("rigs"), quick=Quick()))]
    assert names == ["rigs_scores"]


@pytest.mark.exhaustive
def test_machines_and_real_rigs_are_said_to_agree_or_not(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        filled(ledger, jobs(study("rigs"), ["uestc", "machines"], quick=Quick()), lambda job: right(job, share(job)))
        results = Results(ledger, study("rigs"), quick=Quick())
        note = {table.name: table.note for table in study_tables(results)}["rigs_left_out"]
    assert "From the simulated machines alone it chooses paths, from the real rigs alone paths + mixup" in note
    assert "do not agree" in note
    assert len(suite_of(results).rigs) == 4, "UESTC, and the machines by load, by speed and by specimen"


def test_a_method_with_one_seed_is_paired_with_every_seed_of_the_other(tmp_path):
    planned = jobs(study("rigs"), ["uestc"], methods=["dualres", "minirocket"], folds=["E1"])
    plain = [job for job in planned if job.recipe and job.recipe.plain and job.recipe.updates == 100]
    ours = [FinishedJob(job.key, job, right(job, 0.5)) for job in plain]
    theirs = [FinishedJob(job.key, job, right(job, 1.0)) for job in planned if job.method == "minirocket"]
    assert (len(ours), len(theirs)) == (5, 1)
    assert [len(pairs) for pairs in paired(ours, theirs).values()] == [5]
    assert [len(pairs) for pairs in paired(ours, ours).values()] == [5], "equal seeds only"
    assert paired(ours, []) == {}


def test_the_tables_verify_and_a_changed_choice_is_noticed(tmp_path):
    folder = tmp_path / "tables"
    with synthetic_ledger(tmp_path / "l.sqlite", ["rigs"], quick=Quick(), datasets=DATASETS) as ledger:
        write_tables(all_tables(ledger, QUICK), folder, QUICK)
        assert verify_tables(ledger, folder) == []
        path = folder / CSV_NAME
        rows = list(csv.DictReader(path.read_text().splitlines()))
        (cell,) = (r for r in rows if (r["table"], r["row"], r["column"]) == ("rigs_shipped", "UESTC", "Chosen"))
        other = next(one.title for one in CANDIDATES if one.title != cell["text"])
        changed = path.read_text().replace(
            f"rigs_shipped,UESTC,Chosen,{cell['text']}", f"rigs_shipped,UESTC,Chosen,{other}"
        )
        path.write_text(changed)
        said = "(rigs_shipped, UESTC, Chosen) is not what the ledger gives now (text)"
        assert any(said in problem for problem in verify_tables(ledger, folder))


@pytest.mark.exhaustive
def test_a_cell_is_the_mean_over_its_rig_s_folds_alone(tmp_path):
    all_folds = Quick(most_folds=6)
    with synthetic_ledger(tmp_path / "l.sqlite", ["rigs"], quick=all_folds, datasets=["machines"]) as ledger:
        results = Results(ledger, study("rigs"), quick=all_folds)
        value = suite_of(results).values["robust", "Machines, speed"]
        entries = [e for e in results.entries if e.key in {key for keys in value.jobs.values() for key in keys}]
    assert value.folds == tuple(f"M{number}V" for number in range(10, 16))
    assert value.mean == pytest.approx(100 * statistics.fmean(e.outcome.macro_f1 for e in entries))


SCORES = {
    "paper": {"a": 50.0, "b": 60.0, "c": 70.0},
    "steady": {"a": 53.0, "b": 61.0, "c": 71.0},  # +3, +1, +1
    "bold": {"a": 62.0, "b": 66.0, "c": 66.9},  # +12, +6, -3.1
    "level": {"a": 47.0, "b": 60.0, "c": 79.0},  # -3, 0, +9
}


def test_gains_are_over_the_paper_s_recipe():
    assert gains(SCORES, "bold", ["b", "c"]) == {"b": 6.0, "c": pytest.approx(-3.1)}


def test_the_best_mean_gain_wins_among_those_that_lose_little():
    assert choose(SCORES, ["a", "b"]) == "bold"
    assert choose(SCORES, ["a", "b", "c"]) == "level", "a loss of just 3 points is allowed, one of 3.1 is not"
    assert choose({name: SCORES[name] for name in ("paper", "steady", "bold")}, ["a", "b", "c"]) == "steady"


def test_where_all_others_lose_the_paper_s_recipe_stays():
    worse = {name: {"a": score} for name, score in (("paper", 50.0), ("one", 47.0), ("two", 40.0))}
    assert choose(worse, ["a"]) == "paper"
    assert choose(worse | {"three": {"a": 50.0}}, ["a"]) == "paper", "of equals the first"


def test_a_rig_has_no_say_in_what_is_judged_on_it():
    assert chosen_without(SCORES, ["a", "b", "c"]) == {"a": "level", "b": "level", "c": "bold"}
    changed = {name: found | {"c": 0.0} for name, found in SCORES.items()}
    assert chosen_without(changed, ["a", "b", "c"])["c"] == "bold"


def test_losses_are_against_the_default_before():
    scores = {**SCORES, "Views (ours)": {"a": 55.0, "b": 61.0, "c": 71.0}}
    assert choose(scores, ["a", "b", "c"]) == "Views (ours)", "level has 8 points less on a, and steady 2 less"
    assert choose(scores | {"better": {"a": 52.0, "b": 70.0, "c": 75.0}}, ["a", "b", "c"]) == "better"
