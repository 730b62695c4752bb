import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.recording import (
    BANDS,
    BLOCK,
    Blockwise,
    Origin,
    Recording,
    axes_of,
    facts_of,
    joined,
    mean_of,
    of_axes,
    regrouped,
)
from dualres.utils.rates import exact_rate
from tests.recordings.few import InBlocks


def test_an_array_is_a_recording_and_a_signal_is_loaded_on_use():
    recording = Recording.from_array([1, 2, 3], "200000/3", id="pump 4", label="good")
    assert (recording.rate, recording.id, recording.label) == (Fraction(200_000, 3), "pump 4", "good")
    assert (recording.signal.dtype, recording.signal.tolist()) == (np.float32, [1, 2, 3])
    calls = []
    recording = Recording("a", lambda: calls.append(1) or np.ones(3, np.float32), Fraction(1))
    assert not calls
    assert recording.signal.sum() == 3
    assert calls == [1]


@pytest.mark.parametrize(
    ("signal", "reason"),
    [
        (np.ones((3, 2)), r"pump: one channel is needed, .* \(3, 2\)"),
        ([], "pump: there are no samples"),
        ([1.0, np.nan, np.inf], "pump: 2 samples are NaN or infinite"),
    ],
)
def test_unusable_samples_are_refused_by_name(signal, reason):
    with pytest.raises(RecordingError, match=reason):
        Recording.from_array(signal, 1000, id="pump").signal  # noqa: B018


@pytest.fixture(scope="module")
def long():
    return np.random.default_rng(0).normal(3, 1, 2 * BLOCK + 12_345).astype(np.float32)


@pytest.mark.parametrize("way", [InBlocks, lambda signal: lambda: signal])
@pytest.mark.parametrize("samples", [99_991, BLOCK, BLOCK + 1, 10**12])
def test_blocks_are_the_signal_in_pieces(long, way, samples):
    recording = Recording("a", way(long), Fraction(1000))
    sizes = []
    for block in recording.blocks(samples):
        assert np.array_equal(block, long[sum(sizes) :][: len(block)])
        sizes.append(len(block))
    assert set(sizes[:-1]) <= {samples}
    assert 0 < sizes[-1] <= samples
    assert sum(sizes) == recording.length == len(long)
    assert np.array_equal(recording.signal, long)


def test_the_mean_does_not_depend_on_the_way_of_loading(long):
    means = {Recording("a", load, Fraction(1)).mean for load in (InBlocks(long), lambda: long)}
    assert len(means) == 1
    assert means.pop() == pytest.approx(long.mean(dtype=np.float64), rel=1e-14)


@pytest.mark.parametrize("way", [InBlocks, lambda signal: lambda: signal])
def test_samples_that_are_not_finite_are_counted_over_all_blocks(long, way):
    broken = long.copy()
    broken[[BLOCK + 7, -1]] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        recording = Recording("pump", way(broken), Fraction(1))
    handed = []
    with pytest.raises(RecordingError, match="pump: 2 samples are NaN or infinite"):
        handed.extend(recording.blocks())
    assert [len(block) for block in handed] == [BLOCK]
    with pytest.raises(RecordingError, match="pump: 2 samples are NaN or infinite"):
        recording.signal  # noqa: B018


def test_blocks_of_unusable_arrays_are_refused_by_name():
    for array, reason in ((np.ones((3, 2)), "one channel is needed"), ([], "there are no samples")):
        recording = Recording.from_array(array, 1000, id="pump")
        for ask in (lambda r: list(r.blocks()), lambda r: r.length, lambda r: r.mean):
            with pytest.raises(RecordingError, match=f"pump: {reason}"):
                ask(recording)
    with pytest.raises(ConfigError, match="a block of 0 samples is none"):
        next(Recording.from_array([1.0], 1).blocks(0))


