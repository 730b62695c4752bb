"""Speeds that nobody states are found in the vibration, and used where enough of them are."""

from dataclasses import replace

import numpy as np
import pytest

from dualres.learn.line_up import lined_up
from dualres.learn.workflow import fit_model
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed

RATE = 8_000


def turning(label, hz, seed, *, lines=1.0, seconds=4.0):
    """A shaft that turns at `hz`, whose first harmonics stand `lines` above noise."""
    rng, t = np.random.default_rng(seed), np.arange(int(seconds * RATE)) / RATE
    beat = sum(np.sin(2 * np.pi * k * hz * t + rng.uniform(0, 6)) / k for k in (1, 2, 3, 4))
    return Recording.from_array(rng.standard_normal(len(t)) + lines * beat, RATE, f"{label} {hz} {seed}", label)


@pytest.fixture(scope="module")
def clear():
    return [turning(label, hz, 7 * i + j) for i, label in enumerate("ab") for j, hz in enumerate((23.0, 26.0, 31.0))]


def test_speeds_are_found_and_said(clear):
    found, said = lined_up(clear)
    assert said == "speeds: 6 of 6 that nobody stated were found in the vibration"
    for one in found:
        assert abs(one.speed.mean_hz / float(one.id.split()[1]) - 1) < 0.01
        assert one.speed.source == "estimated"


def test_a_faint_shaft_is_found_among_the_others_speeds(clear):
    faint = turning("b", 28.0, 5, lines=0.045, seconds=8.0)
    alone, _ = lined_up([faint])
    assert alone[0].speed is None
    found, _ = lined_up([*clear, faint])
    assert abs(found[-1].speed.mean_hz / 28 - 1) < 0.02


def test_stated_speeds_stay_and_nothing_is_looked_for_where_none_is_missing(clear):
    stated = [replace(one, speed=Speed((25.0,))) for one in clear]
    assert lined_up(stated) == (tuple(stated), "")
    found, said = lined_up([stated[0], *clear[1:]])
    assert found[0].speed == Speed((25.0,))
    assert said.startswith("speeds: 5 of 5 ")


def test_too_few_are_not_used(clear):
    noise = [turning(label, 0.1, 60 + i, lines=0) for i, label in enumerate("abcccccc")]
    found, said = lined_up([clear[0], *noise])
    assert all(one.speed is None for one in found)
    assert said.endswith("too few to learn by; recordings without one are judged without")


def test_a_recording_that_is_to_be_learned_without_stays_without(clear):
    speedless = [replace(one, speedless=True) for one in clear]
    assert lined_up(speedless) == (tuple(speedless), "")


def test_progress_tells_of_each(clear):
    told = []
    lined_up(clear, lambda *each: told.append(each))
    assert [(done, total) for _, done, total, _ in told] == [(i, 6) for i in range(7)]


def test_a_fit_learns_orders_from_them_and_its_card_says_so(clear):
    fitted = fit_model(clear, estimate=False, windows_each=3)
    low, high = fitted.model.networks[0].speeds.tolist()
    assert (low, high) == (pytest.approx(23, rel=0.01), pytest.approx(31, rel=0.01))
    assert fitted.about_speeds in fitted.model.card.remarks
    assert not fit_model(clear, recipe="views", estimate=False, windows_each=3).about_speeds


def test_a_card_says_which_speeds_were_learned_from(clear):
    looks = fit_model(clear, estimate=False, windows_each=3).model.card.learned_from["looks"]
    assert looks["speed_rpm"] == [pytest.approx(60 * 23, rel=0.01), pytest.approx(60 * 31, rel=0.01)]
    without = fit_model([replace(one, speedless=True) for one in clear], estimate=False, windows_each=3)
    assert "speed_rpm" not in without.model.card.learned_from["looks"]


def test_a_recording_that_is_too_short_for_the_others_speeds_stays_without(clear):
    """Its six turns would take longer than it is."""
    slow = [turning(label, 6.0, i, seconds=8.0) for i, label in enumerate("abab")]
    found, said = lined_up([*slow, turning("b", 6.0, 9, seconds=0.6)])
    assert [one.speed is None for one in found] == [False] * 4 + [True]
    assert said.startswith("speeds: 4 of 5 ")
