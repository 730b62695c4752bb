"""A recipe chosen by a user's recordings, or by a fold's support."""

import json
import re

import numpy as np
import pytest
from scipy.io import wavfile

from dualres import load
from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.bench.datasets.folds import load_fold
from dualres.cli.progress_display import ProgressDisplay
from dualres.config import Recipe
from dualres.errors import ConfigError
from dualres.learn.trained import tune as tuning
from dualres.learn.trained.tune_plan import read_recipe
from dualres.model.kinds import chosen_recipe
from tests.cli.runner import RATE, done, run, tone, write_labels

GRID = {"paper": chosen_recipe("paper", updates=2), "robust": chosen_recipe("robust", updates=3)}


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(tuning, "GRID", GRID)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two classes, two machines each."""
    folder = tmp_path_factory.mktemp("machines")
    rows = []
    for label, hz in (("good", 900), ("worn", 3000)):
        for machine in range(2):
            name = f"{label}{machine}.wav"
            wavfile.write(folder / name, RATE, (8000 * tone(hz, machine)).astype(np.int16))
            rows.append([name, label, f"{label} machine {machine}"])
    write_labels(folder, "file label component", rows)
    return folder


def test_from_a_folder_to_a_recipe_to_a_model(folder, tmp_path):
    out, model = tmp_path / "recipe.json", tmp_path / "m.safetensors"
    result = done("tune", folder, "-o", out, "--windows", 1)
    assert result.output.index("What was understood") < result.output.index("4 fits; about")
    assert "Held out in turn: component\n" in result.output
    content = json.loads(out.read_text())
    assert [(c["name"], c["recipe"] and Recipe(**c["recipe"]), len(c["rounds"])) for c in content["candidates"]] == [
        (name, by.recipe, 2) for name, by in GRID.items()
    ]
    assert (content["held_out"], content["seeds"], content["reason"]) == ("component", [41], None)
    assert re.search(f"Chosen: {content['chosen']}: (no other is clearly|clearly) ahead of paper", result.output)
    assert list(tmp_path.iterdir()) == [out], "what was kept meanwhile is gone"
    done("fit", folder, "-o", model, "--recipe", out, "--windows", 1, "--no-estimate")
    assert load(model).card.recipe == GRID[content["chosen"]].recipe
    assert read_recipe(out) == GRID[content["chosen"]]


def test_after_ctrl_c_the_same_command_goes_on(folder, tmp_path, monkeypatch):
    arguments = "tune", folder, "-o", tmp_path / "recipe.json", "--windows", 1
    fit, begun = tuning.fit_one, []

    def interrupted(task, by, config):
        begun.append(by)
        if len(begun) == 4:
            raise KeyboardInterrupt
        return fit(task, by, config)

    monkeypatch.setattr(tuning, "fit_one", interrupted)
    foreseen = []
    monkeypatch.setattr(ProgressDisplay, "expect", lambda display, seconds: foreseen.append(seconds))
    stopped = run(*arguments)
    assert stopped.exit_code == 130
    assert "Finished fits are kept; run the same command again to continue." in stopped.output
    assert [path.name for path in tmp_path.iterdir()] == ["recipe.json.part"]
    again = done(*arguments)
    assert "1 fits, 3 more already done" in again.output
    assert len(begun) == 5
    assert [list(each) for each in foreseen] == [["Fits"], ["Fits"]]
    (first,), (second,) = (each.values() for each in foreseen)
    left = [float(re.search(r"about (\d+) s", result.output)[1]) for result in (stopped, again)]
    assert (first, second / 4) == pytest.approx(left, abs=0.51), "of all fits: those that are left take their share"
    assert [path.name for path in tmp_path.iterdir()] == ["recipe.json"]


def test_a_folder_too_small_to_hold_anything_out_gets_the_default(tmp_path):
    for label, hz in (("good", 900), ("worn", 3000)):
        (tmp_path / "own" / label).mkdir(parents=True)
        wavfile.write(tmp_path / "own" / label / "a.wav", RATE, (8000 * tone(hz, 0)).astype(np.int16))
    result = done("tune", tmp_path / "own", "-o", tmp_path / "recipe.json")
    assert "Chosen: paper, the default: fewer than 2 parts of the support can be held out" in result.output
    content = json.loads((tmp_path / "recipe.json").read_text())
    assert "nothing was compared" in content["reason"]
    assert content["candidates"] == []
    assert read_recipe(tmp_path / "recipe.json") == GRID["paper"]


def test_a_fold_s_support_and_nothing_of_its_evaluation(tmp_path, monkeypatch):
    opened, original = [], DatasetSignals._model_rate
    monkeypatch.setattr(DatasetSignals, "_model_rate", lambda self, name: opened.append(name) or original(self, name))
    result = done("tune", "--fold", "S1", "--budget", "2x1", "--dir", tmp_path, "--seeds", "41,42")
    assert "8 fits; about" in result.output
    assert "Held out in turn: operating condition of the source" in result.output
    assert opened
    assert not set(opened) & set(load_fold("S1").evaluation)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "either a folder of recordings or --fold"),
        (("here", "--fold", "S1"), "either a folder of recordings or --fold"),
        (("--fold", "S1", "--budget", "3x4,1x3"), "one budget is needed"),
        (("--fold", "S1", "--budget", "many"), "budget 'many'"),
        (("--fold", "S1", "--windows", "3"), "--windows only applies to a folder"),
        (("--fold", "P1", "--stores", "/nowhere"), "dataset phm2009 is not prepared in /nowhere"),
    ],
)
def test_what_cannot_be_done_is_said(arguments, reason):
    result = run("tune", *arguments)
    assert isinstance(result.exception, ConfigError)
    assert reason in str(result.exception)


def test_a_choice_among_guesses_is_called_one(tmp_path, monkeypatch):
    monkeypatch.setattr(tuning, "window_f1", lambda *scored: 0.125)
    result = run("tune", "--fold", "S1", "--budget", "2x1", "--dir", tmp_path)
    assert "no recipe did better than guessing" in result.output
