"""Verdicts, through the command line."""

import csv
import io
import json
import shutil
from collections import Counter

import numpy as np
import pytest
from scipy.io import wavfile

from dualres.cli import progress_display
from dualres.cli.diagnose import completed
from dualres.judge import windows as judged_windows
from dualres.judge.training_profile import TrainingProfile
from dualres.judge.trust.calibration import Calibration
from dualres.model_file import file as model_file
from dualres.recordings.readers import signals
from dualres.recordings.recording import FileDigest
from tests.cli.runner import RATE, done, run, tone


def test_verdicts_one_line_each(fitted, machines):
    result = done("diagnose", fitted[1], machines / "good0.wav", machines / "worn0.wav")
    lines = result.output.splitlines()
    assert len(lines) == 2
    assert "good0.wav  good" in lines[0]
    assert "worn0.wav  worn" in lines[1]
    assert "(then good" in lines[1]


ANSWER = {"answer", "set", "promise", "names_error", "reason", "calibrated", "assumed"}


def test_a_bad_file_is_reported_and_the_rest_is_judged(fitted, machines):
    result = run("diagnose", fitted[1], machines / "broken.wav", machines / "good1.wav", machines / "nowhere.wav")
    assert result.exit_code == 1
    assert "good1.wav  good" in result.output
    assert result.output.count("not judged") == 2
    assert "Traceback" not in result.output


