"""The demonstration, end to end, through the command line."""

import re
import xml.etree.ElementTree as ET

import pytest
from typer.testing import CliRunner

from dualres import cli, load
from dualres.bench.datasets.folds import load_fold
from dualres.config import recipe_named


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    result = CliRunner().invoke(cli.app, ["demo", "--out", str(folder)])
    assert result.exit_code == 0, result.output
    return result.output, folder


def test_it_prints_a_table_with_exposure_and_held_out_unit(run):
    output, _ = run
    for word in (*load_fold("S1").classes, "6.144 labelled s per class", "held-out unit: motion mode", "seed 41"):
        assert word in " ".join(output.split())
    assert "report.html" in output
    # For 6 recordings of two classes and 18 of six others; see tests/test_metrics.py for the sum.
    assert "Guessing would score 12.5 % and 11.8 %" in output


def test_the_page_stands_alone(run):
    page = (run[1] / "report.html").read_text()
    assert "guessing: 11.8 %" in page
    assert page.count("<svg") == page.count("</svg>") == 2
    assert page.count('<table class="confusion">') == 1
    assert not re.search(r'(src|href)="(?!#|data:)', page.replace("http://www.w3.org", ""))
    assert "<script" not in page
    for fact in ("6.144", "motion mode", "Verdicts against the truth", "missing_teeth", load_fold("S1").hash[:16]):
        assert fact in page
    for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        assert ET.fromstring(picture).tag.endswith("svg")


def test_the_model_file_carries_the_score_with_its_held_out_unit(run):
    model = load(run[1] / "model.safetensors")
    assert model.card.held_out == "motion mode"
    assert set(model.card.score) == {"macro_f1", "accuracy"}
    assert f"{100 * model.card.score['macro_f1']:.1f}" in run[0]
    assert model.card.exposure_s == pytest.approx(dict.fromkeys(load_fold("S1").classes, 6.144))
    assert (model.card.recipe, model.card.method) == (None, "dualres/orders")


@pytest.mark.exhaustive
def test_a_number_of_updates_asks_for_the_paper_s_network(tmp_path):
    result = CliRunner().invoke(cli.app, ["demo", "--out", str(tmp_path), "--updates", "3"])
    assert result.exit_code == 0, result.output
    assert load(tmp_path / "model.safetensors").card.recipe == recipe_named("robust", updates=3)
    assert "3 updates on 96 windows" in (tmp_path / "report.html").read_text()
