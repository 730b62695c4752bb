"""A model that remembers what it learned from, through the command line."""

import csv
import io
import json
import re

import numpy as np
import pytest
from scipy.io import savemat, wavfile

from dualres.judge.model import load
from tests.cli.runner import RATE, done, run, tone, write_labels


def write(path, number, hz, gain=1.0, **more):
    """As CWRU's files: the rate is not in them, and names hold the number of the file."""
    other = tone(50, number)
    savemat(path, {f"X{number:03d}_DE_time": gain * tone(hz, number), f"X{number:03d}_FE_time": other, **more})


@pytest.fixture(scope="module")
def remembering(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bearings")
    rows = []
    for number, (label, hz) in enumerate([("good", 900), ("worn", 3000)] * 2, start=97):
        write(folder / f"{number}.mat", number, hz)
        rows.append([f"{number}.mat", label, f"X{number:03d}_DE_time", RATE])
    write_labels(folder, "file label channel rate", rows)
    out = tmp_path_factory.mktemp("model") / "bearings.safetensors"
    done("fit", folder, "-o", out, "--windows", 2, "--no-estimate")
    return out


def test_the_card_remembers(remembering):
    found = load(remembering).card.learned_from
    assert found["channels"] == ["X#_DE_time"]
    assert found["rates"] == ["12800"]
    assert set(found["looks"]) == {"level", "crest", "bandwidth_hz", "seconds"}
    assert "learned_from" in run("show", remembering).output


def test_neither_channel_nor_rate_is_needed_again(remembering, tmp_path):
    write(tmp_path / "5.mat", 205, 3000)
    result = done("diagnose", remembering, tmp_path / "5.mat")
    (line,) = result.stdout.splitlines()
    assert "5.mat  worn" in line
    assert "!" not in line
    assert "1 file does not say the rate: taken as 12800 Hz, as learned" in result.stderr
    (row,) = map(json.loads, run("diagnose", remembering, tmp_path, "--json").stdout.splitlines())
    assert row["differences"] == [{"what": "rate", "here": None, "learned": [12800.0]}]


def test_a_rate_that_is_given_is_no_assumption(remembering, tmp_path):
    write(tmp_path / "5.mat", 205, 3000)
    result = run("diagnose", remembering, tmp_path / "5.mat", "--rate", RATE, "--json")
    assert json.loads(result.stdout)["differences"] == []
    assert not result.stderr


def test_differences_are_said_in_every_form(remembering, tmp_path):
    write(tmp_path / "5.mat", 205, 3000, gain=1000.0, fs=16_000.0)
    text = run("diagnose", remembering, tmp_path / "5.mat", "--channel", "X205_DE_time").stdout
    wanted = r"\)  ! 16000 Hz, learned at 12800 Hz; level 7\d\d, learned at 0\.7\d+ to 0\.7\d+\n"
    assert re.search(wanted, text), text
    arguments = ("diagnose", remembering, tmp_path / "5.mat", "--channel", "X205_FE_time")
    (row,) = map(json.loads, run(*arguments, "--json").stdout.splitlines())
    assert row["differences"] == [
        {"what": "rate", "here": 16000.0, "learned": [12800.0]},
        {"what": "channel", "here": "X205_FE_time", "learned": ["X#_DE_time"]},
    ]
    (cells,) = csv.DictReader(io.StringIO(run(*arguments, "--csv").stdout))
    wanted = "16000 Hz, learned at 12800 Hz; channel X205_FE_time, learned from X#_DE_time"
    assert cells["differences"] == wanted


def test_a_folder_s_list_comes_before_what_is_remembered(remembering, tmp_path):
    write(tmp_path / "5.mat", 205, 3000)
    (tmp_path / "labels.csv").write_text("file,channel,rate\n5.mat,X205_FE_time,16000\n")
    (row,) = map(json.loads, run("diagnose", remembering, tmp_path, "--json").stdout.splitlines())
    assert [each["what"] for each in row["differences"]] == ["rate", "channel"]


def test_a_healthy_machine_is_read_as_remembered(remembering, tmp_path):
    write(tmp_path / "5.mat", 205, 900)
    done("diagnose", remembering, tmp_path / "5.mat", "--healthy", tmp_path / "5.mat")


def test_another_unit_is_said_and_where_nothing_differs_nothing(views, machines, tmp_path):
    result = run("diagnose", views[1], machines / "good0.wav", machines / "worn0.wav", "--json")
    assert all(json.loads(line)["differences"] == [] for line in result.stdout.splitlines())
    assert not result.stderr
    wavfile.write(tmp_path / "a.wav", RATE, (2e8 * tone(900, 0)).astype(np.int32))
    result = run("diagnose", views[1], tmp_path / "a.wav")
    assert "unit 32-bit counts, learned from 16-bit counts; level" in result.stdout
