"""scikit-learn's contract, checked by scikit-learn's own checks, and what only vibration needs."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from dualres import Recording, load, save
from dualres.config import ModelConfig, Recipe, recipe_named
from dualres.errors import ConfigError, RecordingError
from dualres.estimator import DualResClassifier
from tests.learn.trained.test_fit import tones
from tests.model.made_views import machine_windows

# Two samples are the shortest window there can be: any row of two or more features is then a signal.
SHORTEST = ModelConfig(
    rate=2, window=2, hop=1, short=2, long=2, width=2, states=1, half_life_s=(0.1, 1.0), frequency_hz=(0.1, 0.9)
)

TOO_FEW_FEATURES = {
    "check_classifiers_train": "blobs of two features: a window is centred and scaled, so nothing of a blob remains"
}


with warnings.catch_warnings():
    # It keeps the contract without scikit-learn's base class, so that it predicts without scikit-learn.
    warnings.filterwarnings("ignore", ".*does not inherit from `sklearn.base.BaseEstimator`")
    every_check = parametrize_with_checks(
        [DualResClassifier(config=SHORTEST, rate=2, updates=3)],
        expected_failed_checks=lambda estimator: TOO_FEW_FEATURES,
    )


@every_check
def test_scikit_learn_s_checks(estimator, check):
    check(estimator)


@pytest.fixture
def fast(small):
    return DualResClassifier(config=small, rate=small.rate, updates=60, learning_rate=1e-2)


def recordings(small, count=9, seed=0):
    """Tones of three classes, half a second each, at three quarters of the model's rate."""
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % 3
    t = np.arange(750) / 1500
    signals = [np.sin(2 * np.pi * (100 + 200 * k) * t) + 0.3 * rng.standard_normal(750) for k in labels]
    made = [Recording.from_array(s, Fraction(1500), id=f"r{i}") for i, s in enumerate(signals)]
    return made, np.array(["good", "worn", "broken"])[labels]


def test_windows_as_rows(fast, small):
    X, y = tones(small)
    fast.fit(X, y)
    assert fast.classes_.tolist() == [0, 1, 2]
    assert fast.n_features_in_ == small.window
    unseen, truth = tones(small, seed=1)
    assert fast.score(unseen, truth) > 0.8
    probabilities = fast.predict_proba(unseen)
    assert probabilities.shape == (len(unseen), 3)
    np.testing.assert_allclose(probabilities.sum(1), 1)
    assert len(fast.history_) == 60


def test_recordings(fast, small):
    X, y = recordings(small)
    fast.fit(X, y)
    assert fast.classes_.tolist() == ["broken", "good", "worn"]
    assert not hasattr(fast, "n_features_in_")
    unseen, truth = recordings(small, seed=1)
    assert (fast.predict(unseen) == truth).mean() > 0.8


def test_the_default_is_a_network_of_orders():
    """Deterministic, whatever the seed and the number of members."""
    X, y = machine_windows(4, 3), np.repeat(["good", "worn", "broken"], 4)
    plain = DualResClassifier(rate=64_000).fit(X, y)
    card = plain.model_.card
    assert (card.method, card.recipe, card.members, plain.history_) == ("dualres/orders", None, 1, [])
    unseen, truth = machine_windows(2, 3, seed=9), np.repeat(["good", "worn", "broken"], 2)
    assert (plain.predict(unseen) == truth).all()
    probabilities = plain.predict_proba(unseen)
    np.testing.assert_allclose(probabilities.sum(1), 1)
    for other in (
        DualResClassifier(rate=64_000, recipe="orders", random_state=7),
        DualResClassifier(rate=64_000, members=3),
    ):
        np.testing.assert_array_equal(other.fit(X, y).predict_proba(unseen), probabilities)
        assert other.model_.card.members == 1
    with pytest.raises(ConfigError, match="decay: recipe views makes no updates; choose paper or robust"):
        DualResClassifier(recipe="views", decay=0.9, rate=64_000).fit(X, y)


