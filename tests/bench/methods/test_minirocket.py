"""MiniRocket's classifier against its definition: the ridge penalty by leaving windows out one by one."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import safetensors.numpy

from dualres.bench.methods import minirocket
from dualres.bench.methods.minirocket import MiniRocket, scaling
from dualres.bench.methods.rocket import features
from dualres.errors import ConfigError
from dualres.kernel import compiled
from tests.bench.methods.tones import SHORTER, by_aeon, signals_of, windows_of


@pytest.fixture(scope="module")
def support():
    return windows_of(8, 2)


@pytest.fixture(scope="module")
def fitted(support):
    return MiniRocket().fit(*support, 8)


@pytest.fixture
def shorter(monkeypatch):
    monkeypatch.setattr(minirocket, "WINDOW", SHORTER)


def assert_same(one, other):
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def test_sizes_are_the_papers(fitted):
    state = fitted.state()
    assert {name: (array.dtype, array.shape) for name, array in state.items()} == {
        "biases": (np.float32, (9_996,)),
        "mean": (np.float64, (9_996,)),
        "scale": (np.float64, (9_996,)),
        "coefficients": (np.float64, (8, 9_996)),
        "intercept": (np.float64, (8,)),
    }
    assert fitted.cost.registered == fitted.cost.active == 79_976
    assert fitted.cost.state_bytes == sum(array.nbytes for array in state.values()) == 839_728  # 0.801 MiB


@pytest.mark.parametrize("classes", [2, 3, 8])
@pytest.mark.usefixtures("shorter")
def test_a_blank_one_weighs_what_a_fitted_one_does(classes):
    fitted, blank = MiniRocket().fit(*windows_of(classes, 1, SHORTER), classes), MiniRocket().blank(classes)
    assert replace(fitted.cost, fit_s=0.0) == blank.cost
    shapes = [{name: (t.dtype, t.shape) for name, t in one.state().items()} for one in (fitted, blank)]
    assert shapes[0] == shapes[1]


@pytest.mark.exhaustive
@pytest.mark.usefixtures("shorter")
def test_a_fit_has_the_levels_and_features_of_a_transformer_fitted_by_aeon_itself():
    windows, labels = windows_of(2, 3, SHORTER)
    theirs = by_aeon(signals_of(windows), 7)
    fitted = MiniRocket().fit(windows, labels, 2, seed=7)
    np.testing.assert_array_equal(fitted.learned["biases"], theirs.parameters[-1])
    found = theirs.transform(signals_of(windows)[:, None])
    np.testing.assert_array_equal((fitted.learned["mean"], fitted.learned["scale"]), scaling(found))


def test_scaling_divides_by_the_norm_and_leaves_a_constant_feature_alone():
    features = np.array([[1.0, 0.3], [5.0, 0.3], [3.0, 0.3]], dtype=np.float32)
    mean, scale = scaling(features)
    np.testing.assert_allclose(mean, [3.0, np.float32(0.3)])
    np.testing.assert_allclose(scale, [np.sqrt(8), 1.0])
    assert mean.dtype == scale.dtype == np.float64


def leave_one_out_errors(features, targets, alphas):
    """Mean squared error of each penalty over all windows, each predicted from the others."""
    errors = np.zeros(len(alphas))
    for left in range(len(features)):
        rest = np.arange(len(features)) != left
        mean, centre = features[rest].mean(0), targets[rest].mean(0)
        centred = features[rest] - mean
        for number, alpha in enumerate(alphas):
            dual = np.linalg.solve(centred @ centred.T + alpha * np.eye(len(centred)), targets[rest] - centre)
            errors[number] += np.mean((centred @ (features[left] - mean) @ dual + centre - targets[left]) ** 2)
    return errors / len(features)


@pytest.mark.usefixtures("shorter")
def test_the_classifier_is_ridge_with_the_best_penalty_by_leaving_one_out():
    windows, labels = windows_of(4, 4, SHORTER)
    windows = signals_of(windows) + np.random.default_rng(0).standard_normal(windows.shape).astype(np.float32)
    labels[[0, 5, 9, 14]] = labels[[5, 0, 14, 9]]  # mistakes: without them the weakest penalty is the best
    fitted = MiniRocket().fit(windows, labels, 4)
    found = features(signals_of(windows), fitted.learned["biases"]).astype(np.float64)
    centred = found - found.mean(0)
    norm = np.sqrt((centred**2).sum(0))
    scaled = centred / np.where(norm < 1e-12, 1, norm)
    targets = np.where(labels[:, None] == np.arange(4), 1.0, -1.0)

    alphas = [1e-3 * 10 ** (6 * k / 9) for k in range(10)]
    np.testing.assert_allclose(minirocket.ALPHAS, alphas)
    errors = leave_one_out_errors(scaled, targets, alphas)
    assert errors.argmin() == 8
    assert np.sort(errors)[1] > 1.005 * errors.min()
    assert fitted.constants["alpha"] == pytest.approx(alphas[8])

    intercept = targets.mean(0)
    dual = np.linalg.solve(scaled @ scaled.T + alphas[8] * np.eye(16), targets - intercept)
    np.testing.assert_allclose(fitted.learned["coefficients"], dual.T @ scaled, rtol=0, atol=1e-10)
    np.testing.assert_allclose(fitted.learned["intercept"], intercept, rtol=0, atol=1e-10)
    np.testing.assert_allclose(fitted.scores(windows), scaled @ scaled.T @ dual + intercept, rtol=0, atol=1e-9)


def test_it_recognises_unseen_windows_whatever_their_gain_and_offset(fitted):
    windows, labels = windows_of(8, 1, seed=2)
    scores = fitted.scores(windows)
    assert scores.shape == (8, 8)
    assert scores.dtype == np.float64
    assert scores.argmax(1).tolist() == labels.tolist()
    np.testing.assert_allclose(fitted.scores(4 * windows + 0.5), scores, rtol=0, atol=0.01)


def test_a_window_is_scored_alone_and_one_that_is_not_finite_not_at_all(fitted, monkeypatch):
    windows, _ = windows_of(5, 1, seed=3)
    together = fitted.scores(windows)
    monkeypatch.setattr(minirocket, "MICROBATCH", 2)
    np.testing.assert_allclose(fitted.scores(windows), together, rtol=0, atol=1e-12)
    assert fitted.scores(windows[:0]).shape == (0, 8)
    windows[1, 5] = np.nan
    assert np.isnan(fitted.scores(windows[1:3])).all(1).tolist() == [True, False]


def test_a_restored_one_gives_the_same_to_the_last_bit(fitted):
    state = safetensors.numpy.load(safetensors.numpy.save(dict(fitted.state())))
    restored = MiniRocket().restore(state, fitted.constants, 8, seed=fitted.seed, cost=fitted.cost)
    assert_same(restored.state(), fitted.state())
    windows, _ = windows_of(3, 1, seed=4)
    np.testing.assert_array_equal(restored.scores(windows), fitted.scores(windows))
    np.testing.assert_array_equal(restored.scores(windows[:1]), fitted.scores(windows[:1]))
    assert (restored.method, restored.classes, restored.seed) == (fitted.method, 8, 41)
    assert (restored.cost, restored.constants, restored.history) == (fitted.cost, fitted.constants, [])


def test_a_state_of_another_shape_type_or_name_is_refused(fitted):
    state = fitted.state()
    others = [
        state | {"biases": state["biases"][1:]},
        state | {"mean": state["mean"].astype(np.float32)},
        state | {"more": state["mean"]},
        {name: array for name, array in state.items() if name != "scale"},
    ]
    for classes, other in [(7, state), (2, state), *((8, other) for other in others)]:
        with pytest.raises(ValueError, match=f"for {classes} classes holds"):
            MiniRocket().restore(other, {}, classes, seed=41, cost=fitted.cost)


@pytest.mark.usefixtures("shorter")
def test_between_two_classes_there_is_one_value_and_its_negative():
    windows, labels = windows_of(2, 3, SHORTER)
    fitted = MiniRocket().fit(windows, labels, 2)
    assert fitted.cost.registered == 9_997
    unseen, expected = windows_of(2, 2, SHORTER, seed=1)
    scores = fitted.scores(unseen)
    np.testing.assert_array_equal(scores[:, 0], -scores[:, 1])
    assert scores.argmax(1).tolist() == expected.tolist()
    restored = MiniRocket().restore(fitted.state(), fitted.constants, 2, seed=fitted.seed, cost=fitted.cost)
    np.testing.assert_array_equal(restored.scores(unseen), scores)


@pytest.mark.usefixtures("shorter")
def test_only_support_and_seed_influence_a_fit():
    windows, labels = windows_of(3, 2, SHORTER)
    first = MiniRocket().fit(windows.copy(), labels, 3, seed=5)
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first.scores(windows_of(3, 1, SHORTER, seed=9)[0])
    given = windows.copy()
    again = MiniRocket().fit(given, labels, 3, seed=5, progress=lambda step, total: pytest.fail("there are no updates"))
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    given[:] = 0
    assert_same(again.state(), first.state())
    assert again.history == []
    other = MiniRocket().fit(windows, labels, 3, seed=6)
    assert not np.array_equal(other.learned["biases"], first.learned["biases"])
    assert not np.array_equal(other.learned["coefficients"], first.learned["coefficients"])
    windows[0] = windows[1]
    changed = MiniRocket().fit(windows, labels, 3, seed=5)
    assert not np.array_equal(changed.learned["coefficients"], first.learned["coefficients"])


@pytest.mark.usefixtures("shorter")
def test_silent_windows_do_no_harm_and_without_the_library_a_fit_is_the_same(monkeypatch):
    windows, labels = windows_of(3, 2, SHORTER)
    windows[0] = 0.25
    fitted = MiniRocket().fit(windows, labels, 3)
    assert np.isfinite(fitted.scores(windows)).all()
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    assert_same(MiniRocket().fit(windows, labels, 3).state(), fitted.state())


def test_windows_of_another_length_are_refused(fitted):
    windows, labels = windows_of(2, 1, SHORTER)
    with pytest.raises(ConfigError, match=r"\(2, 2048\); \(n, 32768\) is needed"):
        fitted.scores(windows)
    with pytest.raises(ConfigError, match=r"\(2, 2048\); \(n, 32768\) is needed"):
        MiniRocket().fit(windows, labels, 2)


@pytest.mark.subprocess
def test_neither_aeon_nor_numba_is_imported_to_fit_and_score():
    code = (
        "import sys, numpy as np; from dualres.bench.methods.minirocket import MiniRocket, WINDOW;"
        "windows = np.random.default_rng(0).standard_normal((2, WINDOW), np.float32);"
        "MiniRocket().fit(windows, np.arange(2), 2).scores(windows);"
        "sys.exit(bool({'aeon', 'numba'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
