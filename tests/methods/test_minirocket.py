"""MiniRocket against its definition: features by plain NumPy, the ridge penalty by leaving windows out one by one."""

import itertools
import subprocess
import sys
from dataclasses import replace

import numba
import numpy as np
import pytest
import safetensors.numpy
import torch
from aeon.transformations.collection.convolution_based import MiniRocket as Transformer

from dualres.errors import ConfigError, DualResError
from dualres.methods import minirocket
from dualres.methods.minirocket import MiniRocket, dilations, scaling
from dualres.methods.neural import WINDOW
from dualres.model.spectra import normalise

SHORTER = 2048  # samples; a fit takes a tenth of the time
DILATIONS = "1 2 3 5 6 8 11 14 19 25 32 42 55 73 95 125 163 214 279 366 478 626 818 1070 1400 1831 2394 3131 4095"
PER_DILATION = [12, 8] + 18 * [4] + 9 * [3]


def windows_of(classes, each, window=WINDOW, seed=0):
    """One tone per class in noise, with an offset and a gain of its own in each window."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(classes), each)
    tones = np.sin(2 * np.pi * 0.01 * (labels[:, None] + 1) * np.arange(window) + rng.uniform(0, 6, (len(labels), 1)))
    noisy = tones + 0.5 * rng.standard_normal((len(labels), window))
    return (rng.uniform(1, 9, (len(labels), 1)) * noisy + rng.normal(size=(len(labels), 1))).astype(np.float32), labels


def signals_of(windows):
    return normalise(torch.from_numpy(windows)).numpy()


def responses_to(signal, dilation):
    """Those of all 84 kernels, in order, with zeros beyond the signal's ends; each (samples,)."""
    padded = np.pad(signal.astype(np.float64), 4 * dilation)
    shifted = [padded[tap * dilation :][: len(signal)] for tap in range(9)]
    total = sum(shifted)
    return (3 * (shifted[a] + shifted[b] + shifted[c]) - total for a, b, c in itertools.combinations(range(9), 3))


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


def test_dilations_and_their_features_are_the_specifications():
    distinct, counts = dilations()
    assert distinct.tolist() == [int(d) for d in DILATIONS.split()]
    assert counts.tolist() == PER_DILATION
    assert distinct.dtype == counts.dtype == np.int32


@pytest.mark.usefixtures("shorter")
def test_the_transform_is_that_of_a_transformer_fitted_by_aeon_itself():
    windows, labels = windows_of(2, 3, SHORTER)
    theirs = Transformer(10_000, max_dilations_per_kernel=32, random_state=7).fit(signals_of(windows)[:, None])
    *_, distinct, counts, biases = theirs.parameters
    np.testing.assert_array_equal(dilations(), (distinct, counts))
    np.testing.assert_array_equal(MiniRocket().fit(windows, labels, 2, seed=7).learned["biases"], biases)
    unseen = signals_of(windows_of(2, 1, SHORTER, seed=1)[0])
    np.testing.assert_array_equal(minirocket._features(unseen, biases), theirs.transform(unseen[:, None]))


def test_features_are_the_shares_of_the_responses_above_the_levels(fitted):
    signal = signals_of(windows_of(1, 1, seed=1)[0])[0]
    biases = fitted.learned["biases"]
    above, samples = [], []
    for number, dilation in enumerate(dilations()[0]):
        for kernel, response in enumerate(responses_to(signal, dilation)):
            counted = response if (number + kernel) % 2 == 0 else response[4 * dilation : -4 * dilation]
            for _ in range(PER_DILATION[number]):
                above.append(np.sum(counted > biases[len(above)]))
                samples.append(len(counted))
    features = minirocket._features(signal[None], biases)
    assert features.dtype == np.float32
    off = np.abs(features[0] * samples - above)
    assert off.max() < 1.1  # single precision may put a sample on the other side of a level
    assert np.mean(off < 0.1) > 0.99


def test_levels_are_quantiles_of_one_support_windows_responses(fitted, support):
    signals = signals_of(support[0])
    begins = np.cumsum([0, *np.repeat(PER_DILATION, 84)])
    chosen = set()
    for number, kernel in [(0, 0), (0, 83), (1, 7), (3, 40), (14, 41), (20, 12), (27, 5), (28, 0), (28, 83)]:
        position = 84 * number + kernel
        features = np.arange(begins[position], begins[position + 1])
        fractions = (features + 1) * (1 + np.sqrt(5)) / 2 % 1
        responses = (next(itertools.islice(responses_to(s, dilations()[0][number]), kernel, None)) for s in signals)
        off = [np.abs(np.quantile(r, fractions) - fitted.learned["biases"][features]).max() for r in responses]
        assert min(off) < 1e-4
        assert sorted(off)[1] > 1e-3  # one window's, and no other's
        chosen.add(np.argmin(off))
    assert begins[-1] == 9_996
    assert len(chosen) > 3


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
    features = minirocket._features(signals_of(windows), fitted.learned["biases"]).astype(np.float64)
    centred = features - features.mean(0)
    norm = np.sqrt((centred**2).sum(0))
    scaled = centred / np.where(norm < 1e-12, 1, norm)
    targets = np.where(labels[:, None] == np.arange(4), 1.0, -1.0)

    alphas = [1e-3 * 10 ** (6 * k / 9) for k in range(10)]
    errors = leave_one_out_errors(scaled, targets, alphas)
    assert errors.argmin() == 8
    assert np.sort(errors)[1] > 1.005 * errors.min()
    assert fitted.constants["alpha"] == pytest.approx(alphas[8])

    intercept = targets.mean(0)
    dual = np.linalg.solve(scaled @ scaled.T + alphas[8] * np.eye(16), targets - intercept)
    np.testing.assert_allclose(fitted.learned["coefficients"], dual.T @ scaled, rtol=0, atol=1e-10)
    np.testing.assert_allclose(fitted.learned["intercept"], intercept, rtol=0, atol=1e-10)
    np.testing.assert_allclose(fitted.scores(windows), scaled @ scaled.T @ dual + intercept, rtol=0, atol=1e-9)


