"""Suspects are told with how they would have to be played, and where they begin."""

from dataclasses import replace

import numpy as np
import pytest

from dualres.audit.fingerprint import FrequencyGrid
from dualres.audit.screen import pieces_of, suspects
from dualres.recordings.recording import Recording

RATE = 12_800
GRID = FrequencyGrid.spanning(4.0)


def noise(seed, seconds=4):
    return np.random.default_rng(seed).standard_normal(int(seconds * RATE)).astype(np.float32)


def found(judged):
    learned = Recording.from_array(noise(0), RATE, "learned", "good")
    pieces = list(pieces_of(learned, learned.signal, GRID))
    spectra = np.stack([piece.spectrum for piece in pieces])
    other = replace(learned, id="judged")
    all_of_them = np.arange(len(pieces))
    of_judged = list(pieces_of(other, judged, GRID))
    return list(suspects(pieces, spectra, of_judged, grid=GRID, rows=all_of_them, rows_otherwise=all_of_them))


def test_a_part_stands_out_played_either_way_and_between_two_noises_nothing():
    assert found(noise(1)) == []
    assert any(not s.backwards and s.meeting.lag_s == pytest.approx(1, abs=3e-4) for s in found(noise(0)[RATE:]))
    backwards = found(noise(0)[RATE : 3 * RATE][::-1])
    assert any(s.backwards and s.meeting.lag_s == pytest.approx(1, abs=3e-4) for s in backwards)


@pytest.mark.parametrize("stretch", [-0.03, -0.013, -0.005, 0.0017, 0.01, 0.03])
def test_a_part_played_at_another_speed(stretch):
    part = noise(0)[RATE:]
    fine = np.interp(np.arange(0, len(part), 1 / (1 + stretch)), np.arange(len(part)), part)
    assert any(
        s.otherwise
        and s.meeting.stretch == pytest.approx(stretch, abs=0.0026)
        and s.meeting.learned_s == pytest.approx(2.5, abs=0.01)
        for s in found(fine.astype(np.float32))
    )


def test_beyond_three_and_a_half_percent_nothing_is_looked_for():
    part = noise(0)
    assert found(np.interp(np.arange(0, len(part), 1 / 1.05), np.arange(len(part)), part).astype(np.float32)) == []