def test_rows_at_another_rate_are_resampled(fast, small):
    """The same signals as rows with a rate and as recordings: the same model to the last bit."""
    X, y = recordings(small)
    rows = np.stack([r.signal for r in X])
    from_rows = clone(fast).set_params(rate=1500, updates=5).fit(rows, y)
    from_recordings = clone(fast).set_params(updates=5).fit(X, y)
    assert np.array_equal(from_rows.predict_proba(rows), from_recordings.predict_proba(X))


def test_files_are_read_as_they_were_learned(fast, small, tmp_path):
    """By their paths: a file that holds several signals, or no rate, is read as those that were learned from."""
    X, y = recordings(small)
    paths = [tmp_path / f"{one.id}.npz" for one in X]
    for path, one in zip(paths, X, strict=True):
        np.savez(path, a=one.signal, fs=1500.0)
    fitted = clone(fast).set_params(rate=None, updates=5).fit(X, y)
    expected = fitted.predict_proba(X)
    np.testing.assert_array_equal(fitted.predict_proba(paths), expected)
    of_paths = clone(fitted).fit([str(path) for path in paths], y)
    np.testing.assert_array_equal(of_paths.predict_proba([*paths[:4], *X[4:]]), expected)
    np.savez(tmp_path / "two.npz", b=np.zeros(750), a=X[0].signal)
    np.testing.assert_array_equal(of_paths.predict_proba([tmp_path / "two.npz"]), expected[:1])
    with pytest.raises(RecordingError, match=r"gone\.npz"):
        fitted.predict([tmp_path / "gone.npz"])


def test_an_array_needs_a_rate(fast, small):
    X, y = tones(small)
    with pytest.raises(ConfigError, match=r"does not say its sampling rate: .* DualResClassifier\(rate=12800\)"):
        clone(fast).set_params(rate=None).fit(X, y)
    fitted = clone(fast).set_params(updates=1).fit(X, y)
    with pytest.raises(ConfigError, match="does not say its sampling rate"):
        DualResClassifier.from_model(fitted.model_).predict(X)


def test_the_card_tells_the_exposure_and_goes_to_a_file_and_back(fast, small, tmp_path):
    X, y = recordings(small, count=6)
    card = fast.set_params(updates=1, windows_per_signal=2).fit(X, y).model_.card
    # Two windows of 256 samples at 2 kHz from each of two recordings, at either end of 1000 samples.
    assert card.exposure_s == pytest.approx({"good": 0.512, "worn": 0.512, "broken": 0.512})
    assert card.classes == ("broken", "good", "worn")
    assert card.score is None
    save(fast.model_, tmp_path / "m")
    assert load(tmp_path / "m").card == card


def test_members_average_what_single_seeds_say(fast, small):
    X, y = recordings(small)
    fast.set_params(updates=4)
    singles = [clone(fast).set_params(random_state=seed).fit(X, y) for seed in (5, 6)]
    both = clone(fast).set_params(random_state=5, members=2).fit(X, y)
    said = [single.predict_proba(X) for single in singles]
    assert not np.allclose(*said)
    np.testing.assert_allclose(both.predict_proba(X), np.mean(said, 0), rtol=1e-12)
    assert both.history_ == singles[0].history_ + singles[1].history_
    with pytest.raises(ConfigError, match="members=0"):
        fast.set_params(members=0).fit(X, y)


