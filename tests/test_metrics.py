import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.metrics import roc_auc_score

from dualres.metrics import Evaluation, accuracy, class_f1, class_recall, confusion, guessing, macro_auroc, macro_f1


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


def test_an_evaluation_knows_its_scores():
    judged = Evaluation(("good", "worn"), ("a", "b", "c"), (0, 1, 1), (4, 4, 2), ((0.9, 0.1), (0.6, 0.4), (0.2, 0.8)))
    assert judged.confusion.tolist() == [[1, 0], [1, 1]]
    assert judged.accuracy == pytest.approx(2 / 3)
    assert judged.macro_f1 == pytest.approx(2 / 3)
    assert judged.recall.tolist() == [1, 0.5]


@pytest.mark.parametrize("counts", [(15,) * 8, (1, 1), (40, 5, 3)])
def test_guessing_scores_what_many_guesses_score_on_average(counts):
    rng, truth = np.random.default_rng(0), np.repeat(np.arange(len(counts)), counts)
    scores = []
    for _ in range(4000):
        matrix = confusion(truth, rng.integers(len(counts), size=len(truth)), len(counts))
        scores.append((accuracy(matrix), macro_f1(matrix)))
    np.testing.assert_allclose(guessing(counts), np.mean(scores, axis=0), atol=0.015)


def test_guessing_among_many_recordings_comes_near_its_limit():
    """With ever more recordings, precision and recall of each of two equal classes tend to one half."""
    assert guessing((5000, 5000)) == pytest.approx((0.5, 0.5), abs=1e-3)


def test_macro_auroc_is_scikit_learn_s():
    rng = np.random.default_rng(0)
    truth, scores = rng.integers(0, 3, 40), rng.integers(0, 6, (40, 3)) / 6  # with ties
    each = [roc_auc_score(truth == c, scores[:, c]) for c in range(3)]
    assert macro_auroc(truth, scores) == pytest.approx(np.mean(each))
    assert macro_auroc(truth, scores, [0]) == pytest.approx(np.mean(each[1:]))
    assert macro_auroc(truth, scores * [1, 1, 0]) == pytest.approx(np.mean([*each[:2], 0.5]))
    assert macro_auroc([0, 1, 1], [[0.9, 0.1, 0], [0.2, 0.8, 0], [0.1, 0.9, 0]]) == 1, "nobody is of the third class"
    assert np.isnan(macro_auroc([0, 0], [[1, 0], [1, 0]]))
