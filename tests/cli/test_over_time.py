"""Verdicts on stretches of long recordings, through the command line."""

import csv
import io
import json
import re

import numpy as np
import pytest
from scipy.io import wavfile

from dualres.errors import ConfigError
from tests.cli.runner import RATE, done, run, tone


@pytest.fixture(scope="module")
def night(tmp_path_factory):
    """Twelve seconds good, then nine worn."""
    path = tmp_path_factory.mktemp("night") / "night.wav"
    signal = np.concatenate([tone(900, i) for i in range(12)] + [tone(3000, i) for i in range(9)])
    wavfile.write(path, RATE, (8000 * signal).astype(np.int16))
    return path


def test_a_line_for_each_stretch(views, night):
    result = done("diagnose", views[1], night, "--over-time", 4)
    lines = result.stdout.splitlines()
    assert [re.match(r"(\[.*\]  \w+) [01]\.\d\d  \(then ", line.removeprefix(f"{night} "))[1] for line in lines] == [
        *("[0 s to 4 s]  good", "[4 s to 8 s]  good", "[8 s to 12 s]  good"),
        *("[12 s to 16 s]  worn", "[16 s to 20 s]  worn", "[20 s to 21 s]  worn"),
    ]
    assert f"{night}: 6 stretches of 4 s: good 3, worn 3; the last one has 1 s" in result.stderr


def test_ten_seconds_where_no_number_follows(views, night):
    result = run("diagnose", "--over-time", views[1], night, "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    told = [(row["start_s"], row["end_s"], row["verdict"]) for row in rows]
    assert told == [(0.0, 10.0, "good"), (10.0, 20.0, "worn"), (20.0, 21.0, "worn")]
    good, mixed, worn = (row["probabilities"]["good"] for row in rows)
    assert good > 0.75
    assert worn < 0.25
    assert mixed == pytest.approx(0.2 * good + 0.8 * worn, abs=0.05)
    assert [(row["answer"], row["promise"]) for row in rows] == [("no_promise", None)] * 3, "few were held out"


def test_csv_has_the_times(views, night, machines):
    result = run("diagnose", views[1], night, machines / "broken.wav", "--over-time", 7, "--csv")
    assert result.exit_code == 1
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert {row["file"] for row in rows[:3]} == {str(night)}
    assert [(row["start_s"], row["end_s"]) for row in rows[:3]] == [("0.0", "7.0"), ("7.0", "14.0"), ("14.0", "21.0")]
    assert [row["answer"] for row in rows] == ["no_promise"] * 3 + [""]
    assert "state no error rate below" in rows[0]["reason"]
    assert (rows[3]["verdict"], rows[3]["start_s"]) == ("", "")
    assert rows[3]["error"]


def test_a_stretch_that_is_like_nothing_labelled(views, tmp_path):
    """The machine is switched off after four seconds."""
    signal = np.concatenate([level * tone(900, i) for i, level in enumerate([8000.0] * 4 + [8.0] * 4)])
    wavfile.write(tmp_path / "off.wav", RATE, signal.astype(np.int16))
    result = run("diagnose", views[1], tmp_path / "off.wav", "--over-time", 2, "--picture", tmp_path / "off.svg")
    unlike = ["none of these: its " in line for line in result.stdout.splitlines()]
    assert unlike == [False, False, True, True]
    assert "none of these 2" in result.stderr
    assert "none of these" in (tmp_path / "off.svg").read_text()
    csv_rows = run("diagnose", views[1], tmp_path / "off.wav", "--over-time", 2, "--csv").stdout
    assert [row["answer"] for row in csv.DictReader(io.StringIO(csv_rows))][2:] == ["none_of_these"] * 2


def test_a_picture(views, night, tmp_path):
    picture = tmp_path / "pictures" / "night.png"
    result = done("diagnose", views[1], night, "--over-time", 3, "--picture", picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert len(result.stdout.splitlines()) == 7, "the lines are printed, too"


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--picture", "a.png"], "use it with --over-time"),
        (["--over-time", "--picture", "a.gif"], r"ends in \.png, \.svg, \.pdf"),
        (["--over-time", "--together"], "leave out --together"),
        (["--over-time", "--executor", "ray"], "leave out --together and --executor"),
        (["--over-time", "0.1"], r"one window takes 0\.512 s"),
    ],
)
def test_what_cannot_be_is_refused(views, night, more, reason):
    result = run("diagnose", views[1], night, *more)
    assert isinstance(result.exception, ConfigError)
    with pytest.raises(ConfigError, match=reason):
        raise result.exception


def test_a_picture_of_many_files_is_refused_before_they_are_read(views, tmp_path):
    files = [tmp_path / f"{i}.wav" for i in range(13)]
    result = run("diagnose", views[1], *files, "--over-time", "--picture", tmp_path / "a.png")
    assert "up to 12 recordings, and 13 were given" in str(result.exception)
