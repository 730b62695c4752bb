"""What a list says of a judged recording, load, component and speed, through every door but without its label."""

import csv
import io
import json
import re

import numpy as np
import pytest
from scipy.io import wavfile

from dualres.judge import files as judging
from dualres.judge.model import load
from dualres.judge.verdict import diagnose_recording
from dualres.recordings.labels.read import read_row, to_judge
from dualres.utils import cluster
from dualres.web.models import Judging
from dualres.web.workspace import Workspace
from tests.cli.runner import RATE, done, run, tone, write_labels

UNKNOWN = "load full was not labelled"
COLUMNS = "file label component load speed"
ANSWERS = ("--error", 0.2)  # a rate that eight held-out recordings can state


def write(folder, rows, seconds=1):
    for seed, (name, label, *_) in enumerate(rows):
        signal = np.concatenate([tone(900 if label == "good" else 3000, seed + each) for each in range(seconds)])
        wavfile.write(folder / name, RATE, (8000 * signal).astype(np.int16))
    write_labels(folder, COLUMNS, rows)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Of four machines of each class, all at half load and 1500 rpm."""
    folder = tmp_path_factory.mktemp("half")
    write(folder, [[f"{c}{m}.wav", c, f"{c} {m}", "half", "1500"] for c in ("good", "worn") for m in range(4)])
    (folder / "models").mkdir()
    done("fit", folder, "-o", folder / "models" / "m.safetensors", "--windows", 2, "--no-page")
    return folder / "models" / "m.safetensors"


@pytest.fixture
def judged(tmp_path):
    """A machine at half and at full load, under labels that are wrong, and a good one that nothing is known of."""
    write(tmp_path, [["half.wav", "good", "new", "half", "1500"], ["full.wav", "good", "new", "full", "1500"]], 3)
    wavfile.write(tmp_path / "unlisted.wav", RATE, (8000 * tone(900, 9)).astype(np.int16))
    text = (tmp_path / "labels.csv").read_text()
    (tmp_path / "labels.csv").write_text(text.replace(",good,", ",worn,"))
    return tmp_path


def objects(result):
    return {row["file"].rpartition("/")[2]: row for row in map(json.loads, result.stdout.splitlines())}


def test_a_judged_recording_knows_all_but_its_label(judged):
    known = {row.file.stem: read_row(row) for row in to_judge([judged])}
    half, unlisted = known["half"], known["unlisted"]
    assert (half.label, half.component, half.condition) == (None, "new", {"load": "half", "speed": "1500"})
    assert half.speed.hz == (25.0,)
    assert (unlisted.label, unlisted.component, unlisted.condition, unlisted.speed) == (None, None, {}, None)


def test_no_column_that_says_the_label_once_more_is_known(tmp_path):
    wavfile.write(tmp_path / "a.wav", RATE, (8000 * tone(900, 1)).astype(np.int16))
    (tmp_path / "labels.csv").write_text("file,label,fault,class,load\na.wav,worn,outer,bad,half\n")
    (row,) = to_judge([tmp_path])
    assert read_row(row).condition == {"load": "half"}


def test_a_load_that_nobody_labelled_is_noticed(model, judged):
    said = objects(run("diagnose", model, judged, "--json", *ANSWERS))
    assert {name: row["answer"] for name, row in said.items()} == {
        "half.wav": "named",
        "full.wav": "no_promise",
        "unlisted.wav": "named",
    }
    assert said["full.wav"]["reason"] == UNKNOWN
    assert {row["verdict"] for row in said.values()} == {"good"}, "whatever the list says"
    lines = run("diagnose", model, judged, *ANSWERS).stdout.splitlines()
    ending = re.compile(rf"no promise: {UNKNOWN}(  at \d+ rpm.*)?$")
    assert [ending.search(line) is not None for line in lines] == [True, False, False]
    table = list(csv.DictReader(io.StringIO(run("diagnose", model, judged, "--csv", *ANSWERS).stdout)))
    assert [row["reason"] for row in table] == [UNKNOWN, "", ""]


def test_what_is_not_stated_is_said_once_and_of_each_as_data(model, judged):
    """What is promised then holds for conditions like the labelled ones."""
    result = run("diagnose", model, judged, "--json", *ANSWERS)
    assert {name: row["assumed"] for name, row in objects(result).items()} == {
        "half.wav": [],
        "full.wav": [],
        "unlisted.wav": ["load", "speed"],
    }
    once = (
        "note not stated: load of 1, speed of 1 files. What is promised of them holds for conditions like the labelled"
    )
    for style in ((), ("--json",), ("--csv",)):
        assert " ".join(run("diagnose", model, judged, *style, *ANSWERS).stderr.split()).count(once) == 1
    assert "not stated" not in run("diagnose", model, judged, *ANSWERS, "--error", 0.01).stderr, "nothing is promised"


def test_where_promises_are_told_their_conditions_are(model, judged):
    said = "promises are for conditions like the labelled ones: load half; speed 1500"
    assert said in run("show", model).output
    (judged / "models").symlink_to(model.parent)
    assert Judging(Workspace(judged)).card("m")["promised_under"] == said


def test_over_time(model, judged):
    result = run("diagnose", model, judged, "--json", "--over-time", 1, *ANSWERS)
    rows = list(map(json.loads, result.stdout.splitlines()))
    assert {row["reason"] for row in rows if "full" in row["file"]} == {UNKNOWN}
    assert {row["answer"] for row in rows if "half" in row["file"]} == {"named"}


def test_the_page(model, judged):
    (judged / "models").symlink_to(model.parent)
    workspace = Workspace(judged)
    page, known = Judging(workspace), {entry.name: entry for entry in workspace.entries()}
    assert page.verdict("m", known["full.wav"])["verdict"] == "good"
    found = judging.read_for(page.model("m"), known["full.wav"].row, None, None, speed=workspace.sources)
    assert (found.label, found.condition["load"], found.speed.rpm) == (None, "full", 1500)
    sure = diagnose_recording(page.model("m"), found, error=0.2)
    assert sure.answer.reason == UNKNOWN


def test_together_and_beside_a_baseline(model, judged):
    """Neither promises anything, and both go on working with what the list says."""
    said = objects(run("diagnose", model, judged, "--json", "--together"))
    assert said["full.wav"]["alone"]["verdict"] == said["full.wav"]["verdict"] == "good"
    said = objects(run("diagnose", model, judged, "--json", "--healthy", judged / "half.wav", "--healthy", judged))
    assert {row["verdict"] for row in said.values()} == {"good"}
    assert said["half.wav"]["healthy"]["recordings"] == 4


def test_the_files_and_the_way_over_a_cluster_are_one(model, judged, monkeypatch):
    """As on a cluster of this process alone."""

    class Here:
        cpus = 1

        def __init__(self, address, cpus):
            """Joins nothing."""

        def __enter__(self):
            return self

        def __exit__(self, *_):
            """Leaves nothing."""

        def share(self, value):
            return value

        def submit(self, task, *arguments, retries):
            return lambda: task(*arguments)

        def result(self, ref):
            return ref()

    monkeypatch.setattr(cluster, "Cluster", Here)
    asked = (load(model), list(to_judge([judged])), None, None)
    ours = [one.verdict.answer for one in judging.judge_files(*asked, error=0.2, speed="1500rpm")]
    theirs = [one.verdict.answer for one in judging.judge_files_by_ray(*asked, error=0.2, speed="1500rpm")]
    assert ours == theirs
    assert [one.reason for one in ours] == [UNKNOWN, "", ""]
    refused = list(judging.judge_files_by_ray(*asked, speed=3000))
    assert [one.verdict is None for one in refused] == [True, True, False]


@pytest.mark.parametrize(
    "door", [("diagnose",), ("diagnose", "--over-time", "1"), ("diagnose", "--together"), ("diagnose", "--json")]
)
def test_another_speed_than_the_list_states_is_refused_and_none_is_taken(model, judged, door):
    command, *options = door
    result = run(command, model, judged, *options, "--speed", "3000rpm")
    assert result.exit_code == 1
    assert result.output.count("the speed is given as 3000 rpm, and the list states 1500 rpm") == 2
    assert run(command, model, judged, *options, "--speed", "none").exit_code == 0
    assert run(command, model, judged, *options, "--speed", "1520rpm").exit_code == 0


def test_the_baseline_is_read_as_it_is_recorded(model, judged):
    result = run("diagnose", model, judged / "unlisted.wav", "--healthy", judged, "--speed", "50Hz")
    assert "the list states 1500 rpm" in str(result.exception)


def test_explain_takes_the_recordings_speed(model, judged):
    said = json.loads(done("explain", model, judged / "half.wav", "--bearing", "6205", "--json").stdout)
    assert said["speed_hz"] == 25
    said = json.loads(done("explain", model, judged / "half.wav", "--speed", "1520rpm", "--json").stdout)
    assert said["speed_hz"] == pytest.approx(1520 / 60), "what is stated of one recording is more exact than its list"
    assert "speed_hz" not in json.loads(done("explain", model, judged / "half.wav", "--speed", "none", "--json").stdout)
    refused = run("explain", model, judged / "half.wav", "--speed", "60Hz")
    assert "correct one of them" in str(refused.exception)


def test_show_says_the_speed(judged):
    assert "speed      1500 rpm, stated" in done("show", judged / "half.wav").output
    assert "speed " not in done("show", judged / "half.wav", "--speed", "none").output
    assert "speed      1790 rpm, stated" in done("show", judged / "unlisted.wav", "--speed", "1790").output


def test_a_fit_points_out_a_speed_in_another_unit(judged, tmp_path):
    rows = [[f"{c}{m}.wav", c, f"{c} {m}", "half", "25"] for c in ("good", "worn") for m in range(2)]
    (tmp_path / "slow").mkdir()
    write(tmp_path / "slow", [*rows, ["odd.wav", "good", "odd", "half", "1500"]])
    result = done("fit", tmp_path / "slow", "-o", tmp_path / "m.safetensors", "--no-estimate", "--no-page")
    assert 'speed "1500" once, taken as 1500 rpm, and 25 rpm is usual here' in result.output.replace("\n", " ")
    assert 'speed "25" 4 times, taken as 25 rpm' in result.output.replace("\n", " ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--speed", "30Hz", "--tacho", "2"), "one of them"),
        (("--tacho", "2", "--speed-channel", "3"), "one of them"),
        (("--pulses", "2"), "--tacho"),
        (("--speed", "fast"), "1797rpm"),
    ],
)
def test_options_that_contradict_each_other(model, judged, options, message):
    for command in (("diagnose", model, judged), ("fit", judged, "-o", judged / "n.safetensors"), ("advise", judged)):
        assert message in str(run(*command, *options).exception), command


def test_a_tachometer_beside_the_signal(model, tmp_path):
    t = np.arange(3 * RATE) / RATE
    pulses = ((20 * t + t**2) * 8) % 1 < 0.2
    both = np.stack([np.concatenate([tone(900, seed) for seed in range(3)]), 2.0 * pulses], axis=1)
    wavfile.write(tmp_path / "a.wav", RATE, (8000 * both).astype(np.int16))
    options = ("--channel", 1, "--tacho", 2, "--pulses", 8)
    shown = done("show", tmp_path / "a.wav", *options).output
    assert re.search(r"speed +12[\d.]+ to 15[\d.]+ rpm, 13[78][\d.]+ in the mean, measured\n", shown)
    assert json.loads(done("explain", model, tmp_path / "a.wav", *options, "--json").stdout)["speed_hz"] == (
        pytest.approx(23, rel=0.01)
    )
    assert done("diagnose", model, tmp_path / "a.wav", *options).exit_code == 0
    lost = run("diagnose", model, tmp_path / "a.wav", "--channel", 1, "--tacho", 3)
    assert "no signal called 3" in lost.output