def test_the_penalties_span_six_decades():
    np.testing.assert_allclose(np.log10(minirocket.ALPHAS), np.linspace(-3, 3, 10), atol=1e-12)


def test_it_recognises_unseen_windows_whatever_their_gain_and_offset(fitted):
    windows, labels = windows_of(8, 1, seed=2)
    scores = fitted.scores(windows)
    assert scores.shape == (8, 8)
    assert scores.dtype == np.float64
    assert scores.argmax(1).tolist() == labels.tolist()
    np.testing.assert_allclose(fitted.scores(4 * windows + 0.5), scores, rtol=0, atol=0.01)


def test_a_window_is_scored_alone(fitted, monkeypatch):
    windows, _ = windows_of(5, 1, seed=3)
    together = fitted.scores(windows)
    monkeypatch.setattr(minirocket, "MICROBATCH", 2)
    np.testing.assert_allclose(fitted.scores(windows), together, rtol=0, atol=1e-12)
    assert fitted.scores(windows[:0]).shape == (0, 8)


def test_a_restored_one_gives_the_same_to_the_last_bit(fitted):
    state = safetensors.numpy.load(safetensors.numpy.save(dict(fitted.state())))
    restored = MiniRocket().restore(state, fitted.constants, 8, fitted.seed, fitted.cost)
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
            MiniRocket().restore(other, {}, classes, 41, fitted.cost)


@pytest.mark.usefixtures("shorter")
def test_between_two_classes_there_is_one_value_and_its_negative():
    windows, labels = windows_of(2, 3, SHORTER)
    fitted = MiniRocket().fit(windows, labels, 2)
    assert fitted.cost.registered == 9_997
    unseen, expected = windows_of(2, 2, SHORTER, seed=1)
    scores = fitted.scores(unseen)
    np.testing.assert_array_equal(scores[:, 0], -scores[:, 1])
    assert scores.argmax(1).tolist() == expected.tolist()
    restored = MiniRocket().restore(fitted.state(), fitted.constants, 2, fitted.seed, fitted.cost)
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
def test_silent_windows_neither_warn_nor_spoil_the_scores():
    windows, labels = windows_of(2, 3, SHORTER)
    windows[0] = 0.25
    fitted = MiniRocket().fit(windows, labels, 2)
    assert np.isfinite(fitted.scores(windows)).all()


@pytest.mark.usefixtures("shorter")
def test_threads_are_pytorchs_and_numbas_are_left_as_found(monkeypatch):
    signals = signals_of(windows_of(3, 1, SHORTER)[0])
    biases = np.linspace(-1, 1, 9_996, dtype=np.float32)
    found = numba.get_num_threads()
    alone = minirocket._features(signals, biases)
    assert numba.get_num_threads() == found
    assert minirocket._transformer(0).n_jobs == torch.get_num_threads()
    monkeypatch.setattr(torch, "get_num_threads", lambda: 10_000)
    assert minirocket._transformer(0).n_jobs == numba.config.NUMBA_NUM_THREADS
    np.testing.assert_array_equal(minirocket._features(signals, biases), alone)
    assert numba.get_num_threads() == found


def test_windows_of_another_length_are_refused(fitted):
    windows, labels = windows_of(2, 1, SHORTER)
    with pytest.raises(ConfigError, match=r"\(2, 2048\); \(n, 32768\) is needed"):
        fitted.scores(windows)
    with pytest.raises(ConfigError, match=r"\(2, 2048\); \(n, 32768\) is needed"):
        MiniRocket().fit(windows, labels, 2)


@pytest.mark.parametrize("missing", ["numba", "aeon.transformations.collection.convolution_based"])
def test_without_aeon_the_remedy_is_named(fitted, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(DualResError, match=r"pip install 'dualres\[bench\]'"):
        fitted.scores(np.ones((1, WINDOW), np.float32))


def test_importing_it_imports_neither_aeon_nor_numba():
    code = "import sys, dualres.methods.minirocket; sys.exit(bool({'aeon', 'numba'} & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", code], check=True)