def test_cross_validation_by_component(fast, small):
    X, y = tones(small)
    groups = np.arange(len(X)) // 6
    pipeline = make_pipeline(FunctionTransformer(np.asarray), fast)
    scores = cross_val_score(pipeline, X, y, groups=groups, cv=GroupKFold(2))
    assert len(scores) == 2
    assert scores.mean() > 0.7
    X, y = recordings(small)
    assert len(cross_val_score(fast, X, y, groups=np.arange(9) // 3, cv=GroupKFold(3))) == 3


def test_mistakes_are_named(fast, small):
    X, y = tones(small)
    with pytest.raises(ConfigError, match="one class only"):
        fast.fit(X, np.zeros(len(X)))
    with pytest.raises(RecordingError, match=r"row 0: 0.050 s long, but one window takes 0.128 s"):
        fast.fit(X[:, :100], y)
    with pytest.raises(ConfigError, match="9 recordings came with labels of shape"):
        fast.fit(recordings(small)[0], ["good"])
    with pytest.raises(ConfigError, match="0 windows of each signal"):
        fast.set_params(windows_per_signal=0).fit(X, y)


def test_the_recipe_is_chosen_by_name_and_the_card_tells_it(fast, small):
    X, y = tones(small)
    fast.set_params(updates=2)
    assert fast.fit(X, y).model_.card.recipe == recipe_named("robust", updates=2, learning_rate=1e-2)
    assert fast.set_params(recipe="paper").fit(X, y).model_.card.recipe == Recipe(2, 1e-2)
    with pytest.raises(ConfigError, match="'sturdy' is not known"):
        fast.set_params(recipe="sturdy").fit(X, y)


def axes_of_tones(small, seed=0):
    """Three axes, each of which tells one class from the others: (signals, axes, samples), and the labels."""
    rng, y = np.random.default_rng(seed), np.arange(18) % 3
    t = np.arange(2 * small.window) / small.rate
    rows = [
        [np.sin(2 * np.pi * (100 + 150 * (k == axis)) * t) + 0.3 * rng.standard_normal(len(t)) for axis in range(3)]
        for k in y
    ]
    return np.array(rows, dtype=np.float32), y


def test_three_axes_of_an_array(fast, small):
    X, y = axes_of_tones(small)
    fast.fit(X, y)
    card = fast.model_.card
    assert (card.channels, card.axes, card.networks) == (("1", "2", "3"), "apart", 3)
    assert fast.n_features_in_ == 3
    assert len(fast.history_) == 3 * 60
    unseen, truth = axes_of_tones(small, seed=1)
    assert fast.score(unseen, truth) > 0.8
    alone = [clone(fast).fit(X[:, axis], y) for axis in range(3)]
    said = [one.predict_proba(unseen[:, axis]) for axis, one in enumerate(alone)]
    np.testing.assert_allclose(fast.predict_proba(unseen), np.mean(said, axis=0), rtol=1e-12)
    assert card.exposure_s == alone[0].model_.card.exposure_s  # an axis more is not a second more
    with pytest.raises(ValueError, match="X has 2 features, but DualResClassifier is expecting 3"):
        fast.predict(unseen[:, :2])


def test_recordings_of_axes_go_by_name(fast, small):
    X, y = axes_of_tones(small)

    def made(names):
        every = [{name: row["xyz".index(name)] for name in names} for row in X]
        return [Recording.from_axes(axes, small.rate, id=f"r{i}") for i, axes in enumerate(every)]

    ordered = made("xyz")
    fast.set_params(updates=5).fit(ordered, y)
    assert fast.model_.card.channels == ("x", "y", "z")
    np.testing.assert_array_equal(fast.predict_proba(made("zxy")), fast.predict_proba(ordered))
    with pytest.raises(RecordingError, match="has one signal, and the model judges the axes x, y, z"):
        fast.predict([ordered[0].axes[0]])
    with pytest.raises(RecordingError, match=r"r1: has one signal, and r0 has 3 axes \(x, y, z\)"):
        fast.fit([ordered[0], ordered[1].axes[0], *ordered[2:]], y)


def test_one_axis_in_three_dimensions_is_one_signal(fast, small):
    X, y = tones(small)
    fast.set_params(updates=5)
    flat, deep = clone(fast).fit(X, y), clone(fast).fit(X[:, None], y)
    assert deep.model_.card.axes == ""
    np.testing.assert_array_equal(deep.predict_proba(X[:, None]), flat.predict_proba(X))
    with pytest.raises(ValueError, match="Found array with dim 4"):
        fast.fit(X[:, None, None], y)
