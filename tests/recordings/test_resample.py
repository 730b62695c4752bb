import sys
from fractions import Fraction

import numpy as np
import pytest

from dualres.config import POLYPHASE, RESAMPLERS, SOXR
from dualres.errors import ConfigError, RecordingError
from dualres.kernel import compiled
from dualres.recordings import polyphase as polyphase_module
from dualres.recordings import resample as resample_module
from dualres.recordings.recording import Recording
from dualres.recordings.resample import code_hash, resample, resampled_blocks
from tests.recordings.few import InBlocks

RATES = [
    Fraction(12_800),
    Fraction(200_000, 3),
    Fraction(200_000),
    Fraction(48_000),
    Fraction(42_000),
    Fraction(25_600),
]


def in_memory(signal):
    return lambda: signal


WAYS = [InBlocks, in_memory]


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


def test_ratios_are_exact_and_simple():
    """PHM2009's 200000/3 Hz goes by 24/25: 250 samples become 240."""
    assert len(resample(np.ones(250, np.float32), Fraction(200_000, 3), 64_000)) == 240
    assert len(resample(np.ones(100, np.float32), Fraction(12_800), 64_000)) == 500
    with pytest.raises(RecordingError, match=r"48000\.123000 Hz makes no simple ratio to 64000 Hz"):
        resample(np.ones(100, np.float32), Fraction("48000.123"), 64_000)


def test_the_model_s_own_rate_passes_untouched_by_a_resampler_that_there_is():
    signal = np.arange(10, dtype=np.float32)
    assert resample(signal, Fraction(64_000), 64_000) is signal
    with pytest.raises(ConfigError, match="no resampler 'linear'; there are scipy"):
        resample(np.ones(100, np.float32), Fraction(1000), 64_000, "linear")


@pytest.mark.parametrize("resampler", RESAMPLERS)
def test_an_offset_makes_no_burst_at_the_ends(resampler):
    noise = np.random.default_rng(0).standard_normal(4000).astype(np.float32)
    plain = resample(noise, Fraction(12_800), 64_000, resampler)
    shifted = resample(noise + 1000, Fraction(12_800), 64_000, resampler) - 1000
    np.testing.assert_allclose(shifted, plain, atol=2e-3 * 1000**0.5)
    assert np.abs(shifted[:50]).max() < 5


def test_soxr_says_which_extra_it_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "soxr", None)
    with pytest.raises(ConfigError, match=r"dualres\[soxr\]"):
        resample(np.ones(100, np.float32), Fraction(1000), 64_000, SOXR)
    assert len(resample(np.ones(100, np.float32), Fraction(1000), 64_000, POLYPHASE)) == 6400


@pytest.mark.parametrize("resampler", RESAMPLERS)
@pytest.mark.parametrize("rate", [Fraction(12_800), Fraction(200_000, 3), Fraction(64_000)], ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_blocks_join_to_the_whole(rate, resampler, way, monkeypatch):
    monkeypatch.setattr(resample_module, "BLOCK", 10_007)
    monkeypatch.setattr(polyphase_module, "_AT_ONCE", 10_007)
    signal = np.random.default_rng(1).standard_normal(50_000).astype(np.float32) + 3
    blocks = list(resampled_blocks(Recording("pump", way(signal), rate), 64_000, resampler))
    assert len(blocks) > 1 or rate == 64_000
    whole = resample(signal, rate, 64_000, resampler)
    exact = resampler != SOXR and compiled.variant()
    np.testing.assert_allclose(np.concatenate(blocks), whole, rtol=0, atol=0 if exact else 2e-6)


@pytest.mark.parametrize("way", WAYS)
def test_blocks_know_the_mean_of_the_whole(way):
    """The signal is longer than what is summed at a time; another mean would show in the last bits near the ends."""
    signal = np.random.default_rng(2).standard_normal(2_500_000).astype(np.float32) + 1e4
    blocks = list(resampled_blocks(Recording("pump", way(signal), Fraction(48_000)), 64_000))
    whole = resample(signal, Fraction(48_000), 64_000)
    np.testing.assert_allclose(np.concatenate(blocks), whole, rtol=0 if compiled.variant() else 1e-7)


def test_blocks_of_a_rate_that_makes_no_ratio_are_refused_at_once():
    recording = Recording.from_array(np.ones(100, np.float32), "48000.123")
    with pytest.raises(RecordingError, match="no simple ratio"):
        resampled_blocks(recording, 64_000)
    with pytest.raises(ConfigError, match="no resampler 'linear'"):
        resampled_blocks(recording, 64_000, "linear")


def test_an_array_is_loaded_once():
    loads = []
    recording = Recording("pump", lambda: loads.append(1) or np.arange(100, dtype=np.float32), Fraction(1000))
    assert sum(map(len, resampled_blocks(recording, 64_000))) == 6400
    assert loads == [1]


@pytest.mark.parametrize("resampler", RESAMPLERS)
@pytest.mark.parametrize("way", WAYS)
def test_too_large_samples_are_refused_by_name(way, kernel, resampler):
    signal = np.sign(np.random.default_rng(0).standard_normal(60_000)).astype(np.float32) * np.float32(3e38)
    reason = "pump: the samples are too large to be resampled; scale the recording"
    with pytest.raises(RecordingError, match=reason):
        list(resampled_blocks(Recording("pump", way(signal), Fraction(12_800)), 64_000, resampler))
    with pytest.raises(RecordingError, match=reason):
        resample(signal, Fraction(12_800), 64_000, resampler, name="pump")


def test_the_code_s_hash_tells_the_kernel_s_variants_apart(monkeypatch):
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    without = code_hash()
    assert code_hash() == without
    monkeypatch.setattr(compiled, "variant", lambda: "avx2")
    assert code_hash() != without
