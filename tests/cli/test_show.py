"""What a recording or a model is, through the command line."""

import pytest

from dualres.errors import ConfigError
from tests.cli.runner import run


def test_show_a_recording(machines):
    output = run("show", machines / "good0.wav").output
    assert "12800 Hz" in output
    assert "1.000 s" in output
    assert "spectrum" in output


def test_show_a_model_and_its_views(fitted, views):
    output = run("show", fitted[1]).output
    assert '["good", "worn"]' in output
    assert "exposure_s" in output
    output = run("show", views[1]).output
    assert 'method       "dualres/views"\n' in output
    assert "recipe       null\n" in output
    assert 'config       {"rate": 64000, "window": 32768, "hop": 128, "short": 256, "long": 1024}\n' in output


@pytest.mark.parametrize("rate", ["fast", "0", "-3"])
def test_a_rate_is_a_number_of_hz(machines, rate):
    result = run("show", machines / "good0.wav", "--rate", rate)
    assert isinstance(result.exception, ConfigError)
    assert "no number of Hz" in str(result.exception)
