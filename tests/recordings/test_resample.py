import sys
from fractions import Fraction

import numpy as np
import pytest

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.resample import POLYPHASE, RESAMPLERS, SOXR, resample

RATES = [
    Fraction(12_800),
    Fraction(200_000, 3),
    Fraction(200_000),
    Fraction(48_000),
    Fraction(42_000),
    Fraction(25_600),
]


@pytest.mark.parametrize("resampler", RESAMPLERS)
@pytest.mark.parametrize("rate", RATES, ids=str)
def test_a_tone_keeps_its_frequency_and_size(rate, resampler):
    seconds = 1.0
    t = np.arange(int(rate * seconds)) / float(rate)
    out = resample(np.sin(2 * np.pi * 1000 * t).astype(np.float32), rate, 64_000, resampler)
    assert out.dtype == np.float32
    assert abs(len(out) - 64_000) <= 64
    expected = np.sin(2 * np.pi * 1000 * np.arange(len(out)) / 64_000)
    middle = slice(2000, -2000)
    np.testing.assert_allclose(out[middle], expected[middle], atol=3e-3)


def test_ratios_are_exact():
    """PHM2009's 200000/3 Hz goes by 24/25: 250 samples become 240."""
    assert len(resample(np.ones(250, np.float32), Fraction(200_000, 3), 64_000)) == 240
    assert len(resample(np.ones(100, np.float32), Fraction(12_800), 64_000)) == 500


def test_a_rate_that_makes_no_ratio_is_refused():
    with pytest.raises(RecordingError, match=r"48000\.123000 Hz makes no simple ratio to 64000 Hz"):
        resample(np.ones(100, np.float32), Fraction("48000.123"), 64_000)


def test_the_model_s_own_rate_passes_untouched():
    signal = np.arange(10, dtype=np.float32)
    assert resample(signal, Fraction(64_000), 64_000) is signal


@pytest.mark.parametrize("resampler", RESAMPLERS)
def test_an_offset_makes_no_burst_at_the_ends(resampler):
    noise = np.random.default_rng(0).standard_normal(4000).astype(np.float32)
    plain = resample(noise, Fraction(12_800), 64_000, resampler)
    shifted = resample(noise + 1000, Fraction(12_800), 64_000, resampler) - 1000
    np.testing.assert_allclose(shifted, plain, atol=2e-3 * 1000**0.5)
    assert np.abs(shifted[:50]).max() < 5


def test_an_unknown_resampler_is_refused():
    with pytest.raises(ConfigError, match="no resampler 'linear'; there are scipy"):
        resample(np.ones(100, np.float32), Fraction(1000), 64_000, "linear")


def test_soxr_says_which_extra_it_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "soxr", None)
    with pytest.raises(ConfigError, match=r"dualres\[soxr\]"):
        resample(np.ones(100, np.float32), Fraction(1000), 64_000, SOXR)
    assert len(resample(np.ones(100, np.float32), Fraction(1000), 64_000, POLYPHASE)) == 6400
