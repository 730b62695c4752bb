"""What another model says otherwise, through the command line."""

import csv
import io
import json

import pytest

from dualres.errors import ConfigError
from tests.cli.runner import done, run


@pytest.fixture(scope="module")
def mistaken(machines, tmp_path_factory):
    """A model of the same recordings, with the labels the wrong way round."""
    folder = tmp_path_factory.mktemp("mistaken")
    labels = folder / "labels.csv"
    labels.write_text("file,label\n" + "".join(f"{a}{i}.wav,{b}\n" for a, b in TURNED for i in range(3)))
    out = folder / "mistaken.safetensors"
    done("fit", machines, "-o", out, "--labels", labels, "--windows", 2, "--no-estimate")
    return out


TURNED = (("good", "worn"), ("worn", "good"))


def test_only_verdicts_that_changed_are_shown_with_both(views, mistaken, machines):
    files = [machines / "good0.wav", machines / "worn1.wav"]
    result = done("diagnose", views[1], *files, "--compare", mistaken)
    first, second = result.stdout.splitlines()
    assert "good0.wav  good" in first
    assert "(before worn" in first
    assert "worn1.wav  worn" in second
    assert "(before good" in second
    assert "compare  2 of 2 verdicts changed" in result.stderr


def test_nothing_is_shown_where_nothing_changed(views, machines):
    result = done("diagnose", views[1], machines / "good0.wav", "--compare", views[1])
    assert result.stdout == ""
    assert "compare  0 of 1 verdicts changed" in result.stderr


def test_json_and_csv_have_both_verdicts(views, mistaken, machines):
    given = ["diagnose", views[1], machines / "good0.wav", machines / "broken.wav", "--compare", mistaken]
    as_json, as_csv = run(*given, "--json"), run(*given, "--csv")
    assert (as_json.exit_code, as_csv.exit_code) == (1, 1)  # one file is broken
    (row,) = (json.loads(line) for line in as_json.stdout.splitlines())
    alone = json.loads(run("diagnose", mistaken, machines / "good0.wav", "--json").stdout)
    assert row["verdict"] == "good"
    assert row["before"] == {key: alone[key] for key in ("verdict", "probability", "runner_up", "probabilities")}
    (cells,) = csv.DictReader(io.StringIO(as_csv.stdout))
    assert (cells["verdict"], cells["before"]) == ("good", "worn")


def test_it_judges_alone(views, machines):
    result = run("diagnose", views[1], machines, "--compare", views[1], "--together")
    assert isinstance(result.exception, ConfigError)
