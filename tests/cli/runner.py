"""The command line, called in this process."""

import numpy as np
from typer.testing import CliRunner

from dualres import cli

RATE = 12_800


def run(*arguments):
    return CliRunner(env={"COLUMNS": "120"}).invoke(cli.app, [str(a) for a in arguments])


def done(*arguments):
    """As `run`, of a command that must succeed."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


def tone(hz, seed):
    t = np.arange(RATE) / RATE
    return np.sin(2 * np.pi * hz * t) + 0.3 * np.random.default_rng(seed).standard_normal(RATE)
