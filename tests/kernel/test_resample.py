import math

import numpy as np
import pytest

from dualres.kernel import compiled
from dualres.kernel.resample import Resampler, total


@pytest.fixture
def thirds():
    """Three outputs for two inputs: a copy, then two sums of three inputs each."""
    rows = np.array([0, 0, 1])
    weights = np.array([[0.0, 1.0, 0.0], [0.25, 0.5, 0.25], [0.5, 0.25, -0.5]])
    return Resampler(3, 2, rows, width=3, weights=weights.__getitem__)


def by_hand(signal, mean, outputs):
    padded = np.pad(signal.astype(np.float64) - mean, (0, 8))
    sums = []
    for n in range(outputs):
        at = n // 3 * 2
        a, b, c, d = padded[at : at + 4]
        sums.append((b, 0.25 * a + 0.5 * b + 0.25 * c, 0.5 * b + 0.25 * c - 0.5 * d)[n % 3])
    return np.array(sums) + mean


@pytest.mark.skipif(compiled.variant() is None, reason="there is no compiled library")
@pytest.mark.parametrize("samples", [1, 5, 100, 6400])
def test_weights_are_applied_where_they_belong(thirds, samples):
    signal = np.random.default_rng(0).standard_normal(samples).astype(np.float32)
    count = samples * 3 // 2
    out = thirds(signal, 0, mean=0.5, start=0, count=count)
    np.testing.assert_allclose(out, by_hand(signal, 0.5, count), atol=1e-6)


@pytest.mark.skipif(compiled.variant() is None, reason="there is no compiled library")
def test_a_stretch_is_the_same_to_the_last_bit(thirds):
    signal = np.random.default_rng(0).standard_normal(20_000).astype(np.float32)
    start = 7 * thirds.unit
    whole = thirds(signal, 0, mean=0.1, start=0, count=30_000)
    first = start // 3 * 2
    np.testing.assert_array_equal(
        thirds(signal[first:], first, mean=0.1, start=start, count=1234), whole[start : start + 1234]
    )


@pytest.mark.skipif(compiled.variant() is None, reason="there is no compiled library")
@pytest.mark.parametrize("samples", [5, 100, 6400])
def test_what_is_too_large_for_a_float_is_no_result(thirds, samples, monkeypatch):
    signal = np.random.default_rng(0).standard_normal(samples).astype(np.float32)
    for variant in compiled.able():
        monkeypatch.setenv(compiled.SETTING, variant)
        for place in {0, samples // 3, samples - 1}:
            large = signal.copy()
            large[place] = 2e38
            assert np.isfinite(thirds(large, 0, mean=1e38, start=0, count=samples * 3 // 2)).all()
            assert thirds(large, 0, mean=-2e38, start=0, count=samples * 3 // 2) is None


def test_without_the_library_there_is_no_result(thirds, monkeypatch):
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    assert thirds(np.ones(10, np.float32), 0, mean=1.0, start=0, count=15) is None


@pytest.mark.parametrize("samples", [1, 15, 16, 17, 100_003])
def test_a_sum_keeps_a_double_s_precision(samples):
    signal = (np.random.default_rng(0).standard_normal(samples) + 1000).astype(np.float32)
    assert total(signal) == pytest.approx(math.fsum(signal.tolist()), rel=1e-14)
    assert total(np.full(samples, 3e38, np.float32)) == pytest.approx(3e38 * samples)
    assert total(signal[::-1]) == pytest.approx(total(signal), rel=1e-14)
