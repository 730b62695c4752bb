"""MiniRocket's transform against its definition, and against aeon, by which published results were computed."""

import itertools

import numpy as np
import pytest
import torch

from dualres.bench.methods.neural import WINDOW
from dualres.bench.methods.rocket import dilations, features, features_ref, fit_levels
from dualres.kernel import compiled
from tests.bench.methods.tones import SHORTER, by_aeon, signals_of, windows_of

DILATIONS = "1 2 3 5 6 8 11 14 19 25 32 42 55 73 95 125 163 214 279 366 478 626 818 1070 1400 1831 2394 3131 4095"
PER_DILATION = [12, 8] + 18 * [4] + 9 * [3]


def responses_to(signal, dilation):
    """Those of all 84 kernels, in order, with zeros beyond the signal's ends; each (samples,)."""
    padded = np.pad(signal.astype(np.float64), 4 * dilation)
    shifted = [padded[tap * dilation :][: len(signal)] for tap in range(9)]
    total = sum(shifted)
    return (3 * (shifted[a] + shifted[b] + shifted[c]) - total for a, b, c in itertools.combinations(range(9), 3))


@pytest.fixture(scope="module")
def support():
    return signals_of(windows_of(8, 2)[0])


@pytest.fixture(scope="module")
def levels(support):
    return fit_levels(support, 41)


def test_dilations_and_their_features_are_the_specifications():
    distinct, counts = dilations(WINDOW)
    assert distinct.tolist() == [int(d) for d in DILATIONS.split()]
    assert counts.tolist() == PER_DILATION
    assert distinct.dtype == counts.dtype == np.int32


@pytest.mark.usefixtures("kernel")
def test_features_are_the_shares_of_the_responses_above_the_levels(levels):
    signal = signals_of(windows_of(1, 1, seed=1)[0])[0]
    above, samples = [], []
    for number, dilation in enumerate(dilations(WINDOW)[0]):
        for kernel, response in enumerate(responses_to(signal, dilation)):
            counted = response if (number + kernel) % 2 == 0 else response[4 * dilation : -4 * dilation]
            for _ in range(PER_DILATION[number]):
                above.append(np.sum(counted > levels[len(above)]))
                samples.append(len(counted))
    found = features(signal[None], levels)
    assert found.dtype == np.float32
    off = np.abs(found[0] * samples - above)
    assert off.max() < 1.1  # single precision may put a sample on the other side of a level
    assert np.mean(off < 0.1) > 0.99


def test_levels_are_quantiles_of_one_support_windows_responses(levels, support):
    begins = np.cumsum([0, *np.repeat(PER_DILATION, 84)])
    chosen = set()
    for number, kernel in [(0, 0), (0, 83), (1, 7), (3, 40), (14, 41), (20, 12), (27, 5), (28, 0), (28, 83)]:
        position = 84 * number + kernel
        mine = np.arange(begins[position], begins[position + 1])
        fractions = (mine + 1) * (1 + np.sqrt(5)) / 2 % 1
        distinct = dilations(WINDOW)[0]
        responses = (next(itertools.islice(responses_to(s, distinct[number]), kernel, None)) for s in support)
        off = [np.abs(np.quantile(r, fractions) - levels[mine]).max() for r in responses]
        assert min(off) < 1e-4
        assert sorted(off)[1] > 1e-3  # one window's, and no other's
        chosen.add(np.argmin(off))
    assert begins[-1] == 9_996
    assert len(chosen) > 3


@pytest.mark.exhaustive
@pytest.mark.usefixtures("kernel")
def test_it_is_aeons_to_the_last_bit():
    signals = signals_of(windows_of(2, 2)[0])
    theirs = by_aeon(signals, 7)
    *_, distinct, counts, biases = theirs.parameters
    np.testing.assert_array_equal(dilations(WINDOW), (distinct, counts))
    np.testing.assert_array_equal(fit_levels(signals, 7), biases)
    unseen = signals_of(windows_of(2, 1, seed=1)[0])
    np.testing.assert_array_equal(features(unseen, biases), theirs.transform(unseen[:, None]))
    np.testing.assert_array_equal(features(signals, biases), theirs.transform(signals[:, None]))


@pytest.mark.exhaustive
@pytest.mark.parametrize("windows", [1, 2, 3, 7, 12, 96])
@pytest.mark.parametrize("seed", [0, 41, 45, 2**32 - 1])
def test_levels_are_aeons_whatever_the_seed_and_the_support(windows, seed):
    """Most numbers of windows are no power of two, and then some draws are rejected."""
    signals = signals_of(windows_of(windows, 1, SHORTER, seed=windows)[0])
    np.testing.assert_array_equal(fit_levels(signals, seed), by_aeon(signals, seed).parameters[-1])


def test_neither_the_number_of_threads_nor_the_library_changes_a_level(monkeypatch):
    signals, before, found = signals_of(windows_of(3, 1, SHORTER)[0]), torch.get_num_threads(), []
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            found.append(fit_levels(signals, 5))
    finally:
        torch.set_num_threads(before)
    np.testing.assert_array_equal(*found)
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    np.testing.assert_array_equal(fit_levels(signals, 5), found[0])


@pytest.mark.usefixtures("kernel")
def test_arrays_may_have_gaps_and_no_rows(levels):
    signals = signals_of(windows_of(2, 2)[0])
    wide = np.stack([levels, levels], 1)
    np.testing.assert_array_equal(features(signals[::2], wide[:, 1]), features(signals[::2].copy(), levels))
    assert features(signals[:0], levels).shape == features_ref(signals[:0], levels).shape == (0, 9_996)
