"""What fair bets on a rank pay."""

import numpy as np
import pytest

from dualres.stream.alarm.payoffs import cells, cost, edges, payoffs


@pytest.mark.parametrize("count", [1, 50, 720, 17_280])
def test_cells_hold_every_gap_and_are_narrow_at_the_top(count):
    widths = cells(count)
    assert widths.sum() == count + 1
    assert widths[-1] == 1
    assert len(widths) < 250


def test_a_value_is_above_as_many_edges_as_the_number_of_its_cell():
    values = np.random.default_rng(1).standard_normal(300)
    ends, widths = edges(values), cells(300)
    assert len(ends) == len(widths) - 1
    found = np.searchsorted(ends, np.sort(values) + 1e-12, "left")  # just above each value: one gap after the other
    assert (np.bincount(found, minlength=len(widths))[1:] == widths[1:]).all()
    assert np.searchsorted(ends, values.max(), "left") == len(ends) - 1  # equal to the highest is not above it


@pytest.mark.parametrize("shift", [0.1, 1.0, 4.0, 40.0])
def test_a_bet_is_fair_where_every_gap_is_as_likely(shift):
    for count in (60, 5000):
        paid = payoffs(count, shift)
        assert cells(count) @ paid / (count + 1) == pytest.approx(1)
        assert (np.diff(paid) >= 0).all()
        assert paid[-1] <= (count + 1) * 1.000001


def test_chances_beyond_the_reference_divide_its_highest_cell():
    beyond = (1e-4, 1e-5, 1e-6)
    paid, ranked = payoffs(5000, 4.0, beyond), payoffs(5000, 4.0)
    assert paid[: len(ranked) - 1] == pytest.approx(ranked[:-1])
    chances = np.append(-np.diff([1 / 5001, *beyond]), beyond[-1])
    assert chances @ paid[len(ranked) - 1 :] == pytest.approx(ranked[-1] / 5001)
    assert (np.diff(paid) >= 0).all()
    assert 5001 < paid[-1] <= 1e6
    # the doubt is in the chances
    assert 0 <= cost(5000, 4.0, beyond, run=1.0, sure=0.9) < cost(5000, 4.0, run=1.0, sure=0.9)


def test_costs_cover_unlucky_references():
    rng = np.random.default_rng(2)
    for shift in (0.3, 1.0, 4.0):
        chances = np.diff(np.sort(rng.uniform(size=(500, 100))), prepend=0, append=1)
        ends = np.cumsum(cells(100))
        by_cell = np.add.reduceat(chances, [0, *ends[:-1]], axis=1)
        average = by_cell @ payoffs(100, shift)
        assert np.mean(np.log(average) > cost(100, shift, run=1.0, sure=0.9)) == pytest.approx(0.1, abs=0.05)
        paid = average / np.exp(cost(100, shift, run=20.0, sure=0.5))
        assert np.mean(paid**20.0) < 2  # without a cost it would be far more


def test_costs_grow_with_the_run_and_the_doubt_and_shrink_with_the_reference():
    assert cost(60, 1.0, run=50.0, sure=0.9) > cost(60, 1.0, run=1.0, sure=0.9) > cost(60, 1.0, run=1.0, sure=0.6)
    assert cost(60, 1.0, run=1.0, sure=0.9) > cost(6000, 1.0, run=1.0, sure=0.9) > 0
