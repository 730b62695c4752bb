"""Conformal limits: exact where theory is exact, the same as two libraries, and kept on held-out units."""

import warnings

import numpy as np
import pytest
from scipy.stats import beta

from dualres.errors import ConfigError
from dualres.judge.trust.conformal import check_rates, fitted_temperature, least_error, limit, rank, surprise, tempered


def shares(rng, n, classes=5):
    """Probabilities of a model that is often right, and the truth."""
    truth = rng.integers(classes, size=n)
    logits = rng.normal(size=(n, classes)) + 1.5 * (np.arange(classes) == truth[:, None])
    return tempered(np.exp(logits) / np.exp(logits).sum(1, keepdims=True), 1.0), truth


@pytest.mark.parametrize("units", [1, 8, 9, 19, 42, 100])
def test_no_rate_below_one_in_n_plus_one_is_stated(units):
    least = least_error(units)
    assert least == 1 / (units + 1)
    assert rank(units, least) == units
    assert rank(units, 0.99 * least) is None


@pytest.mark.parametrize(("units", "sure"), [(22, 0.9), (42, 0.9), (100, 0.8), (59, 0.95)])
def test_sure_is_the_smallest_rank_whose_share_is_large_enough(units, sure):
    """The share that the k-th of n units covers is beta-distributed."""
    k = rank(units, 0.1, sure)
    assert beta.sf(0.9, k, units + 1 - k) >= sure
    assert beta.sf(0.9, k - 1, units + 2 - k) < sure
    assert rank(units, least_error(units, sure), sure) == units
    assert rank(units, 0.99 * least_error(units, sure), sure) is None


def test_units_with_one_score_have_an_order_and_others_weigh_the_same():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=30)
    for k in (1, 7, 30):
        assert limit([[s] for s in scores], k) == np.sort(scores)[k - 1]
    units = [[1.0], [2.0], [3.0], [4.0]]
    assert limit([*units[:3], [4.0] * 50], 3) == limit(units, 3) == 3.0


def test_a_unit_of_several_scores_stands_for_one_drawn_at_random():
    """The median over all draws of the largest of two units, one of which is 0 or 10, the other 1, 2 or 3."""
    assert limit([[0.0, 10.0], [1.0, 2.0, 3.0]], 2) == 3.0  # 1, 2, 3, 10, 10, 10
    assert limit([[0.0, 0.0, 10.0], [1.0, 2.0, 3.0]], 2) == 3.0
    assert limit([[0.0, 0.0, 0.0, 10.0], [1.0, 2.0, 3.0]], 1) == 0.0


def test_the_same_as_crepes():
    crepes = pytest.importorskip("crepes")
    rng = np.random.default_rng(2)
    known, truth = shares(rng, 57)
    new, _ = shares(rng, 200)
    fitted = crepes.ConformalClassifier().fit(surprise(known)[np.arange(57), truth])
    for error in (0.05, 0.1, 0.2, 0.33):
        theirs = fitted.predict_set(surprise(new), confidence=1 - error, smoothing=False)
        most = limit([[s] for s in surprise(known)[np.arange(57), truth]], rank(57, error))
        assert np.array_equal(theirs.astype(bool), surprise(new) <= most)


def test_the_same_as_mapie():
    pytest.importorskip("mapie")
    from mapie.classification import SplitConformalClassifier
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Given(ClassifierMixin, BaseEstimator):
        """Probabilities that are handed in as features."""

        def fit(self, x, y):
            self.classes_ = np.arange(x.shape[1])
            return self

        def predict_proba(self, x):
            return x

        def predict(self, x):
            return x.argmax(1)

        def __sklearn_is_fitted__(self):
            return True

    rng = np.random.default_rng(3)
    known, truth = shares(rng, 57)
    new, _ = shares(rng, 200)
    model = Given().fit(known, truth)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        split = SplitConformalClassifier(model, confidence_level=[0.8, 0.9], prefit=True, conformity_score="lac")
        _, theirs = split.conformalize(known, truth).predict_set(new)
    for i, error in enumerate((0.2, 0.1)):
        most = limit([[1 - p] for p in known[np.arange(57), truth]], rank(57, error))
        assert np.array_equal(theirs[:, :, i], 1 - new <= most)


@pytest.mark.parametrize(("recordings", "highest"), [(1, 0.91), (4, 0.925)])
def test_coverage_over_resplits(recordings, highest):
    """Nineteen units calibrate at 10 %: exact with one recording each, a little above with several."""
    rng = np.random.default_rng(4)
    pool = rng.normal(size=(200, 1)) + rng.normal(size=(200, recordings))
    covered = []
    for _ in range(1500):
        order = rng.permutation(200)
        covered.append(np.mean(pool[order[19:]] <= limit(pool[order[:19]].tolist(), rank(19, 0.1))))
    assert 0.89 < np.mean(covered) < highest


def test_sure_over_resplits():
    rng = np.random.default_rng(5)
    pool = rng.normal(size=(2000, 1))
    kept = []
    for _ in range(1500):
        order = rng.permutation(2000)
        kept.append(np.mean(pool[order[39:]] <= limit(pool[order[:39]].tolist(), rank(39, 0.1, 0.9))) >= 0.9)
    assert np.mean(kept) > 0.885


def test_surprise_is_negative_for_the_first_class_alone():
    found = surprise([[0.7, 0.2, 0.1], [0.0, 0.0, 1.0]])
    assert (found < 0).tolist() == [[True, False, False], [False, False, True]]
    assert found[0] == pytest.approx([np.log(2 / 7), np.log(7 / 2), np.log(7)])
    assert np.isfinite(found).all()


def test_a_temperature_is_found_again_by_units_not_by_recordings():
    rng = np.random.default_rng(6)
    calm = rng.dirichlet(np.ones(4), 4000)
    truth = np.array([rng.choice(4, p=p) for p in calm])
    assert fitted_temperature(tempered(calm, 1 / 3), truth, [str(i) for i in range(4000)]) == pytest.approx(3, rel=0.1)
    sure, unsure = [0.99, 0.01], [0.6, 0.4]
    probabilities = [sure] * 100 + [unsure] * 2
    truth = [1] * 100 + [0, 0]  # one unit is wrong, however often
    few = fitted_temperature([sure, unsure, unsure], [1, 0, 0], ["a", "b", "c"])
    assert fitted_temperature(probabilities, truth, ["a"] * 100 + ["b", "c"]) == few


@pytest.mark.parametrize(("error", "sure"), [(0, None), (1, None), (0.1, 1.0), (-0.1, 0.9)])
def test_rates_lie_between_zero_and_one(error, sure):
    with pytest.raises(ConfigError, match="between 0 and 1"):
        check_rates(error, sure)
