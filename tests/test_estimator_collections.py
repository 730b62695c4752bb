"""What the classifier takes besides arrays: collections of unequal length, as aeon has them, and tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from dualres import DualResClassifier
from dualres.errors import ConfigError, RecordingError

CLASSES = ("good", "worn", "broken")


@pytest.fixture
def fast(small):
    return DualResClassifier(config=small, rate=small.rate, updates=30, learning_rate=1e-2)


def collection(seed=0, channels=1):
    """Tones of three classes, each of half a second or less at 2 kHz, (channels, samples), and their classes."""
    rng, made = np.random.default_rng(seed), []
    for number in range(9):
        t = np.arange(rng.integers(600, 1000)) / 2000
        tones = (np.sin(2 * np.pi * (100 + 200 * (number // 3)) * t + channel) for channel in range(channels))
        made.append(np.stack([tone + 0.3 * rng.standard_normal(len(t)) for tone in tones]))
    return made, np.repeat(CLASSES, 3)


@pytest.mark.parametrize("channels", [1, 2])
def test_a_collection_of_unequal_length(fast, channels):
    X, y = collection(channels=channels)
    assert len({one.shape for one in X}) > 1
    unseen, truth = collection(9, channels)
    fitted = fast.fit(X, y)
    assert (fitted.predict(unseen) == truth).all()
    assert fitted.predict_proba(unseen).shape == (9, 3)
    assert fitted.model_.card.channels == (("1", "2") if channels == 2 else ())


def test_one_of_equal_length_is_the_same_as_a_list_and_as_an_array(fast):
    X, y = collection(channels=2)
    X = [one[:, :600].astype(np.float32) for one in X]
    listed, stacked = fast.fit(X, y), clone(fast).fit(np.stack(X), y)
    np.testing.assert_array_equal(listed.predict_proba(X), stacked.predict_proba(np.stack(X)))
    np.testing.assert_array_equal(listed.predict_proba(X), listed.predict_proba(np.stack(X)))


def test_scikit_learn_s_validation_takes_one(fast):
    X, y = collection()
    assert cross_val_score(fast, X, y, cv=3).mean() > 0.8


def test_a_collection_needs_a_rate_and_the_same_axes(fast):
    X, y = collection()
    with pytest.raises(ConfigError, match="an array does not say its sampling rate"):
        clone(fast).set_params(rate=None).fit(X, y)
    with pytest.raises(ConfigError, match=r"9 recordings came with labels of shape \(2,\)"):
        fast.fit(X, y[:2])
    two, _ = collection(channels=2)
    with pytest.raises(RecordingError, match="row 8: has 2 axes"):
        fast.fit([*X[:8], two[8]], y)
    X[4][0, 7] = np.nan
    with pytest.raises(RecordingError, match="row 4: 1 samples are NaN"):
        fast.fit(X, y)


def test_tables_are_signals_with_rates_of_their_own(fast):
    X, y = collection(channels=2)
    frames = [pd.DataFrame(one.T, columns=["x", "y"]) for one in X]
    for one in frames:
        one.attrs["hz"] = 2000
    fitted = clone(fast).set_params(rate=None).fit(frames, y)
    assert fitted.model_.card.channels == ("x", "y")
    np.testing.assert_array_equal(fitted.predict_proba(frames), fast.fit(X, y).predict_proba(X))
    del frames[2].attrs["hz"]
    with pytest.raises(RecordingError, match="nothing says its sampling rate"):
        fitted.predict(frames)