@pytest.mark.parametrize("sizes", [[5], [1, 1, 1, 1, 1], [2, 3], [4, 0, 1]])
@pytest.mark.parametrize("samples", [1, 2, 3, 5, 8])
def test_blocks_are_regrouped(sizes, samples):
    signal = np.arange(5, dtype=np.float32)
    blocks = np.split(signal, np.cumsum(sizes)[:-1])
    found = list(regrouped(blocks, samples))
    assert [len(block) for block in found] == [len(signal[i : i + samples]) for i in range(0, 5, samples)]
    assert np.array_equal(np.concatenate(found), signal)
    assert np.array_equal(joined(blocks, 5), signal)


@pytest.mark.parametrize(("written", "exact"), [(66666.7, "666667/10"), ("200000/3", "200000/3"), (12_800, "12800")])
@pytest.mark.parametrize("unit", ["", "Hz", " Hz", "hz"])
def test_rates_are_as_they_were_written(written, exact, unit):
    assert exact_rate(f"{written}{unit}" if unit else written) == Fraction(exact)


@pytest.mark.parametrize("written", ["12.8kHz", "12.8 kHz", "12.8k", " 12.8 k ", "12.8KHZ", "64/5 kHz", "1.28e1k"])
def test_rates_may_be_in_khz(written):
    assert exact_rate(written) == 12_800


@pytest.mark.parametrize(
    "rate", [0, -1, "fast", "1/0", "kHz", "Hz", "-2k", "20kk", "20 kg", float("nan"), "1e999999999", "1e-999999999"]
)
def test_a_rate_is_positive(rate):
    with pytest.raises(ConfigError, match="is no number of Hz"):
        Recording.from_array([1.0], rate, id="pump")
    with pytest.raises(RecordingError, match="pump: the sampling rate is 0 Hz"):
        Recording("pump", lambda: None, Fraction(0))


@pytest.mark.parametrize("way", [InBlocks, lambda signal: lambda: signal])
def test_signal_and_mean_are_what_they_are_apart(long, way):
    recording = Recording("a", way(long), Fraction(1))
    signal, mean = recording.signal_and_mean()
    assert np.array_equal(signal, recording.signal)
    assert mean == recording.mean


@pytest.mark.parametrize("bad", [[np.nan], [np.inf], [np.inf, -np.inf]])
def test_a_signal_that_is_not_finite_has_no_mean(bad, kernel):
    signal = np.array([1.0, *bad, 3.0e38, 3.0e38], np.float32)
    assert np.isnan(mean_of([signal]))
    assert np.isnan(mean_of(np.split(signal, range(1, len(signal)))))
    with pytest.raises(RecordingError, match=f"pump: {len(bad)} samples are NaN or infinite"):
        Recording.from_array(signal, 1000, id="pump").mean  # noqa: B018


def test_a_tone_on_an_offset_in_a_few_numbers():
    t = np.arange(12_000) / 6000
    signal = 0.5 + 2 * np.sin(2 * np.pi * 1025 * t) + 0.01 * np.random.default_rng(0).standard_normal(len(t))
    facts = facts_of(Recording.from_array(signal, 6000))
    assert (facts.samples, facts.seconds) == (12_000, 2.0)
    assert (facts.mean, facts.rms, facts.crest) == pytest.approx((0.5, np.sqrt(2), np.sqrt(2)), rel=0.02)
    assert len(facts.spectrum) == BANDS
    assert int(np.argmax(facts.spectrum)) == int(1025 / (3000 / BANDS))
    assert (min(facts.spectrum), max(facts.spectrum)) == (0.0, 1.0)


def test_several_aligned_signals_are_one_recording():
    pump = Recording.from_axes({"x": [1, 2, 3], "y": [4, 5, 6]}, 1000, id="pump", label="good")
    assert (pump.channels, pump.length, pump.label) == (("x", "y"), 3, "good")
    assert [axis.signal.tolist() for axis in axes_of(pump)] == [[1, 2, 3], [4, 5, 6]]
    renamed = replace(pump, id="other", component="7", condition={"load": "1"})
    assert [(axis.id, axis.label, axis.component) for axis in renamed.axes] == [("other", "good", "7")] * 2
    assert [axis.condition for axis in renamed.axes] == [{"load": "1"}] * 2
    single = Recording.from_array([1, 2], 1000)
    assert (single.axes, single.channels, axes_of(single)) == ((), (), (single,))


