"""An engineer's way: a folder, a model, verdicts."""

import json
import re
import shutil
import signal
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
import torch

from dualres import load
from dualres.config import SOXR, recipe_named
from dualres.errors import ConfigError, OutputError
from dualres.fit_page import page as fit_page
from dualres.kernel.gpu import cuda_graphs
from dualres.learn import workflow
from tests.cli.runner import RATE, done, run, tone, write_labels


def test_what_was_understood_is_shown_first(fitted):
    output = fitted[0]
    assert output.index("What was understood") < output.index("fits, about") < output.index("Expected")
    assert "left out" in output
    assert "broken.wav" in output


def test_the_estimate_names_its_unit_and_goes_into_the_card(fitted):
    output, path = fitted
    card = load(path).card
    assert "Expected on an unseen component: macro-F1" in output
    assert card.held_out == "component"
    assert set(card.score) == {"macro_f1", "spread", "low", "high", "level", "units", "rounds"}
    assert (card.score["rounds"], card.score["units"], card.score["level"]) == (3, 6, 0.9)
    assert "held out: 6 components in 3 rounds" in output
    (told,) = card.estimates
    assert (told["unit"], told["fits"], told["classes_not_covered"]) == ("component", 3, [])
    assert "Expected on an unseen component: macro-F1" in run("show", path).output
    assert card.classes == ("good", "worn")
    # Two windows of 0.512 s from each of three recordings of one second: they overlap a little.
    assert card.exposure_s == pytest.approx({"good": 3 * 0.768, "worn": 3 * 0.768})


def test_the_recipe_is_told_before_the_fit_and_by_the_card(fitted):
    output, path = fitted
    assert "recipe: robust, updates=25" in output
    assert load(path).card.recipe == recipe_named("robust", updates=25)
    shown = run("show", path).output
    assert 'recipe       robust, updates=25: {"updates": 25, "learning_rate": 0.001, "decay": 0.996' in shown


def test_orders_are_the_default(views, machines):
    result, path = views
    assert re.search(r"4 fits, about \d+ s each; recipe: orders\n", result.output)
    assert "Expected on an unseen component: macro-F1 100.0 %" in result.output
    assert "member" not in result.output + run("show", path).output
    card = load(path).card
    assert (card.method, card.recipe, card.held_out, card.members) == ("dualres/orders", None, "component", 1)
    judged = run("diagnose", path, machines / "worn0.wav")
    assert re.search(r"worn0\.wav +worn \d\.\d\d +\(then good", judged.output)


def test_members_of_orders_would_be_the_same_and_one_is_fitted(views, machines, tmp_path):
    out = tmp_path / "m.safetensors"
    result = done("fit", machines, "-o", out, "--windows", 2, "--members", 3, "--seed", 7, "--no-estimate")
    assert "note  orders draw nothing, so that all members would be the same: one is fitted" in result.stderr
    assert "1 fits, about" in result.output
    one, other = load(out), load(views[1])
    assert one.card.members == 1
    for name, array in other.weights.arrays.items():
        np.testing.assert_array_equal(one.weights.arrays[name], array)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--recipe", "views", "--updates", 5), "updates: recipe views makes no updates; choose paper or robust"),
        (("--members", 65), "from 1 to 64"),
    ],
)
def test_settings_that_no_model_has_are_refused_first(machines, tmp_path, options, complaint):
    result = run("fit", machines, "-o", tmp_path / "m", *options)
    assert isinstance(result.exception, ConfigError)
    assert complaint in str(result.exception)
    assert "What was understood" not in result.output
    assert not (tmp_path / "m").exists()


def test_labels_that_all_share_a_load_are_warned_of_before_the_fit(tmp_path):
    rows = []
    for i, label in enumerate(["good", "worn"] * 2):
        np.save(tmp_path / f"{i}.npy", tone(100 * (1 + i % 2), seed=i))
        rows.append([f"{i}.npy", label, RATE, "2 hp", f"{i}"])
    write_labels(tmp_path, "file label rate load component", rows)
    result = done("fit", tmp_path, "-o", tmp_path / "m.safetensors", "--windows", 1, "--updates", 1, "--no-estimate")
    assert "all labels are at load 2 hp" in result.stderr
    assert result.output.index("all labels are at load") < result.output.index("1 fits, about")


