"""Held to SciPy, which recordings are read and audited without."""

import numpy as np
import pytest
from scipy import fft, signal

from dualres.audit.fingerprint import fast_size, irfft, median, noise_floor, refined, rfft, tapered


def test_transforms_are_single_precision_and_right():
    noise = np.random.default_rng(0).standard_normal((3, 1000)).astype(np.float32)
    for size in (1000, 1024, 900):
        spectrum = rfft(noise, size)
        assert spectrum.dtype == np.complex64
        np.testing.assert_allclose(spectrum, fft.rfft(noise.astype(np.float64), size), atol=1e-4)
        back = irfft(spectrum, size)
        assert back.dtype == np.float32
        np.testing.assert_allclose(back[:, : min(size, 1000)], noise[:, :size], atol=1e-6)


def test_sizes_are_fast():
    for least in [*range(1, 2000), 65_537, 123_457, 1_000_003]:
        assert fast_size(least) == fft.next_fast_len(least, real=True)


@pytest.mark.parametrize("count", [4000, 4001])
def test_a_refined_series_is_the_same_in_between(count):
    noise = np.random.default_rng(1).standard_normal(count).astype(np.float32)
    finer = refined(noise, 4)
    assert finer.dtype == np.float32
    np.testing.assert_allclose(finer[::4], noise, atol=1e-5)
    np.testing.assert_allclose(finer, signal.resample(noise.astype(np.float64), 4 * count), atol=1e-5)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 11, 12_800, 48_001])
def test_the_taper_is_tukey_s(count):
    np.testing.assert_allclose(tapered(count, 0.2), signal.windows.tukey(count, 0.2), atol=1e-7)


@pytest.mark.parametrize("count", [7, 40, 41, 1999])
def test_a_floor_is_made_of_the_medians_of_its_bands(count):
    magnitude = np.random.default_rng(2).rayleigh(size=count).astype(np.float32)
    blocks = np.array_split(magnitude, max(1, count // 20))
    centres = (np.arange(len(blocks)) + 0.5) * count / len(blocks)
    expected = np.interp(np.arange(count), centres, [np.median(block) for block in blocks]).astype(np.float32)
    np.testing.assert_array_equal(noise_floor(magnitude, 20), expected)


@pytest.mark.parametrize("count", [1, 2, 7, 512, 513, 1000])
def test_medians_are_those_of_numpy(count):
    values = np.random.default_rng(3).standard_normal((3, 5, count)).astype(np.float32)
    found = median(values)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, np.median(values, -1))
    assert median(values[0, 0]) == np.median(values[0, 0])
