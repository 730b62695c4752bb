"""EValues that a healthy machine wins nothing by."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from scipy.special import expit

from dualres.stream.alarm.e_values import LEAST, LIFTS, WEIGHTS, EValues
from dualres.stream.alarm.innovations import GIVEN, LOG_ODDS
from tests.stream.alarm.test_innovations import autoregression

YEAR = 6_311_520.0


def learned(*stretches, sure=0.9):
    return EValues.fit(stretches, sure, YEAR)


def test_bets_on_news_are_fair_in_the_share_of_references_that_is_promised():
    rng = np.random.default_rng(1)
    averages = []
    for _ in range(100):
        e_values = learned(autoregression(rng, 0.5, 400))
        levels = autoregression(rng, 0.5, 20_000)
        averages.append(np.exp(e_values.log_e_values(levels[1:] - e_values.carried * levels[:-1])).mean(0))
    first, later = np.array(averages).transpose(1, 0, 2)
    assert ((first > 1).mean(0) < 0.15).all()
    assert ((later > 1.01).mean(0) < 0.2).all()
    assert 0.8 < later[:, :2].mean() < 1  # and no more is paid for it than needed


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_every_block_is_a_bet_where_neighbours_remember_nothing_else(correlation):
    e_values = learned(autoregression(np.random.default_rng(2), correlation, 8000))
    assert (e_values.joined, len(e_values.stretches)) == (1, 1)
    assert correlation - 0.01 <= e_values.carried <= correlation + 0.04
    assert 1 <= e_values.repeats <= 1.1


def test_blocks_with_another_memory_or_too_much_alike_for_so_few_are_joined():
    rng = np.random.default_rng(3)
    e_values = learned(autoregression(rng, 0.95, 17_280) + rng.standard_normal(17_280))
    assert e_values.joined > 1
    e_values = learned(autoregression(np.random.default_rng(9), 0.9, 2160))
    assert e_values.joined > 1
    assert e_values.carried < 0.9


def test_the_first_block_of_a_fault_is_the_greatest_news_where_neighbours_are_alike():
    rng = np.random.default_rng(4)
    alike = learned(autoregression(rng, 0.9, 17_280))
    first, later = alike.log_e_values(2.5 - alike.carried * 0.0), alike.log_e_values(2.5 - alike.carried * 2.5)
    assert first[0].max() > 7
    assert 0 < later[1].max() < 0.5


def test_a_jump_far_beyond_a_long_reference_is_worth_more_than_its_rank_but_never_an_alarm():
    rng = np.random.default_rng(11)
    long, short = learned(autoregression(rng, 0.9, 17_280)), learned(autoregression(rng, 0.5, 2160))
    assert np.log(17_280) < long.log_e_values(4.0)[0].max() < np.log(YEAR)
    assert short.log_e_values(100.0).max() < np.log(2160)  # too short to tell a tail
    assert long.log_e_values(1e9)[0] == pytest.approx(long.log_e_values(50.0)[0])
    assert np.array(WEIGHTS) @ np.exp(long.log_e_values(1e9)[0]) < YEAR
    assert sum(WEIGHTS) == pytest.approx(1)


def test_heavier_tails_of_the_reference_make_bets_cautious():
    rng = np.random.default_rng(12)
    normal, knocked = rng.standard_normal((2, 8640))
    knocked *= np.where(rng.random(8640) < 0.005, 5, 1)
    assert learned(normal).log_e_values(6.5)[0].max() > learned(knocked).log_e_values(6.5)[0].max() + 3


def test_a_drifting_reference_is_cut_and_its_highest_piece_counts():
    rng = np.random.default_rng(3)
    load = 2 * np.sin(2 * np.pi * np.arange(8000) / 8000)
    e_values = learned(rng.standard_normal(8000) + load)
    assert len(e_values.stretches) >= 4
    assert (e_values.log_e_values(2.5) < 0.5).all()  # usual at the highest load
    assert e_values.log_e_values(6).max() > 1
    steady = learned(rng.standard_normal(8000))
    assert steady.log_e_values(2.5).max() > 1


def test_what_never_becomes_independent_is_refused():
    rng = np.random.default_rng(4)
    assert learned(np.cumsum(rng.standard_normal(400))) is None
    assert learned(rng.standard_normal(LEAST - 1)) is None
    assert learned(rng.standard_normal(500), rng.standard_normal(LEAST - 1)) is None
    assert learned([]) is None


def test_a_block_counts_as_far_as_it_is_unusual_for_every_stretch():
    rng = np.random.default_rng(5)
    both = learned(rng.uniform(0, 1, 200), rng.uniform(2, 3, 200))
    assert (both.log_e_values(1.5) < 0).all()
    assert (both.log_e_values(4.0) > 0).all()
    assert both.log_recovery(1.5) > 0 > both.log_recovery(4.0)


def test_bets_grow_with_the_news_and_equal_ones_are_no_evidence():
    e_values = learned(np.zeros(100))
    assert (e_values.log_e_values(0.0) < 0).all()
    assert (e_values.log_e_values(1e-9) > 0).all()
    steps = learned(np.random.default_rng(6).standard_normal(300))
    assert (np.diff(steps.log_e_values(np.linspace(-4, 4, 500)), axis=0) >= 0).all()
    assert (np.diff([steps.log_recovery(score) for score in np.linspace(-4, 4, 500)]) <= 0).all()


def test_probabilities_are_compared_by_their_log_odds():
    levels = autoregression(np.random.default_rng(7), 0.8, 3000) - 2
    e_values, same = learned(expit(levels)), learned(levels)
    assert (e_values.scale, same.scale) == (LOG_ODDS, GIVEN)
    assert e_values.carried == pytest.approx(same.carried)
    assert e_values.log_e_values(1.0) == pytest.approx(same.log_e_values(1.0))
    assert e_values.level(0.5) == pytest.approx(0)
    assert e_values.level(2.0) == e_values.level(1.0) > 10  # none of these


def test_stored_e_values_are_the_same():
    e_values = learned(autoregression(np.random.default_rng(8), 0.5, 500))
    kept = EValues.parsed(json.loads(json.dumps(asdict(e_values))))
    assert kept == e_values
    assert kept.log_e_values([0.0, 3.0]).tolist() == e_values.log_e_values([0.0, 3.0]).tolist()
    assert kept.log_e_values([0.0, 3.0]).shape == (2, 2, len(LIFTS))
    long = learned(autoregression(np.random.default_rng(8), 0.5, 6000))
    assert len(long.stretches[0].beyond) > 10
    assert EValues.parsed(json.loads(json.dumps(asdict(long)))) == long
    with pytest.raises(ValueError, match="'other' is no scale"):
        EValues.parsed({**asdict(e_values), "scale": "other"})


def test_what_differs_by_rounding_alone_is_equal():
    """Joined scores are summed in another order when they are learned from than when they are watched."""
    healthy = np.random.default_rng(5).normal(1, 0.3, 500)
    e_values = EValues.fit([healthy], 0.9, 1e5)
    (stretch,) = e_values.stretches
    rounded = 4 * np.spacing(max(stretch.levels))
    for above in (False, True):
        at = e_values.log_e_values(np.array(stretch.edges), above=above)
        for off in (-rounded, rounded):
            np.testing.assert_array_equal(e_values.log_e_values(np.array(stretch.edges) + off, above=above), at)
    for level in stretch.levels[::20]:
        assert e_values.log_recovery(level - rounded) == e_values.log_recovery(level)
