"""The command line, called in this process."""

import csv

import numpy as np
from typer.testing import CliRunner

from dualres import cli

RATE = 12_800


def run(*arguments):
    return CliRunner(env={"COLUMNS": "120"}).invoke(cli.app, [str(a) for a in arguments])


def write_labels(folder, columns, rows):
    """A labels.csv with these columns, named in one word each, and rows."""
    with (folder / "labels.csv").open("w", newline="") as file:
        csv.writer(file).writerows([columns.split(), *rows])


def done(*arguments):
    """As `run`, of a command that must succeed."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


def tone(hz, seed):
    t = np.arange(RATE) / RATE
    return np.sin(2 * np.pi * hz * t) + 0.3 * np.random.default_rng(seed).standard_normal(RATE)
