"""What a recording or a model is, through the command line."""

import pytest

from dualres.errors import ConfigError
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
