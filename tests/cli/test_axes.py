"""Several axes of a measurement, from files to a verdict, through the command line."""

import csv
import json

import numpy as np
import pytest

from dualres import load
from dualres.errors import ConfigError, RecordingError
from tests.cli.runner import RATE, done, run, tone, write_labels
from tests.recordings.axes_files import write_csv

TONES = {"good": (900, 900), "worn": (3000, 900), "bent": (900, 3000)}  # Hz along x and y; neither tells all


@pytest.fixture(scope="module")
def pumps(tmp_path_factory):
    folder, rows = tmp_path_factory.mktemp("pumps"), []
    for label, both in TONES.items():
        for unit in range(2):
            name = f"{label}{unit}.csv"
            signals = np.array([1000 * tone(hz, 10 * unit + i) for i, hz in enumerate(both)])
            write_csv(folder / name, signals, ("x", "y"), RATE)
            rows.append([name, label, f"{label} {unit}"])
    write_labels(folder, "file label component", rows)
    return folder


@pytest.fixture(scope="module")
def fitted(pumps, tmp_path_factory):
    out = tmp_path_factory.mktemp("model") / "pump.safetensors"
    result = done("fit", pumps, "-o", out, "--windows", 2, "--channel", "x,y")
    return result, out


def test_a_fit_tells_its_axes_their_cost_and_what_was_compared(fitted):
    result, out = fitted
    assert "10 fits of 2 axes (x, y), about" in result.output
    assert "note: axes: a network each is right on " in result.output
    assert "2 axes (x, y), a network each: a verdict costs 2 times one axis'" in result.output
    card = load(out).card
    assert (card.channels, card.axes, card.networks) == (("x", "y"), "apart", 2)
    assert card.exposure_s["good"] == pytest.approx(2 * 0.768)


def test_a_model_knows_its_axes_when_it_judges(fitted, pumps):
    lines = [json.loads(line) for line in run("diagnose", fitted[1], pumps, "--json").output.splitlines()]
    assert [line["verdict"] for line in lines] == [label for label in sorted(TONES) for _ in range(2)]
    one = run("diagnose", fitted[1], pumps / "worn0.csv", "--channel", "x")
    assert one.exit_code == 1
    assert "has one signal, and the model judges the axes x, y; choose signals of these names" in one.output
    together = done("diagnose", fitted[1], pumps, "--together", "--healthy", pumps / "good0.csv", "--json")
    assert json.loads(together.stdout.splitlines()[0])["together"]["recordings"] == 6


def test_show_tells_of_axes(fitted, pumps):
    output = run("show", fitted[1]).output
    assert 'channels     ["x", "y"]\naxes         "apart"\n' in output
    assert "verdicts     2 axes (x, y), a network each: a verdict costs 2 times one axis'" in output
    output = run("show", pumps / "good0.csv", "--channel", "all").output
    assert output.count("spectrum") == 2
    assert "channel    x\n" in output
    assert "channel    y\n" in output


def test_files_of_other_axes_are_left_out_or_named(fitted, pumps, tmp_path):
    write_csv(tmp_path / "a.csv", np.array([tone(900, i) for i in range(2)]), ("x", "w"), RATE)
    result = run("diagnose", fitted[1], tmp_path / "a.csv")
    assert result.exit_code == 1
    assert "there is no signal called y in it" in result.output
    result = run("fit", pumps, "-o", tmp_path / "m", "--channel", "x,y", "--members", 40, "--recipe", "paper")
    assert isinstance(result.exception, ConfigError)
    assert "40 networks for each of 2 axes are 80" in str(result.exception)


def test_recordings_that_differ_in_their_axes_stop_a_fit(pumps, tmp_path):
    rows = list(csv.reader((pumps / "labels.csv").read_text().splitlines()))
    table = [[*rows[0], "channels"], [*rows[1], "x;y"], *([*row, "x"] for row in rows[2:])]
    with (tmp_path / "list.csv").open("w", newline="") as file:
        csv.writer(file).writerows(table)
    result = run("fit", pumps, "-o", tmp_path / "m", "--labels", tmp_path / "list.csv")
    assert isinstance(result.exception, RecordingError)
    assert "good1.csv [x]: has one signal, and good0.csv [x;y] has 2 axes (x, y)" in str(result.exception)


def test_an_audit_takes_several_axes(pumps):
    result = done("audit", pumps, "--channel", "x,y")
    assert "No leak found" in result.output