@pytest.mark.parametrize("ask", [lambda r: r.signal, lambda r: r.mean, lambda r: list(r.blocks()), facts_of])
def test_a_recording_of_several_axes_has_no_signal_of_its_own(ask):
    pump = Recording.from_axes({"x": [1, 2, 3], "y": [4, 5, 6]}, 1000, id="pump")
    with pytest.raises(RecordingError, match=r"pump: has 2 axes \(x, y\), and one signal is needed here; choose"):
        ask(pump)


@pytest.mark.parametrize(
    ("axes", "reason"),
    [
        ([("x", 3, 1000), ("y", 4, 1000)], r"pump: x \(3 samples at 1000 Hz\) and y \(4 samples at 1000 Hz\) are not"),
        ([("x", 3, 1000), ("y", 3, 2000)], r"pump: x \(3 samples at 1000 Hz\) and y \(3 samples at 2000 Hz\) are not"),
        ([("x", 3, 1000), ("y", 3, 1000), ("x", 3, 1000)], "pump: two axes are called x"),
        ([("x", 3, 1000)], "pump: 1 signals were given; .* two or more"),
    ],
)
def test_axes_that_make_no_recording_are_refused(axes, reason):
    signals = [
        replace(Recording.from_array(np.arange(count), rate), origin=Origin(channel=name)) for name, count, rate in axes
    ]
    with pytest.raises(RecordingError, match=reason):
        of_axes(signals, "pump")


@pytest.mark.parametrize("samples", [2, 3, 2 * BANDS])
def test_facts_of_a_few_samples_have_no_spectrum(samples):
    facts = facts_of(Recording.from_array(np.arange(samples), 100))
    assert (facts.samples, facts.spectrum) == (samples, ())


def test_facts_of_a_long_signal_are_those_of_the_whole(long):
    facts = facts_of(Recording("a", InBlocks(long), Fraction(1000)))
    whole = long.astype(np.float64)
    assert (facts.samples, facts.seconds) == (len(long), len(long) / 1000)
    assert facts.mean == pytest.approx(whole.mean(), rel=1e-12)
    assert facts.rms == pytest.approx(whole.std(), rel=1e-12)
    assert facts.crest == pytest.approx(np.abs(whole - whole.mean()).max() / whole.std(), rel=1e-12)
    assert facts == facts_of(Recording("a", lambda: long, Fraction(1000)))


def test_the_spectrum_of_a_long_signal_is_the_mean_over_blocks(long):
    t = np.arange(len(long)) / 1000
    late = long + np.where(np.arange(len(long)) >= BLOCK, 5 * np.sin(2 * np.pi * 104 * t), 0).astype(np.float32)
    facts = facts_of(Recording("a", InBlocks(late), Fraction(1000)))
    assert int(np.argmax(facts.spectrum)) == int(104 / (500 / BANDS))
    first = facts_of(Recording.from_array(late[:BLOCK], 1000))
    assert int(np.argmax(first.spectrum)) != int(104 / (500 / BANDS))


class MadeOnTheWay(Blockwise):
    """Ten minutes at 48 kHz that are made block by block."""

    length, mean = 48_000 * 600, 0.0

    def blocks(self):
        block = np.random.default_rng(0).standard_normal(BLOCK).astype(np.float32)
        for start in range(0, self.length, BLOCK):
            yield block[: self.length - start]


def test_facts_of_a_long_signal_take_little_memory():
    tracemalloc.start()
    facts = facts_of(Recording("a", MadeOnTheWay(), Fraction(48_000)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert facts.seconds == 600
    assert peak < 64 << 20, "the whole signal takes 110 MiB as float32, and twice that as float64"
