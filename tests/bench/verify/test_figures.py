"""A figure that is older than its numbers is told from a fresh one, whatever its hash says."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import jobs, study
from dualres.bench.report.plots.drawn import read_drawn, write_drawn
from dualres.bench.report.plots.write import pictures, write_figures
from dualres.bench.report.results import Results
from dualres.bench.verify.figures import verify_figures
from dualres.utils.checksums import listed, write_sums
from tests.bench.campaign.synthetic import synthetic_ledger, synthetic_outcome

NAMES = ("class_recall_simulated", "confusion_pilot_simulated")


def drawn_now(ledger):
    return list(pictures({"pilot": Results(ledger, study("pilot"), device="cpu").planned_only()}))


@pytest.fixture
def ledger(tmp_path):
    with synthetic_ledger(tmp_path / "ledger", ["pilot"], datasets=["simulated"]) as found:
        yield found


@pytest.fixture
def figures(ledger, tmp_path):
    write_figures({"pilot": Results(ledger, study("pilot"), device="cpu")}, tmp_path / "figures")
    return tmp_path / "figures"


def test_figures_of_the_same_ledger_pass(ledger, figures):
    assert verify_figures(figures, drawn_now(ledger)) == []


def test_figures_of_other_scores_are_found(figures, tmp_path):
    with Ledger(tmp_path / "other") as other:
        for job in jobs(study("pilot"), ["simulated"]):
            outcome = synthetic_outcome(job)
            other.record(job, replace(outcome, scores=tuple(each[::-1] for each in outcome.scores)))
        problems = verify_figures(figures, drawn_now(other))
    assert [problem.partition(":")[0] for problem in problems] == [str(figures / name) for name in NAMES]
    assert all("is not what the ledger and the measurements give now (panels" in problem for problem in problems)


def test_a_picture_older_than_its_data_is_found(ledger, figures):
    """As where data were written and drawing was stopped: hashes and data agree, the picture is another."""
    path = figures / f"{NAMES[0]}.png"
    path.write_bytes((figures / f"{NAMES[1]}.png").read_bytes())
    write_sums(figures, listed(figures))
    (problem,) = verify_figures(figures, drawn_now(ledger))
    assert problem.startswith(f"{path}: was drawn of other data than drawn.jsonl holds")


def test_a_figure_of_a_measurement_that_was_done_again_is_found(tmp_path):
    """As that of how costs grow, which shows no results of a ledger."""
    measured = tmp_path / "measured" / "scaling.json"
    measured.parent.mkdir()
    found = json.loads((Path(__file__).parents[3] / "results" / "measured" / "scaling.json").read_text())
    measured.write_text(json.dumps(found))
    write_figures({}, tmp_path / "figures", folder=tmp_path)
    assert verify_figures(tmp_path / "figures", pictures({}, folder=tmp_path)) == []
    found["tokens"][-1]["s"] *= 1.01
    measured.write_text(json.dumps(found))
    (problem,) = verify_figures(tmp_path / "figures", pictures({}, folder=tmp_path))
    assert problem.startswith(f"{tmp_path / 'figures' / 'scaling'}: is not what")


def test_figures_that_are_missing_or_of_nothing_are_found(ledger, figures):
    lines = read_drawn(figures)
    lines["invented"] = lines.pop(NAMES[0]) | {"name": "invented"}
    write_drawn(figures, lines.values())
    problems = "\n".join(verify_figures(figures, drawn_now(ledger)))
    assert f"{figures / NAMES[0]}: is missing, though the ledger gives it" in problems
    assert f"{figures / 'invented'}: is kept as a figure of pilot, but the ledger gives no such" in problems
    assert f"{figures / NAMES[0]}: what it shows is not kept in drawn.jsonl" in problems


def test_figures_without_their_data_are_found(ledger, figures):
    (figures / "drawn.jsonl").unlink()
    (problem,) = verify_figures(figures, drawn_now(ledger))
    assert "nobody knows what the figures show" in problem
