import numpy as np
import pytest

from dualres.faultlines.turn_average import A_TURN, FRAME, turn_peak

TURNS = 120


def envelope(strike=0.0, *, turn=1.0, sway=0.0, seed=0):
    """Noise over `TURNS` turns of a shaft, and what strikes once in each `turn` of these."""
    angle = np.arange(TURNS * A_TURN) / A_TURN
    noise = np.random.default_rng(seed).standard_normal(len(angle))
    struck = np.exp(-(((angle / turn) % 1 - 0.3) ** 2) * 2000)
    return [noise + strike * struck + sway * np.cos(2 * np.pi * angle + np.arange(1, 5)[:, None]).sum(axis=0)]


def score(*pieces, length=1.0, factor=1.0, found=True):
    return turn_peak(pieces[0], length, factor, found)


@pytest.mark.parametrize("found", [True, False])
def test_a_tooth_that_strikes_is_one_sharp_place(found):
    peak, noise = score(envelope(3.0), found=found), score(envelope(), found=found)
    assert peak.stands_out > 8
    assert peak.crest > 4.5
    assert noise.stands_out < 4
    assert noise.crest < peak.crest


def test_what_rises_and_falls_with_the_shaft_is_none():
    swaying = score(envelope(sway=3.0))
    assert swaying.stands_out < 4


def test_a_speed_that_is_refined_is_taken_as_it_is():
    """A shaft that turns 1 % faster than the axis says has shorter turns there."""
    faster = envelope(3.0, turn=1 / 1.01)
    assert score(faster, factor=1.01).stands_out > 8
    assert score(faster, found=False).stands_out > 8
    assert score(faster).stands_out < 4


def test_a_mate_strikes_in_its_own_turn():
    mate = envelope(4.0, turn=2.4)
    assert score(mate, length=2.4).stands_out > 6
    assert score(mate).stands_out < 4
    assert score(envelope(4.0), length=2.4).stands_out < 4, "the shaft's own strikes are none of the mate's"


def test_pieces_are_joined_wherever_each_begins():
    whole = envelope(3.0)[0]
    assert score([whole[: 50 * A_TURN], whole[50 * A_TURN + 17 :]]).stands_out > 8


def test_too_few_turns_tell_nothing():
    assert score([envelope(3.0)[0][: (FRAME - 1) * A_TURN]]) is None
    assert score([]) is None