def test_members_and_their_cost_are_shown(machines, tmp_path, monkeypatch):
    monkeypatch.setenv("TTY_COMPATIBLE", "1")  # a terminal has bars
    out = tmp_path / "m.safetensors"
    result = done("fit", machines, "-o", out, "--windows", 1, "--updates", 2, "--members", 2, "--seed", 7)
    assert re.search(r"8 fits, about \d+ s each, \d+ s in all for 2 members", result.output)
    drawn = re.sub(r"\x1b\S*?m", "", result.output)
    assert re.search(r"Learn from all .* 4/4 ", drawn), "a bar for the updates of both"
    said = f"2 members in {out.stat().st_size:,} bytes; a verdict takes about 2 times as long as with one"
    assert said in result.output
    card = load(out).card
    assert (card.seeds, card.held_out) == ((7, 8), "component")
    assert re.search(r"members +2, seeds 7, 8\n", run("show", out).output)
    done("diagnose", out, machines / "good0.wav", "--json")
    done("export", out, tmp_path / "board", "--to", "c99", *([] if shutil.which("cc") else ["--unchecked"]))
    assert "#define DUALRES_MEMBERS 2" in (tmp_path / "board" / "dualres_model.h").read_text()


def test_what_a_device_will_not_take_is_said_at_once(machines, tmp_path):
    pytest.importorskip("soxr")
    command = ("fit", machines, "-o", tmp_path / "m", "--windows", 1, "--updates", 1, "--no-estimate")
    result = done(*command, "--resampler", SOXR)
    assert f"{tmp_path / 'm'}: will be a model, though its name does not end in .safetensors" in result.stderr
    assert "as C99 this model will take 64 kHz only" in result.stderr
    assert result.output.index("as C99") < result.output.index("What was understood")


