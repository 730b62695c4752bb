import csv
import json

import numpy as np
import pytest
from scipy.io import wavfile

from tests.cli.runner import done, run, write_labels
from tests.explain.made_knocks import ORDERS

RATE = 4096


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A month of a machine whose level grows by 12 dB in its second half."""
    folder = tmp_path_factory.mktemp("pump")
    for day in range(30):
        level = 10 ** (max(day - 15, 0) / 24)
        noise = np.random.default_rng(day).standard_normal(2 * RATE)
        wavfile.write(folder / f"pump_2026-01-{day + 1:02}.wav", RATE, (1000 * level * noise).astype(np.int16))
    return folder


@pytest.fixture(scope="module")
def several(folder, tmp_path_factory):
    """Two machines, the first four days of that month, and a file that is broken."""
    several = tmp_path_factory.mktemp("hall")
    for day in range(1, 5):
        (several / f"{day}.wav").write_bytes((folder / f"pump_2026-01-0{day}.wav").read_bytes())
    (several / "5.wav").write_bytes(b"RIFF but no more")
    write_labels(
        several, "file machine time", [[f"{day}.wav", "ab"[day % 2], f"2026-01-0{day}"] for day in range(1, 6)]
    )
    return several


def test_a_change_is_told_with_its_time_promise_and_levels(folder):
    told = done("trend", folder).output
    assert "changed: found at 2026-01-" in told
    assert "At most 5 % of healthy machines" in told
    assert "times from the dates in file names" in told
    assert "< found" in told
    assert "< began" in told
    assert "2026-01-30" in told


def test_json_holds_every_recording(folder):
    said = json.loads(done("trend", folder, "--json", "--error", "0.01").stdout)
    assert (said["answer"], said["false_alarm_rate"], said["recordings"]) == ("changed", 0.01, 30)
    assert said["points"][-1]["rise_db"] == pytest.approx(12, abs=1)
    assert 15 < said["changes"][0]["found"]["number"] < 26


def test_what_is_known_of_the_machine_adds_lines_and_severity(folder):
    told = done("trend", folder, "--speed", "1500rpm", "--orders", ORDERS, "--unit", "g", "--zones", "1,2,3", "--csv")
    rows = list(csv.DictReader(told.stdout.splitlines()))
    assert len(rows) == 30
    assert {rows[0]["zone"], rows[0]["speed_rpm"]} == {"D", "1500"}
    assert float(rows[0]["velocity_mm_s"]) > 0
    assert rows[0]["score_outer_race"]
    assert sorted({row["mark"] for row in rows}) == ["", "began", "found"]


def test_machines_have_a_series_each_and_a_broken_file_costs_its_row(several):
    result = run("trend", several, "--json")
    assert result.exit_code == 1
    assert "left out  5.wav" in result.stderr
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(one["machine"], one["answer"], one["recordings"]) for one in told] == [
        ("a", "cannot tell", 2),
        ("b", "cannot tell", 2),
    ]
    rows = list(csv.DictReader(run("trend", several, "--csv").stdout.splitlines()))
    assert [row["file"] for row in rows if row["error"]] == ["5.wav"]


def test_a_picture_and_a_page_are_written(folder, tmp_path):
    done("trend", folder, "--picture", tmp_path / "p.png", "--page", tmp_path / "p.html", "--keep", tmp_path / "k.json")
    assert (tmp_path / "p.png").stat().st_size > 10_000
    assert "changed: found at" in (tmp_path / "p.html").read_text()
    again = done("trend", folder, "--keep", tmp_path / "k.json")
    assert again.output == done("trend", folder).output


def test_what_was_read_is_kept_when_it_is_stopped(folder, tmp_path, monkeypatch):
    from dualres.explain.trend import folder as room

    whole, read = room.levels_of, []

    def stopped(*arguments):
        read.append(arguments)
        if len(read) == 4:
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(room, "levels_of", stopped)
    result = run("trend", folder, "--keep", tmp_path / "k.json")
    assert result.exit_code == 130
    assert f"What was read so far is kept in {tmp_path / 'k.json'}." in " ".join(result.stderr.split())
    assert len(json.loads((tmp_path / "k.json").read_text())["levels"]) == 3


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--json", "--csv"], "two formats"),
        (["--error", "0"], "share between 0 and 1"),
        (["--zones", "1,2,3"], "--unit"),
        (["--healthy", "0"], "how many of the first"),
        (["--picture", "p.jpg"], ".png"),
        (["--page", "p.txt"], ".html"),
        (["--time", "days"], "no recording has a column days"),
        (["--bearing", "no such"], "6205"),
        (["--keep", "no/such/folder/k.json"], "there is no folder"),
    ],
)
def test_what_cannot_be_understood_is_told_at_once(folder, options, told):
    result = run("trend", folder, *options)
    assert result.exit_code != 0
    assert told in str(result.exception)
