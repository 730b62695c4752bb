"""What a recording or a model is, through the command line."""

import pytest

from dualres.errors import ConfigError, RecordingError
from tests.cli.runner import run


def test_a_recording_and_models_are_shown(machines, fitted, views):
    sizes = 'config       {"rate": 64000, "window": 32768, "hop": 128, "short": 256, "long": 1024}\n'
    for path, expected in (
        (machines / "good0.wav", ("12800 Hz", "1.000 s", "spectrum")),
        (fitted[1], ('["good", "worn"]', "exposure_s")),
        (views[1], ('method       "dualres/orders"\n', "recipe       null\n", sizes)),
    ):
        output = run("show", path).output
        assert all(said in output for said in expected), path


@pytest.mark.parametrize("rate", ["fast", "0", "-3"])
def test_a_rate_is_a_number_of_hz(machines, rate):
    result = run("show", machines / "good0.wav", "--rate", rate)
    assert isinstance(result.exception, ConfigError)
    assert "no number of Hz" in str(result.exception)


def test_what_can_be_told_without_a_rate_is(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n2\n4\n")
    output = run("show", tmp_path / "a.csv").output
    assert "rate       not known; give it by --rate" in output
    assert "length     3 samples\n" in output
    assert "heard" not in output
    assert "3 samples, 0.030 s" in run("show", tmp_path / "a.csv", "--rate", 100).output


def test_an_odd_file_says_how_it_was_read(tmp_path):
    (tmp_path / "a.csv").write_text("1,2,3\n4,5\n6,7\n8,9\n")
    assert "read       the first row is passed over" in run("show", tmp_path / "a.csv", "--channel", 1).output


def test_a_folder_is_shown_with_what_cannot_be_read(machines, tmp_path):
    output = run("show", machines).output
    assert "good0.wav" in output
    assert "12800" in output
    (tmp_path / "a.npy").write_bytes(b"no array")
    assert "not readable" in run("show", tmp_path).output
    (tmp_path / "a.npy").unlink()
    result = run("show", tmp_path)
    assert isinstance(result.exception, RecordingError)
    assert "there are no recordings in this folder" in str(result.exception)
