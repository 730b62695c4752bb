"""Few labels and a bearing: from a folder to verdicts that say what came from where."""

import csv
import json

import numpy as np
import pytest

from tests.cli.runner import done, run, write_labels
from tests.struck import RATE, labelled, struck

BEARING = ("--bearing", "6205")


@pytest.fixture(scope="module")
def pumps(tmp_path_factory):
    """Two recordings of each of three classes, and one of a ball that nobody labelled."""
    folder, rows = tmp_path_factory.mktemp("pumps"), []
    for one in labelled("healthy", "inner", "outer"):
        np.save(folder / f"{one.id}.npy", one.signal)
        rows.append([f"{one.id}.npy", one.label, RATE, 1500])
    np.save(folder / "unknown.npy", struck("ball", 50).signal)
    rows.append(["unknown.npy", "", RATE, 1500])
    write_labels(folder, "file label rate speed_rpm", rows)
    return folder


@pytest.fixture(scope="module")
def fitted(pumps, tmp_path_factory):
    out = tmp_path_factory.mktemp("model") / "pumps.safetensors"
    return done("fit", pumps, "-o", out, "--windows", 3, "--no-estimate", "--no-page", *BEARING), out


def test_a_fit_says_which_part_comes_from_where(fitted):
    result, out = fitted
    said = [
        "healthy: no template; 2 labelled recordings",
        "inner: template of the inner race, weight 0.5 by 2 labelled recordings",
        "rolling element: never labelled here, known from geometry (the rolling element)",
    ]
    for sentence in said:
        assert f"  {sentence}\n" in result.output
        assert f"geometry     {sentence}\n" in done("show", out).output
    assert "--labelled-only leaves that out" in result.output


@pytest.mark.exhaustive
def test_the_estimate_and_the_report_know_what_nobody_labelled(pumps, tmp_path):
    result = done("fit", pumps, "-o", tmp_path / "m.safetensors", "--windows", 3, *BEARING)
    assert "Knowing the geometry " in result.output
    assert "no recording of rolling element was held out, so nothing rules that out" in result.output
    page = (tmp_path / "m.html").read_text()
    assert "rolling element: never labelled here, known from geometry" in page
    assert "dualres diagnose m.safetensors" in page
    assert "dualres export" not in page


def test_a_verdict_says_so_in_every_format(fitted, pumps):
    _, out = fitted
    file = pumps / "unknown.npy"
    words = "never labelled here, known from geometry: rolling element stands out by"
    assert f"{file}  rolling element 0." in done("diagnose", out, file).output
    assert words in done("diagnose", out, file).output
    said = json.loads(done("diagnose", out, file, "--json").output)
    assert said["geometry"]["said"].startswith(words)
    assert said["geometry"]["classes"]["rolling element"]["labelled_recordings"] == 0
    (row,) = csv.DictReader(done("diagnose", out, file, "--csv").stdout.splitlines())
    assert row["geometry"] == said["geometry"]["said"]


def test_an_explanation_is_of_what_was_labelled(fitted, pumps):
    _, out = fitted
    told = done("explain", out, pumps / "unknown.npy").output
    assert "rolling element 0." in told
    assert "  geometry        never labelled here" in told
    said = json.loads(done("explain", out, pumps / "unknown.npy", "--json").output)
    assert set(said["explained"]) < {"healthy", "inner", "outer"}
    assert said["adds_up_to"] == pytest.approx(said["logit"], abs=1e-3)


def test_only_what_is_labelled_can_be_asked_for(pumps, tmp_path):
    out = tmp_path / "m.safetensors"
    result = done(
        "fit", pumps, "-o", out, "--windows", 1, "--no-estimate", "--no-page", *BEARING, "--labelled-only", "--json"
    )
    said = json.loads(result.stdout)["geometry"]
    assert said["unlabelled"] == []
    assert said["said"] == [
        "healthy: no template; 2 labelled recordings",
        "inner: template of the inner race, weight 0.5 by 2 labelled recordings",
        "outer: template of the outer race, weight 0.5 by 2 labelled recordings",
    ]


def test_what_hears_windows_alone_refuses_with_a_remedy(fitted, pumps, tmp_path):
    _, out = fitted
    for command in (
        ("diagnose", out, pumps / "unknown.npy", "--over-time", 1),
        ("export", out, tmp_path / "board", "--to", "c99"),
        ("export", out, tmp_path / "m.onnx", "--to", "onnx"),
    ):
        result = run(*command)
        assert result.exit_code == 1
        assert "fit without --bearing" in str(result.exception)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--bearing", "6999"), "bearing '6999' is not known"),
        (("--orders", "outer"), "give multiples of the shaft's rate"),
        ((*BEARING, "--fault", "inner"), "give NAME=PART"),
        ((*BEARING, "--orders", "outer=3"), "give one of them"),
    ],
)
def test_a_wrong_option_is_told_before_anything_is_read(pumps, tmp_path, options, complaint):
    result = run("fit", pumps, "-o", tmp_path / "m.safetensors", *options)
    assert result.exit_code == 1
    assert complaint in str(result.exception)
    assert "What was understood" not in result.output
