import numpy as np
import pytest

from dualres.learn.interval import score_of
from experiments.eval_intervals import held
from experiments.made_apart import LAWS


def unit(classes, label, *said):
    matrix = np.zeros((classes, classes), np.int64)
    np.add.at(matrix[label], list(said), 1)
    return matrix


def test_a_score_is_that_of_all_units_together():
    worn = [unit(2, 1, 1, 1)] * 3
    units = [unit(2, 0, 0, 0), unit(2, 0, 0, 1), *worn, unit(2, 1, 0, 1)]
    found = score_of(units, 3)
    assert found.macro_f1 == pytest.approx((6 / 8 + 14 / 16) / 2)
    # Without each unit in turn, by hand, and Student's t for the two degrees of freedom of three rounds.
    each = [(2 / 4, 14 / 16), (4 / 5, 14 / 15), *[(6 / 8, 10 / 12)] * 3, (6 / 7, 12 / 13)]
    without = np.array(each).mean(1)
    error = np.sqrt(5 / 6 * ((without - without.mean()) ** 2).sum())
    assert found.standard_error == pytest.approx(error)
    assert found.low == pytest.approx(max(0, found.macro_f1 - 1.2 * 2.919986 * error))
    assert found.high == 1.0
    more = score_of(units, 5)
    assert more.low == pytest.approx(found.macro_f1 - 1.2 * 2.131847 * error)
    assert found.as_data()["units"] == 6
    assert score_of([unit(3, i % 2, i % 2) for i in range(4)], 2).macro_f1 == 1.0, "of the classes that were judged"


def test_a_unit_is_one_piece_of_evidence_however_many_recordings_it_has():
    few = [unit(2, i % 2, (i + (i == 3)) % 2) for i in range(6)]
    many = [10 * one for one in few]
    assert score_of(many, 3) == score_of(few, 3)


def test_units_that_are_all_right_leave_the_exact_bound():
    found = score_of([unit(2, i % 2, i % 2) for i in range(6)], 3)
    assert (found.macro_f1, found.high) == (1.0, 1.0)
    assert found.low**6 == pytest.approx(0.05)
    wrong = score_of([unit(2, i % 2, 1 - i % 2) for i in range(6)], 3)
    assert (wrong.macro_f1, wrong.low) == (0.0, 0.0)
    assert wrong.high == pytest.approx(1 - found.low)


@pytest.mark.parametrize(("units", "rounds"), [(4, 4), (8, 2), (1, 1)])
def test_few_units_or_two_rounds_have_no_interval(units, rounds):
    found = score_of([unit(2, i % 2, i // 2 % 2) for i in range(units)], rounds)
    assert (found.low, found.high) == (None, None)
    assert set(found.as_data()) == ({"macro_f1", "spread", "units"} if units > 1 else {"macro_f1", "units"})


@pytest.mark.parametrize(("of", "size"), [("component", 3), ("component", 5), ("load", 6)])
def test_intervals_hold_the_truth_about_as_often_as_they_say(of, size):
    """The score of the final model on new units; `experiments/eval_intervals.py` does so for more laws and sizes."""
    found = held(of, LAWS["unit effects"], size, range(40))
    assert found["rounds"] == min(size, 5)
    assert 82 < found["held"] <= 100
    assert found["width"] < 85, "and they say something"
    assert held(of, LAWS["unit effects"], 2, range(2))["held"] is None