def test_json_lines(fitted, machines):
    result = run("diagnose", fitted[1], machines, "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(rows) == 7, "labels.csv is no recording"
    judged = [r for r in rows if "verdict" in r]
    assert len(judged) == 6
    keys = {"file", "verdict", "probability", "runner_up", "probabilities", "windows", "differences"}
    assert set(judged[0]) == {*keys, *ANSWER}
    assert all(r["verdict"] in r["file"] for r in judged)
    assert all("error" in r for r in rows if "verdict" not in r)


def test_how_far_it_is_is_told_beside_the_verdicts(fitted, machines, monkeypatch):
    monkeypatch.setattr(progress_display, "FIRST_LINE_S", 0.0)
    result = run("diagnose", fitted[1], machines, "--json")
    assert result.stderr.splitlines()[0] == "Judge: 1 of 7"
    assert all(json.loads(line) for line in result.stdout.splitlines())


def test_csv(fitted, machines):
    result = run("diagnose", fitted[1], machines / "good0.wav", machines / "broken.wav", "--csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [r["verdict"] for r in rows] == ["good", ""]
    assert rows[1]["error"]


def test_together_says_what_was_said_alone_and_from_how_many_seconds(fitted, machines):
    alone = run("diagnose", fitted[1], machines, "--json")
    result = run("diagnose", fitted[1], machines, "--json", "--together")
    before, rows = ([json.loads(line) for line in r.stdout.splitlines()] for r in (alone, result))
    assert [row["file"] for row in rows] == [row["file"] for row in before]
    for was, row in zip(before, rows, strict=True):
        assert row.get("error") == was.get("error")
        if "error" not in row:
            assert row["alone"] == {name: was[name] for name in row["alone"]}
            assert set(row["alone"]) == {"verdict", "probability", "runner_up", "probabilities", *ANSWER}
            assert row["windows"] == was["windows"]
            assert row["probabilities"] != was["probabilities"], "six recordings have a say"
            assert sum(row["probabilities"].values()) == pytest.approx(1)
            seconds = sum(0.256 * (one["windows"] + 1) for one in before if "windows" in one)
            assert row["together"] == {"recordings": 6, "unlabelled_seconds": pytest.approx(seconds)}
    assert "6 recordings," in result.stderr
    assert "unlabelled seconds; 0 verdicts changed" in result.stderr


def test_together_is_nothing_for_one_file(fitted, machines):
    alone = run("diagnose", fitted[1], machines / "good0.wav", "--json")
    together = run("diagnose", fitted[1], machines / "good0.wav", "--json", "--together")
    was, row = json.loads(alone.stdout), json.loads(together.stdout)
    assert {name: row[name] for name in was} == was
    assert together.exit_code == 0


def test_together_as_text_and_as_csv(fitted, machines):
    text = run("diagnose", fitted[1], machines / "good0.wav", machines / "worn0.wav", "--together")
    assert "good0.wav  good" in text.stdout
    assert "; alone good" in text.stdout
    table = run("diagnose", fitted[1], machines / "good0.wav", machines / "broken.wav", "--csv", "--together")
    rows = list(csv.DictReader(io.StringIO(table.stdout)))
    assert [r["alone"] for r in rows] == ["good", ""]
    before = ["file", "verdict", "probability", "runner_up", "alone", "error", "differences"]
    assert list(rows[0]) == [*before, "answer", "set", "reason"]


def test_rates_that_are_no_share_and_nothing_to_judge_together_are_errors(fitted, machines):
    result = run("diagnose", fitted[1], machines / "broken.wav", machines / "nowhere.wav", "--together")
    assert result.exit_code == 1
    assert "0 recordings, 0.0 unlabelled seconds" in result.output
    result = run("diagnose", fitted[1], machines / "good0.wav", "--error", "10")
    assert result.exit_code != 0
    assert "between 0 and 1" in result.output


def test_a_folder_s_list_gives_channels_and_conditions_without_labels(fitted, machines, tmp_path):
    two = np.stack([tone(900, 0), tone(3000, 0)], axis=1)
    wavfile.write(tmp_path / "both.wav", RATE, (8000 * two).astype(np.int16))
    shutil.copy(machines / "good1.wav", tmp_path / "other.wav")
    names = list(signals(tmp_path / "both.wav"))
    (tmp_path / "labels.csv").write_text(f"file,channel,load\nboth.wav,{names[0]},low\nboth.wav,{names[1]},high\n")
    result = run("diagnose", fitted[1], tmp_path, "--json", "--together")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["verdict"] for row in rows] == ["good", "worn", "good"]
    assert [row.get("channel") for row in rows] == [*names, None]
    assert [row["condition"] for row in rows] == [{"load": "low"}, {"load": "high"}, {}]
    assert "3 recordings at 2 known conditions" in result.stderr
    lines = run("diagnose", fitted[1], tmp_path).stdout.splitlines()
    assert f"both.wav [{names[1]}]  worn" in lines[1], "it is read without --together, too"


def test_a_line_ends_with_the_answer_and_the_rate_is_a_choice(fitted, machines):
    """Six held-out machines state one in seven and nothing below."""
    (line,) = run("diagnose", fitted[1], machines / "good0.wav").stdout.splitlines()
    assert "  no promise: 6 held-out components state no error rate below 14 %" in line
    (line,) = run("diagnose", fitted[1], machines / "good0.wav", "--error", "0.15").stdout.splitlines()
    assert line.endswith("  named: good, at most 15 % of names are wrong")
    strict = run("diagnose", fitted[1], machines / "good0.wav", "--error", "0.15", "--sure", "0.9")
    assert "no promise" in strict.stdout
    row = json.loads(run("diagnose", fitted[1], machines / "good0.wav", "--error", "0.15", "--json").stdout)
    assert (row["answer"], row["set"]) == ("named", ["good"])
    assert row["promise"] == {"unit": "component", "error": 0.15, "sure": None}
    (cells,) = csv.DictReader(io.StringIO(run("diagnose", fitted[1], machines / "good0.wav", "--csv").stdout))
    assert (cells["answer"], cells["set"]) == ("no_promise", "")
    assert "held-out components" in cells["reason"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("m a.wav --over-time", "m a.wav --over-time 10"),
        ("m a.wav --over-time 2.5", "m a.wav --over-time 2.5"),
        ("--over-time m a.wav", "--over-time 10 m a.wav"),
        ("m a.wav --over-time --json", "m a.wav --over-time 10 --json"),
        ("m a.wav", "m a.wav"),
    ],
)
def test_a_number_follows_the_option(given, meant):
    assert completed(given.split(), "--over-time", 10) == meant.split()


def test_nothing_is_done_twice(views, machines, monkeypatch):
    """For all files the model is read and its card parsed once; each file is resampled once, and none is hashed."""
    calls = Counter()

    def count(place, name):
        function = getattr(place, name)
        monkeypatch.setattr(place, name, lambda *given, **named: calls.update([name]) or function(*given, **named))

    count(model_file, "unseal")
    count(judged_windows, "window_blocks")
    count(Calibration, "parsed")
    count(TrainingProfile, "parsed")
    monkeypatch.setattr(FileDigest, "sha256", property(lambda _: calls.update(["hashed"])))
    done("diagnose", views[1], machines / "good0.wav", machines / "worn0.wav", "--json")
    assert calls == {"unseal": 1, "parsed": 2, "window_blocks": 2}
