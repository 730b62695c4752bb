import numpy as np
import pytest

from dualres.learn.interval import score_of


def unit(classes, label, *said):
    matrix = np.zeros((classes, classes), np.int64)
    np.add.at(matrix[label], list(said), 1)
    return matrix


def test_a_score_is_that_of_all_units_together():
    units = [unit(2, 0, 0, 0), unit(2, 0, 0, 1), unit(2, 1, 1, 1), unit(2, 1, 1, 1), unit(2, 1, 0, 1)]
    found = score_of(units)
    assert found.macro_f1 == pytest.approx((6 / 8 + 10 / 12) / 2)
    # Without each unit in turn, by hand, and Student's t for four degrees of freedom.
    without = np.array([(2 / 4 + 10 / 12) / 2, (4 / 5 + 10 / 11) / 2, *[(6 / 8 + 6 / 8) / 2] * 2, (6 / 7 + 8 / 9) / 2])
    error = np.sqrt(4 / 5 * ((without - without.mean()) ** 2).sum())
    assert found.standard_error == pytest.approx(error)
    assert found.low == pytest.approx(found.macro_f1 - 2.131847 * error)
    assert found.high == 1.0
    assert found.as_data()["units"] == 5
    assert score_of([unit(3, i % 2, i % 2) for i in range(4)]).macro_f1 == 1.0, "of the classes that were judged"


def test_a_unit_is_one_piece_of_evidence_however_many_recordings_it_has():
    few = [unit(2, i % 2, (i + (i == 3)) % 2) for i in range(6)]
    many = [10 * one for one in few]
    assert score_of(many) == score_of(few)


def test_units_that_are_all_right_leave_the_exact_bound():
    found = score_of([unit(2, i % 2, i % 2) for i in range(6)])
    assert (found.macro_f1, found.high) == (1.0, 1.0)
    assert found.low**6 == pytest.approx(0.05)
    wrong = score_of([unit(2, i % 2, 1 - i % 2) for i in range(6)])
    assert (wrong.macro_f1, wrong.low) == (0.0, 0.0)
    assert wrong.high == pytest.approx(1 - found.low)


def test_too_few_units_have_no_interval():
    three = score_of([unit(2, 0, 0), unit(2, 1, 1), unit(2, 1, 0)])
    assert three.low is None
    assert set(three.as_data()) == {"macro_f1", "spread", "units"}
    assert set(score_of([unit(2, 0, 0)]).as_data()) == {"macro_f1", "units"}


@pytest.mark.parametrize(("classes", "units", "right", "alike"), [(2, 2, 0.6, 1), (4, 2, 0.6, 1), (4, 4, 0.85, 2)])
def test_intervals_hold_the_truth_about_as_often_as_they_say(classes, units, right, alike):
    """Units of three recordings each, which are right or wrong together the more, the smaller `alike`."""
    rng = np.random.default_rng(5)

    def draw(label):
        shares = np.where(np.arange(classes) == label, right, (1 - right) / (classes - 1))
        matrix = np.zeros((classes, classes), np.int64)
        matrix[label] = rng.multinomial(3, rng.dirichlet(alike * shares))
        return matrix

    truth = score_of([sum(draw(c) for _ in range(3000)) for c in range(classes)]).macro_f1
    found = [score_of([draw(c) for c in range(classes) for _ in range(units)]) for _ in range(200)]
    assert np.mean([one.low <= truth <= one.high for one in found]) > 0.82
    assert np.mean([one.high - one.low for one in found]) < 0.85, "and they say something"
