import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from dualres.metrics import accuracy, class_f1, class_recall, confusion, macro_f1


def test_a_worked_example():
    """Three classes, the last one neither present nor predicted."""
    matrix = confusion([0, 0, 0, 1, 1], [0, 0, 1, 1, 0], 3)
    assert matrix.tolist() == [[2, 1, 0], [1, 1, 0], [0, 0, 0]]
    assert class_f1(matrix).tolist() == pytest.approx([4 / 6, 2 / 4, 0])
    assert class_recall(matrix).tolist() == pytest.approx([2 / 3, 1 / 2, 0])
    assert macro_f1(matrix) == pytest.approx((4 / 6 + 2 / 4) / 3)
    assert accuracy(matrix) == pytest.approx(3 / 5)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40))
def test_it_agrees_with_scikit_learn(pairs):
    truth, predicted = np.array(pairs).T
    matrix = confusion(truth, predicted, 5)
    expected = metrics.f1_score(truth, predicted, labels=range(5), average=None, zero_division=0)
    np.testing.assert_allclose(class_f1(matrix), expected)
    assert accuracy(matrix) == pytest.approx(metrics.accuracy_score(truth, predicted))
    np.testing.assert_array_equal(matrix, metrics.confusion_matrix(truth, predicted, labels=range(5)))
