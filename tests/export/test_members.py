"""Exports of several networks whose probabilities are averaged: both kinds, floats and counts, against Python."""

import re

import numpy as np
import pytest

from dualres import diagnose_recording
from dualres.recordings.recording import Recording
from tests.export.conftest import CLASSES, machine, made_model, model_called
from tests.export.test_device import RIGHT
from tests.variants import also

MEMBERS = {"paper members": 3, "views members": 2}
KINDS = pytest.mark.parametrize("kind", ["paper members", *also(("views members",))])


@KINDS
def test_flash_grows_and_ram_does_not(board, kind):
    more, one = board(kind), board(kind.removesuffix(" members"))
    assert [each.state for each in more.checks] == [each.state for each in one.checks]
    grown = (more.flash[0].bytes - one.flash[0].bytes) / (MEMBERS[kind] - 1)
    # A network's own constants: tables that networks of views share are stored once.
    assert {"paper": 160e3, "views": 220e3}[kind.split()[0]] < grown < {"paper": 190e3, "views": 250e3}[kind.split()[0]]
    readme = (more.folder / "README.md").read_text()
    assert f"Flash holds {MEMBERS[kind]} networks" in readme


@KINDS
def test_every_network_is_checked(board, kind):
    lines = board(kind).checks[0].lines
    named = [re.match(r"network (\d), window (\d): class", line) for line in lines[: 2 * MEMBERS[kind]]]
    assert [(int(n[1]), int(n[2])) for n in named] == [(n, w) for n in range(MEMBERS[kind]) for w in (0, 1)]
    assert lines[-1] == RIGHT


def test_a_class_is_the_one_that_all_networks_choose_together(library_of):
    """Not that of any single one: their probabilities differ."""
    signal = machine(0.6, 12_800, seed=3)
    said = np.array(library_of("paper members", 12_800).judge(signal).probabilities)
    for number in range(3):
        single = model_called("paper members")
        alone = type(single)((single.members[number],), made_model(classes=CLASSES).card)
        verdict = diagnose_recording(alone, Recording.from_array(signal, 12_800))
        assert np.abs(said - [*verdict.probabilities.values()]).max() > 1e-3
