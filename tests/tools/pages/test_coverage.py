"""docs/coverage.md names everything that the paper contains, and what it points to is there."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command

from dualres.cli import app
from dualres.errors import ConfigError
from tools.pages.coverage import SOURCE, check_shown, drawn_of, profiled

ROOT = Path(__file__).parents[3]
ROWS = [row for part in tomllib.loads(SOURCE.read_text())["part"] for row in part["row"]]
LABELS = (ROOT / "tests" / "paper" / "labels.txt").read_text().split()


@pytest.mark.parametrize("label", LABELS)
def test_every_label_of_the_paper_has_a_row(label):
    assert [row for row in ROWS if row["label"] == label]
    assert f"| `{label}` |" in (ROOT / "docs" / "coverage.md").read_text()


def test_the_labels_are_the_paper_s():
    data = os.environ.get("DUALRES_DATA")
    paper = Path(data).parent / "paper" / "dualres.tex" if data else None
    if paper is None or not paper.exists():
        pytest.skip("the paper's source is not at hand: it is looked for in paper/, beside the folder DUALRES_DATA")
    assert sorted(re.findall(r"\\label\{([^}]+)\}", paper.read_text())) == sorted(LABELS)


def test_a_row_that_claims_more_than_its_artefact_shows_is_an_error():
    """As the row of the figure of efficiency did, which promised latency and showed seconds per fit."""
    for row in ROWS:
        check_shown(row)
    figure = {"what": "this", "where": ["results/figures/training_loss_simulated.png"]}
    check_shown(figure | {"shows": ["training loss (nats)"]})
    with pytest.raises(ConfigError, match=r"training_loss_simulated\.png does not show one window"):
        check_shown(figure | {"shows": ["training loss (nats)", "one window"]})
    with pytest.raises(ConfigError, match="does not show Latency"):
        check_shown({"what": "this", "where": ["results/tables/task_inventory.md"], "shows": ["Latency"]})


def test_every_figure_of_results_says_what_is_read_in_it():
    (figures,) = [part["row"] for part in tomllib.loads(SOURCE.read_text())["part"] if part["title"] == "Figures"]
    for row in figures:
        assert "shows" in row or not {"study", "drawn"} & row.keys(), row["what"]


def test_what_was_not_measured_is_said():
    assert drawn_of("nothing") == "not drawn, since nothing was measured"
    assert profiled("nothing").startswith("not made")
    assert "costs_window_cpu_1_eager.md): 9 of 63 pairs" in profiled("costs_window")


@pytest.mark.subprocess
def test_the_page_is_what_the_results_give():
    command = [sys.executable, "-m", "tools.pages.coverage", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("place", sorted({place for row in ROWS for place in row["where"]}))
def test_what_a_row_points_to_is_there(place):
    path, _, name = place.partition("::")
    assert (ROOT / path).exists()
    assert re.search(rf"\b{name}\b", (ROOT / path).read_text()) if name else True


@pytest.mark.parametrize("command", sorted({row["command"] for row in ROWS if "command" in row}))
def test_a_row_s_command_exists(command):
    tool, *words = shlex.split(command)
    if tool == "make":
        assert re.search(rf"^{words[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    elif tool == "pytest":
        assert (ROOT / words[0]).exists()
    else:
        found = get_command(app)
        while hasattr(found, "commands"):
            found = found.commands[words.pop(0)]
        assert tool == "dualres"
