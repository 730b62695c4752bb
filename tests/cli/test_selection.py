"""The same options choose recordings for fit, tune and audit."""

import re

import pytest

from dualres.errors import ConfigError
from tests.cli.runner import done, run


@pytest.fixture(scope="module")
def half(machines, tmp_path_factory):
    """A list elsewhere, of two of the three machines and the broken file, with a load."""
    labels = tmp_path_factory.mktemp("lists") / "half.csv"
    rows = [f"{label}{i}.wav,{label},{label}{i},{i}" for label in ("good", "worn") for i in range(3)]
    labels.write_text("\n".join(["file,label,component,load", *rows, "broken.wav,good,x,0"]) + "\n")
    return labels


def test_a_fit_shows_what_was_left_out(machines, half, tmp_path):
    out = tmp_path / "m.safetensors"
    chosen = ["--labels", half, "--where", "load=0|2", "--exclude", "worn2*"]
    result = done("fit", machines, "-o", out, *chosen, "--windows", 1, "--no-estimate")
    assert re.search(r"good +│ +2 ", result.output)
    assert re.search(r"worn +│ +1 ", result.output)
    assert re.search(r"left out: --where load=0\|2 +│ +2 ", result.output)
    assert re.search(r"left out: --exclude worn2\* +│ +1 ", result.output)
    assert re.search(r"left out: cannot be used +│ +1 ", result.output)


def test_an_audit_says_what_was_left_out(machines, half):
    result = run("audit", machines, "--labels", half, "--where", "load=0|1")
    assert "left out  2 by --where load=0|1" in result.stderr
    assert result.exit_code == 0, result.output


def test_tune_takes_them_and_a_fold_does_not(machines, half):
    result = run("tune", machines, "--labels", half, "--where", "load=7")
    assert "no recording has that; there is 0, 1, 2" in str(result.exception)
    result = run("tune", "--fold", "P1", "--exclude", "x")
    assert isinstance(result.exception, ConfigError)
    assert "--exclude only applies to a folder" in str(result.exception)


def test_a_mistyped_label_is_warned_of_before_the_fit(machines, tmp_path):
    labels = tmp_path / "typo.csv"
    labels.write_text("filename,class\ngood0.wav,good\ngood1.wav,good\ngood2.wav,godo\nworn0.wav,worn\n")
    result = run("fit", machines, "-o", tmp_path / "m", "--labels", labels, "--windows", 1, "--no-estimate")
    assert 'warning  "godo" once, "good" 2 times: did you mean "good"?' in result.stderr


@pytest.mark.parametrize("command", ["fit", "tune"])
def test_the_same_bytes_under_two_labels_stop_a_fit(machines, tmp_path, command):
    for label, names in {"good": ["good0", "good1"], "worn": ["worn0", "worn1"]}.items():
        (tmp_path / label).mkdir()
        for name in names:
            (tmp_path / label / f"{name}.wav").write_bytes((machines / f"{name}.wav").read_bytes())
    (tmp_path / "worn" / "copy.wav").write_bytes((machines / "good0.wav").read_bytes())
    result = run(command, tmp_path, "-o", tmp_path / "out", "--windows", 1)
    assert "good/good0.wav is labelled good and worn/copy.wav is labelled worn" in str(result.exception)
    assert not (tmp_path / "out").exists()
