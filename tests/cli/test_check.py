import csv
import json

import numpy as np
import pytest
from scipy.io import wavfile

from tests.cli.runner import done, run, write_labels
from tests.explain.made_knocks import ORDERS, RATE, knocking, turning


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two machines at 1500 rpm, one with a damaged outer race, and a file that is broken."""
    folder = tmp_path_factory.mktemp("checked")
    for name, knocks in (("knocks", True), ("hums", False)):
        signal = np.stack([2000 * knocking(25.0, seed, knocks=knocks) for seed in (0, 1)], axis=1)
        wavfile.write(folder / f"{name}.wav", RATE, signal.astype(np.int16))
    (folder / "broken.wav").write_bytes(b"RIFF but no more")
    write_labels(
        folder, "file label speed orders channels",
        [[f"{name}.wav", "", "1500", ORDERS, "all"] for name in ("knocks", "hums", "broken")],
    )  # fmt: skip
    return folder


def test_a_file_is_checked_with_no_model_and_no_label(folder, tmp_path):
    result = done("check", folder / "knocks.wav", "--picture", tmp_path / "p.png")
    assert "knocks.wav [all]  outer race  (p 0.0" in result.output
    assert "25.0" in result.output
    assert "found     outer race: p 0.0" in result.output
    assert "pooled, axes " in result.output
    assert (tmp_path / "p.png").stat().st_size > 10_000


def test_options_are_used_where_no_list_says_it(folder, tmp_path):
    wavfile.write(tmp_path / "x.wav", RATE, (2000 * knocking(25.0, 5)).astype(np.int16))
    told = done("check", tmp_path / "x.wav", "--orders", ORDERS, "--speed", "1500rpm", "--unit", "g",
                "--zones", "1,2,3", "--gear", "29/95", "--json")  # fmt: skip
    said = json.loads(told.output)
    assert (said["answer"], said["zone"], said["speed_hz"]) == ("outer race", "D", 25)
    assert {one["name"] for one in said["findings"]} >= {"outer race", "inner race", "gear", "mate", "looseness"}


def test_a_folder_is_checked_by_its_columns(folder):
    result = run("check", folder, "--csv")
    assert result.exit_code == 1
    assert "broken.wav" in result.stderr
    rows = {row["file"].rpartition("/")[2]: row for row in csv.DictReader(result.stdout.splitlines())}
    answers = {name.split(".")[0]: row["answer"] for name, row in rows.items()}
    assert answers == {"knocks": "outer race", "hums": "nothing found", "broken": ""}
    assert next(row["error"] for name, row in rows.items() if name.startswith("broken"))


def test_one_cannot_tell_without_a_speed(folder):
    result = done("check", folder / "hums.wav", "--speed", "none")
    assert "cannot tell: the speed of the shaft is not known" in result.output


def test_healthy_recordings_tell_what_has_grown(tmp_path):
    (tmp_path / "well").mkdir()
    for seed in range(4):
        wavfile.write(tmp_path / "well" / f"{seed}.wav", RATE, (2000 * turning(25.0, seed)).astype(np.int16))
    wavfile.write(tmp_path / "now.wav", RATE, (2000 * turning(25.0, 9, 1.0)).astype(np.int16))
    options = ("--speed", "1500rpm", "--healthy", tmp_path / "well")
    said = done("check", tmp_path / "now.wav", *options).output
    assert "shaft, consistent with unbalance that has grown  (p 0.0" in said
    assert "since healthy: once +" in said
    itself = done("check", tmp_path / "well" / "0.wav", *options, "--csv").stdout
    assert next(csv.DictReader(itself.splitlines()))["answer"] == "nothing found"
    few = run("check", tmp_path / "now.wav", "--speed", "1500rpm", "--healthy", tmp_path / "well" / "0.wav")
    assert "give 3 or more" in str(few.exception)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--json", "--csv"], "two formats"),
        (["--error", "0.001"], "0.02"),
        (["--zones", "1,2,3"], "--unit"),
        (["--zones", "1,2,x", "--unit", "g"], "three numbers"),
        (["--zones", "1,2", "--unit", "g"], "three limits"),
        (["--bearing", "no such"], "6205"),
        (["--gear", "29"], "29/95"),
        (["--orders", "outer"], "outer=3.585"),
        (["--picture", "p.png"], "draws one recording"),
    ],
)
def test_what_cannot_be_understood_is_told_at_once(folder, options, told):
    result = run("check", folder, *options)
    assert result.exit_code != 0
    assert told in str(result.exception)