def test_a_device_that_is_not_there_is_refused_first(machines, tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    result = run("fit", machines, "-o", tmp_path / "m", "--device", "cuda")
    assert "PyTorch finds no GPU here" in str(result.exception)
    other = run("fit", machines, "-o", tmp_path / "m", "--device", "abacus")
    assert other.exit_code == 2
    assert "'abacus' is not one of 'cpu', 'cuda'" in other.output
    assert "What was understood" not in result.output + other.output


def test_a_fit_is_made_on_the_device_that_was_asked_for(machines, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(cuda_graphs, "check_device", asked.append)
    monkeypatch.setattr(workflow, "fit_by", lambda settings, **how: asked.append(settings.device) or sys.exit(3))
    assert run("fit", machines, "-o", tmp_path / "m", "--device", "cuda").exit_code == 3
    assert asked == ["cuda", "cuda"]


def test_a_report_is_written_beside_the_model(views):
    result, out = views
    page = out.with_name("pump.html")
    assert f"Report  {page}\nModel  {out}\n" in result.stdout
    text = page.read_text()
    for said in ("good", "worn", "broken.wav left out: ", "on an unseen component", f"diagnose {out.name} FILES"):
        assert said in text


def test_the_report_can_be_left_out_and_replaces_nothing_else(machines, tmp_path):
    out, page = tmp_path / "m.safetensors", tmp_path / "m.html"
    page.write_text("<html>my own notes")
    arguments = "fit", machines, "-o", out, "--windows", 1, "--no-estimate"
    refused = run(*arguments)
    assert isinstance(refused.exception, OutputError)
    assert "What was understood" not in refused.output
    assert not out.exists()
    result = done(*arguments, "--no-page")
    assert "Report" not in result.output
    assert page.read_text() == "<html>my own notes"
    page.unlink()
    told = json.loads(run(*arguments, "--json").stdout)
    assert (told["report"], page.exists()) == (str(page), True)


def test_ctrl_c_while_the_report_is_drawn_leaves_the_model(machines, tmp_path, monkeypatch):
    def interrupted(*rest, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(fit_page, "write_fit_page", interrupted)
    out = tmp_path / "m.safetensors"
    result = run("fit", machines, "-o", out, "--windows", 1, "--no-estimate")
    assert result.exit_code == 130
    assert "Stopped. The model is complete; its report was not written." in result.stderr
    assert load(out).classes == ("good", "worn")
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.subprocess
def test_ctrl_c_ends_a_fit_in_one_line_and_nothing_is_written(machines, tmp_path):
    """A real one, in the middle of the updates."""
    out = tmp_path / "m.safetensors"
    arguments = ["fit", machines, "-o", out, "--recipe", "robust", "--updates", 100_000, "--windows", 1]
    command = [sys.executable, "-m", "dualres.cli", *map(str, arguments)]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, before)
    for line in running.stderr:
        if line.startswith("Hold out, round 1 of 3: "):  # there is no terminal, so that progress comes in lines
            running.send_signal(signal.SIGINT)
            break
    _, rest = running.communicate(timeout=120)
    assert running.returncode == 130
    assert rest.splitlines()[-1] == "Stopped. Nothing was written."
    assert "Traceback" not in rest
    assert list(tmp_path.iterdir()) == []


def test_strict_refuses_a_copy_on_both_sides(machines, tmp_path):
    leaking = tmp_path / "leaking"
    leaking.mkdir()
    rows = []
    for label, sources in (("good", ("good0", "good1", "good0")), ("worn", ("worn0", "worn1", "worn2"))):
        for i, source in enumerate(sources):
            (leaking / f"{label}{i}.wav").write_bytes((machines / f"{source}.wav").read_bytes())
            rows.append([f"{label}{i}.wav", label, f"{label} {i}"])
    write_labels(leaking, "file label component", rows)
    result = run("fit", leaking, "-o", tmp_path / "m", "--strict", "--updates", 1)
    assert result.exit_code != 0
    assert not (tmp_path / "m").exists()
    assert "same content" in result.output
    assert run("audit", leaking).exit_code == 1


def test_strict_refuses_a_component_that_is_spelled_in_two_ways(machines, tmp_path):
    """Held out as two, it would be judged by what was learned from itself."""
    folder = tmp_path / "spelled"
    folder.mkdir()
    for source in ("good0", "good1", "worn0", "worn1"):
        shutil.copy(machines / f"{source}.wav", folder)
    components = {"good0": "B007", "good1": "b007", "worn0": "1", "worn1": "2"}
    write_labels(folder, "file label component", [[f"{name}.wav", name[:-1], of] for name, of in components.items()])
    result = run("fit", folder, "-o", tmp_path / "m", "--strict")
    assert result.exit_code == 1
    assert '"B007" and "b007" are spellings of one component; write it in one way' in str(result.exception)
    assert not (tmp_path / "m").exists()


def test_without_strict_a_scaled_copy_is_pointed_out(tmp_path):
    noise = np.random.default_rng(0).standard_normal((4, 2 * RATE)).astype(np.float32)
    noise[1] = -0.5 * noise[0]
    rows = []
    for i, (samples, label) in enumerate(zip(noise, ("good", "good", "worn", "worn"), strict=True)):
        np.save(tmp_path / f"{i}.npy", samples)
        rows.append([f"{i}.npy", label, f"unit {i}"])
    write_labels(tmp_path, "file label component", rows)
    result = done("fit", tmp_path, "-o", tmp_path / "m.safetensors", "--rate", RATE, "--json")
    said = " ".join(result.stderr.split())
    assert "warning 0.npy and 1.npy share " in said
    (sentence,) = json.loads(result.stdout.splitlines()[-1])["copies"]
    assert sentence.startswith("0.npy and 1.npy share ")
    assert sentence in (tmp_path / "m.html").read_text()


@pytest.mark.subprocess
def test_names_are_not_markup(machines, tmp_path):
    """Square brackets in file names, classes and remedies reach the screen as they are."""
    odd = tmp_path / "x[red].wav"
    odd.write_bytes(b"RIFF")
    for arguments, expected in (
        (["show", str(odd)], "x[red].wav"),
        (["fit", str(machines), "-o", str(tmp_path / "m"), "--resampler", "[/bold]"], "'[/bold]'"),
    ):
        result = subprocess.run([sys.executable, "-m", "dualres.cli", *arguments], capture_output=True, text=True)
        assert result.returncode == 2
        assert expected in result.stderr
        assert "Traceback" not in result.stderr
    assert "dualres[soxr]" in " ".join(run("fit", "--help").output.split())


@pytest.mark.parametrize("command", ["fit", "tune"])
def test_a_place_that_cannot_be_written_is_found_out_first(machines, tmp_path, command):
    result = run(command, machines, "-o", tmp_path)
    assert isinstance(result.exception, OutputError)
    assert "is a folder" in str(result.exception)
    assert "What was understood" not in result.output
    result = run(command, machines, "-o", tmp_path / "mispelt" / "out.safetensors")
    assert isinstance(result.exception, OutputError)
    assert f"there is no folder {tmp_path / 'mispelt'}; make it first" in str(result.exception)
    assert not (tmp_path / "mispelt").exists()


def test_a_folder_without_one_usable_file_says_so(tmp_path):
    (tmp_path / "good").mkdir()
    np.save(tmp_path / "good" / "a.npy", np.arange(9.0))
    result = run("fit", tmp_path, "-o", tmp_path / "m")
    assert "none of the 1 files could be used" in str(result.exception)
    assert "rate" in result.output
    np.save(tmp_path / "good" / "a.npy", tone(900, 0))
    result = run("fit", tmp_path, "-o", tmp_path / "m", "--rate", RATE)
    assert "holds only one class, good" in str(result.exception)


@pytest.fixture(scope="module")
def loads(tmp_path_factory):
    """Two classes of one pump each, at two loads, recorded on two days at each."""
    folder = tmp_path_factory.mktemp("loads")
    rows = []
    for label, hz in (("good", 900), ("worn", 3000)):
        for i, (hp, day) in enumerate(product("02", ("mon", "tue"))):
            np.save(folder / f"{label}{i}.npy", tone(hz, seed=i))
            rows.append([f"{label}{i}.npy", label, RATE, f"{label} pump", hp, day])
    write_labels(folder, "file label rate component load day", rows)
    return folder


def test_units_are_held_out_in_turn_each_with_its_estimate(loads, tmp_path, monkeypatch):
    monkeypatch.setenv("TTY_COMPATIBLE", "1")  # a terminal has bars
    out = tmp_path / "m.safetensors"
    held = ("--held-out", "day,load", "--held-out", "recording")
    result = done("fit", loads, "-o", out, "--windows", 1, *held)
    assert "9 fits, about" in result.output, "two days, two loads, four recordings of each class, and all"
    assert "Hold out day, round 2 of 2" in result.stderr
    said = [line for line in result.stdout.splitlines() if line.startswith("Expected")]
    assert [line.partition(": macro-F1")[0] for line in said] == [
        "Expected at an unseen day of the same components",
        "Expected at an unseen load of the same components",
        "Expected on another recording of the same components",
    ]
    card = load(out).card
    assert card.held_out == "day"
    assert [one["unit"] for one in card.estimates] == ["day", "load", "recording"]


def test_every_question_has_a_row_the_hardest_first(loads, tmp_path):
    out = tmp_path / "m.safetensors"
    result = done("fit", loads, "-o", out, "--windows", 1)
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in result.stdout.splitlines() if "│" in line]
    asked = {row[0]: row[1:] for row in rows if len(row) == 3 and row[0]}
    assert asked["an unseen load"][1] == asked["an unseen day"][1] == "two rounds, no interval"
    score, hint = asked["an unseen component"]
    assert score == "not known"
    assert hint.startswith("label recordings of a second")  # it wraps where the terminal is narrow
    assert asked["an unseen speed"][0] == "not known"
    scores = [float(row[1].removesuffix(" %")) for row in rows if len(row) == 3 and row[1].endswith(" %")]
    assert len(scores) == 3
    assert scores == sorted(scores)
    assert result.stdout.count("Held-out recordings") == 1, "the hardest alone is told in detail"
    card = load(out).card
    assert card.estimates[0]["unit"] == card.held_out
    assert [one["macro_f1"] for one in card.estimates] == sorted(one["macro_f1"] for one in card.estimates)
    page = out.with_name("m.html").read_text()
    assert "<td>an unseen component</td>" in page
    assert "<td>label recordings of a second one of good, worn</td>" in page
    assert "promises are for conditions like the labelled ones: " in result.stdout
    shown = run("show", out).output
    assert "Expected at an unseen day of the same components: macro-F1" in shown
    assert shown.count("Expected on an unseen component: not known; label recordings of a second one") == 1


def test_as_json_every_held_out_recording_is_told(loads, tmp_path):
    result = done("fit", loads, "-o", tmp_path / "m", "--windows", 1, "--json")
    found = json.loads(result.stdout)
    card = load(tmp_path / "m").card
    assert (found["held_out"], found["score"]) == ("load", card.score), "the hardest that these labels allow"
    assert {one["unit"]: one.get("not_known") for one in found["questions"]} == {
        **dict.fromkeys(("load", "day", "recording")),
        "component": "label recordings of a second one of good, worn",
        "speed": "name the speed of every recording in a column speed",
    }
    assert found["estimates"] == [dict(one) for one in card.estimates]
    assert found["expected"][0].startswith("Expected at an unseen load of the same components: macro-F1")
    assert len(found["recordings"]) == 8 * len(found["estimates"])
    one = found["recordings"][0]
    assert set(one) == {"held_out", "recording", "unit", "label", "probabilities", "round", "new", "verdict"}
    assert (one["held_out"], one["new"], set(one["probabilities"])) == ("load", True, {"good", "worn"})


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--held-out", "torque"), "no recording has a torque; there is recording, component, day, load"),
        (("--held-out", "component"), "fewer than two classes have recordings of two components"),
        (("--held-out", "load,"), "a name is missing"),
        (("--held-out", "load", "--no-estimate"), "leave out one of them"),
    ],
)
def test_what_cannot_be_held_out_is_refused_before_any_fit(loads, tmp_path, words, complaint):
    result = run("fit", loads, "-o", tmp_path / "m", *words)
    assert isinstance(result.exception, ConfigError)
    assert complaint in str(result.exception)
    assert "fits, about" not in result.output
    assert not (tmp_path / "m").exists()
