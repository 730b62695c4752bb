"""Methods that people would pick instead: what they compute, and what holds for all of them."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier

from dualres.bench.campaign.rigs import PICKED, PICKED_TRAINED
from dualres.bench.methods import features, forest, load, method
from dualres.bench.methods.catalog import entry
from dualres.bench.methods.model_file import as_model
from dualres.bench.methods.quant import quantile_features
from dualres.bench.methods.tsfresh_lightgbm import at_native_rate
from dualres.bench.methods.wdcnn import PUBLISHED_WINDOW, WDCNN
from dualres.errors import ConfigError
from dualres.judge.model import save
from dualres.judge.verdict import recording_scores
from dualres.learn.trained.task import Task
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed
from tests.bench.methods.tones import windows_of

CLOSED = ("envelope-forest", "envelope-forest/orders", "lda", "lda/orders")
WITH_SPEED = ("envelope-forest/orders", "lda/orders")
CLASSES = ("good", "worn", "broken")
RATE = 64_000
TIME_S = np.arange(32_768) / RATE


@pytest.fixture(scope="module")
def support():
    return windows_of(3, 4)


def fitted(name, support, hz=25.0, seed=41):
    windows, labels = support
    return method(name).learn(Task(windows, labels, 3, seed, hz=np.full(len(labels), hz)))


@pytest.mark.parametrize("name", [*PICKED, *PICKED_TRAINED])
def test_a_peer_says_its_settings_and_that_the_paper_has_it_not(name):
    found = entry(name)
    assert not found.paper
    assert not found.control
    assert len(found.settings) > 100
    if found.most_windows:
        assert f"first {found.most_windows} windows" in found.settings


@pytest.mark.parametrize("name", CLOSED)
def test_a_peer_learns_is_saved_and_gives_probabilities(name, support, tmp_path):
    one = fitted(name, support)
    fresh, labels = support
    scores = one.scores(fresh)
    assert (scores.argmax(1) == labels).all()
    np.testing.assert_allclose(scores.sum(1), 1)
    assert one.scores(fresh[:0]).shape == (0, 3)
    save(as_model(one, CLASSES, dict.fromkeys(CLASSES, 1.0)), tmp_path / "m")
    assert np.array_equal(load(tmp_path / "m").scores(fresh), scores)
    again = fitted(name, support)
    assert all(np.array_equal(array, again.state()[key]) for key, array in one.state().items())
    with pytest.raises(ConfigError, match="32768"):
        one.scores(fresh[:, :1000])


@pytest.mark.parametrize("name", CLOSED)
def test_only_those_that_ask_are_told_the_speed_that_a_recording_states(name, support, monkeypatch):
    one = fitted(name, support)
    model, told = as_model(one, CLASSES, dict.fromkeys(CLASSES, 1.0)), []
    features_of = one.method.features
    monkeypatch.setattr(one.method, "features", lambda windows, hz: told.append(hz) or features_of(windows, hz))
    plain = Recording.from_array(np.random.default_rng(3).standard_normal(60_000).astype(np.float32), RATE)
    stated = replace(plain, speed=Speed((13.0,)))
    for recording in (plain, replace(stated, speedless=True), stated):
        recording_scores(model, recording)
    assert told[:2] == [None, None]
    assert (told[2] is None) == (name not in WITH_SPEED)
    assert told[2] is None or told[2].tolist() == [13.0, 13.0]


def test_a_line_of_the_envelope_is_found_at_its_order():
    """A carrier of 5 kHz that swings 3.5 times a revolution, of shafts at two speeds: the same order."""
    hz = np.array([20.0, 35.0])
    carrier = np.sin(2 * np.pi * 5_000 * TIME_S)
    centred = (1 + 0.5 * np.sin(2 * np.pi * 3.5 * hz[:, None] * TIME_S)) * carrier
    found = features.envelope_orders(centred, hz)
    centres = features.ORDER_STEP * (1 + np.arange(found.shape[1]))
    assert centres[found.argmax(1)].tolist() == [3.5, 3.5]
    lines_hz, power = features.power_spectrum(features.envelope_of(centred))
    np.testing.assert_allclose(lines_hz[power.argmax(1)], 3.5 * hz, atol=2)


def test_statistics_of_a_sine_are_those_of_a_sine():
    sine = np.sin(2 * np.pi * 1_000 * TIME_S)[None]
    rms, peak, mean, skewness, kurtosis, crest, *_ = features.shape_statistics(sine)[0]
    expected = np.sqrt(0.5), 1, 2 / np.pi, 0, 1.5, np.sqrt(2)
    np.testing.assert_allclose((rms, peak, mean, skewness, kurtosis, crest), expected, atol=1e-3)
    assert features.spectral_shape(sine)[0, 0] == pytest.approx(1_000, rel=1e-3)


@pytest.mark.parametrize("classes", [2, 5])
def test_a_forest_as_arrays_says_what_scikit_learn_s_says(classes):
    rng = np.random.default_rng(classes)
    seen, labels, asked = rng.normal(size=(60, 7)), rng.integers(0, classes, 60), rng.normal(size=(40, 7))
    theirs = RandomForestClassifier(20, random_state=1).fit(seen, labels)
    ours = forest.probabilities(forest.arrays_of(theirs), asked)
    np.testing.assert_allclose(ours, theirs.predict_proba(asked), atol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_shrunk_lda_says_what_scikit_learn_s_says(classes):
    windows, labels = windows_of(classes, 4)
    lda = method("lda")
    seen = lda.features(windows, None)
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(seen, labels)
    ours = lda.fit(windows, labels, classes).scores(windows)
    np.testing.assert_allclose(ours, theirs.predict_proba(seen), atol=1e-9)


def test_wdcnn_has_the_published_number_of_parameters():
    """Convolutions, two per channel of a normalisation, 100 hidden units on 3 x 64 inputs, and the classes."""
    convolutions = 16 * (64 + 1) + 32 * (16 * 3 + 1) + 64 * (32 * 3 + 1) + 2 * 64 * (64 * 3 + 1)
    norms = 2 * (16 + 32 + 3 * 64 + 100)
    published = convolutions + norms + 100 * (3 * 64 + 1) + 10 * (100 + 1)
    assert published == 54_510
    assert sum(p.numel() for p in WDCNN(10, PUBLISHED_WINDOW).parameters()) == published
    longer = WDCNN(8)
    assert longer.hidden.in_features == 63 * 64
    assert longer.blocks[0].kernel_size == (64,)
    assert longer.blocks[0].stride == (16,)
    assert method("wdcnn").blank(8).cost.registered == published - 100 * 192 + 100 * 63 * 64 - 2 * 101


def test_quant_s_features_are_aeon_s():
    aeon = pytest.importorskip("aeon.transformations.collection.interval_based")
    signals = np.random.default_rng(0).standard_normal((3, 700)).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of PyTorch's, on numbers that aeon rounds up
        theirs = aeon.QUANTTransformer().fit_transform(signals[:, None])
    np.testing.assert_array_equal(quantile_features(torch.from_numpy(signals)).numpy(), theirs)


def test_a_window_is_taken_back_to_its_recording_s_rate():
    window = np.sin(2 * np.pi * 1_000 * TIME_S).astype(np.float32)
    slower = at_native_rate(window, 12_000)
    assert len(slower) == 6_144
    expected = np.sin(2 * np.pi * 1_000 * np.arange(6_144) / 12_000)
    np.testing.assert_allclose(slower[100:-100], expected[100:-100], atol=2e-3)
    assert at_native_rate(window, 66_666.7) is window
    assert at_native_rate(window, None) is window


def test_without_its_libraries_tsfresh_says_how_to_get_them(support, monkeypatch):
    monkeypatch.setattr("dualres.utils.optional_imports.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"tsfresh-lightgbm needs tsfresh: pip install 'dualres\[peers\]'"):
        fitted("tsfresh-lightgbm", support)


@pytest.mark.parametrize("classes", [2, 3])
def test_tsfresh_learns_at_the_native_rate(classes, tmp_path):
    for library in ("tsfresh", "lightgbm"):
        pytest.importorskip(library, reason=f"{library} comes with the extra peers")
    windows, labels = windows_of(classes, 3)
    one = method("tsfresh-lightgbm").learn(Task(windows, labels, classes, 41, native_rate=2_000.0))
    assert one.constants == {"native_rate": 2_000.0}
    scores = one.scores(windows)
    assert (scores.argmax(1) == labels).mean() > 0.5
    names = CLASSES[:classes]
    save(as_model(one, names, dict.fromkeys(names, 1.0)), tmp_path / "m")
    assert np.array_equal(load(tmp_path / "m").scores(windows), scores)
