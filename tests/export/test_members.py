"""Exports of several networks whose probabilities are averaged: both kinds, floats and counts, against Python."""

import re
from fractions import Fraction

import numpy as np
import pytest

from dualres import diagnose_recording
from dualres.export.network_kinds import kind_of
from dualres.export.test_vectors import as_counts, stream_shares
from dualres.recordings.recording import Recording
from tests.export.conftest import CLASSES, machine, made_model, model_called
from tests.export.test_device import RIGHT
from tests.variants import also

MEMBERS = {"paper members": 3, "views members": 2}
KINDS = pytest.mark.parametrize("kind", ["paper members", *also(("views members",))])


@KINDS
@pytest.mark.parametrize("rate", [12_800, *also((64_000,))])
def test_the_verdict_is_python_s(device_of, kind, rate):
    signal = machine(1.7, rate, seed=1)
    verdict = diagnose_recording(model_called(kind), Recording.from_array(signal, rate))
    result = device_of(kind, rate).judge(signal)
    assert result.windows == verdict.windows == 5
    assert sum(result.probabilities) == pytest.approx(1)
    assert np.abs(np.array(result.probabilities) - [*verdict.probabilities.values()]).max() < 1e-3


@pytest.mark.parametrize(("kind", "rate"), [("paper members", 12_800), *also(("views members", 64_000))])
def test_counts_give_python_s_verdict(device_of, kind, rate):
    signal = as_counts(6000 * machine(1.2, rate, seed=2))
    windows, shares = stream_shares(model_called(kind), signal, Fraction(rate), int16=True)
    result = device_of(kind, rate, int16=True).judge(signal)
    assert result.windows == windows == 3
    assert np.abs(np.array(result.probabilities) - shares).max() < kind_of(model_called(kind)).share_tolerance


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


def test_a_class_is_the_one_that_all_networks_choose_together(device_of):
    """Not that of any single one: their probabilities differ."""
    signal = machine(0.6, 12_800, seed=3)
    said = np.array(device_of("paper members", 12_800).judge(signal).probabilities)
    for number in range(3):
        single = model_called("paper members")
        alone = type(single)((single.members[number],), made_model(classes=CLASSES).card)
        verdict = diagnose_recording(alone, Recording.from_array(signal, 12_800))
        assert np.abs(said - [*verdict.probabilities.values()]).max() > 1e-3
