"""Verdicts, through the command line."""

import csv
import io
import json

from tests.cli.runner import run


def test_verdicts_one_line_each(fitted, machines):
    result = run("diagnose", fitted[1], machines / "good0.wav", machines / "worn0.wav")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert len(lines) == 2
    assert "good0.wav  good" in lines[0]
    assert "worn0.wav  worn" in lines[1]
    assert "(then good" in lines[1]


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
    assert set(judged[0]) == {"file", "verdict", "probability", "runner_up", "probabilities", "windows"}
    assert all(r["verdict"] in r["file"] for r in judged)
    assert all("error" in r for r in rows if "verdict" not in r)


def test_csv(fitted, machines):
    result = run("diagnose", fitted[1], machines / "good0.wav", machines / "broken.wav", "--csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [r["verdict"] for r in rows] == ["good", ""]
    assert rows[1]["error"]
