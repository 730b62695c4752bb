import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import firwin, resample_poly, upfirdn

from dualres.kernel import compiled
from dualres.recordings import polyphase as polyphase_module
from dualres.recordings.polyphase import Polyphase, polyphase
from dualres.recordings.recording import mean_of

RATIOS = [
    *("5", "16/3", "4/3", "5/2", "24/25", "8000/12207", "32/21", "32/25", "5/4", "16/25", "16/5", "8"),
    *("8/25", "8/125", "1/2", "25", "640/441", "1000/1001", "3/50", "257/4000"),
]
CLOSE = 1e-6  # of the largest deviation from the mean


def noise(samples, offset=0.0, seed=0):
    return (np.random.default_rng(seed).standard_normal(samples) + offset).astype(np.float32)


def whole(plan, signal, stretch=Polyphase.stretch):
    return stretch(plan, signal, 0, mean_of([signal]), start=0, count=plan.outputs(len(signal)))


def assert_as_scipy(plan, signal, stretch=Polyphase.stretch):
    exact = signal.astype(np.float64)
    expected = resample_poly(exact, plan.up, plan.down, padtype="mean")
    out = whole(plan, signal, stretch)
    assert out.dtype == np.float32
    assert out.shape == expected.shape
    rounding = np.spacing(np.abs(expected).astype(np.float32)) / 2  # a large offset leaves a float few digits
    assert (np.abs(out - expected) <= CLOSE * np.abs(exact - exact.mean()).max() + rounding).all()


@pytest.mark.parametrize("offset", [0.0, 1000.0])
@pytest.mark.parametrize("ratio", RATIOS)
def test_every_variant_agrees_with_scipy(ratio, offset, kernel):
    assert_as_scipy(polyphase(Fraction(ratio)), noise(20_011, offset))


SIDES = st.integers(1, 300)
OTHER_RATIOS = st.builds(Fraction, SIDES, SIDES).filter(lambda ratio: ratio != 1)


@given(OTHER_RATIOS, st.integers(1, 3000), st.sampled_from([0.0, 1000.0]), st.integers(0, 9))
@settings(deadline=None, max_examples=60)
def test_any_ratio_and_length_agree_with_scipy(ratio, samples, offset, seed):
    plan = Polyphase(ratio.numerator, ratio.denominator)
    signal = noise(samples, offset, seed)
    assert_as_scipy(plan, signal)
    assert_as_scipy(plan, signal, Polyphase.stretch_ref)


@pytest.mark.parametrize("samples", [1, 2, 3])
def test_very_short_signals(samples, kernel):
    for ratio in RATIOS:
        assert_as_scipy(polyphase(Fraction(ratio)), noise(samples, 5.0))


def test_a_ratio_of_very_many_taps_is_left_to_the_readable_way():
    assert_as_scipy(Polyphase(1, 1000), noise(30_000))


def test_a_constant_stays_what_it_is(kernel):
    np.testing.assert_array_equal(
        whole(polyphase(Fraction(16, 3)), np.full(5000, 12345.678, np.float32)), np.float32(12345.678)
    )


def test_blocks_by_the_readable_way_are_the_whole(monkeypatch):
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    plan, signal = polyphase(Fraction(24, 25)), noise(12_345, 3.0)
    blocks = list(plan.blocks(np.split(signal, [0, 1, 2, 5000, 5000, 9000]), mean_of([signal])))
    np.testing.assert_array_equal(np.concatenate(blocks), whole(plan, signal))


@pytest.mark.exhaustive
@pytest.mark.parametrize("ratio", RATIOS)
def test_the_readable_way_adds_as_upfirdn_does(ratio):
    plan, signal = Polyphase(*Fraction(ratio).as_integer_ratio()), noise(20_011)
    filtered = upfirdn(np.concatenate([plan.taps[:0:-1], plan.taps]), signal.astype(np.float64), plan.up)
    expected = filtered[10 * max(plan.up, plan.down) :: plan.down][: plan.outputs(len(signal))].astype(np.float32)
    np.testing.assert_array_equal(plan.stretch_ref(signal, 0, 0.0, start=0, count=plan.outputs(len(signal))), expected)


def test_blocks_come_as_soon_as_they_are_known():
    """Of 12.8 kHz an output needs ten samples after its own, and outputs come in whole units."""
    plan, signal = polyphase(Fraction(5)), noise(40_000)
    given_samples = 0

    def counted():
        nonlocal given_samples
        for block in np.split(signal, 40):
            given_samples += len(block)
            yield block

    made = 0
    for block in plan.blocks(counted(), 0.0):
        made += len(block)
        assert made <= 5 * given_samples
        assert made > 5 * (given_samples - 11) - plan.unit
    assert made == 200_000


@pytest.mark.parametrize("ratio", ["5", "24/25", "3/50", "1000/1001"])
def test_parts_join_to_the_whole(ratio, kernel, monkeypatch):
    monkeypatch.setattr(polyphase_module, "BLOCK", 5000)
    monkeypatch.setattr(polyphase_module, "_AT_ONCE", 5000)
    plan, signal = polyphase(Fraction(ratio)), noise(123_456, 3.0)
    parts = list(plan.parts(signal, mean_of([signal])))
    assert len(parts) > 1
    assert max(map(len, parts)) <= 5000
    np.testing.assert_array_equal(np.concatenate(parts), whole(plan, signal))


@pytest.mark.skipif(compiled.variant() is None, reason="there is no compiled library")
def test_a_minute_is_one_part():
    signal = noise(60 * 12_800)
    assert [len(part) for part in polyphase(Fraction(5)).parts(signal, 0.0)] == [60 * 64_000]


@pytest.mark.parametrize("ratio", ["5", "24/25", "3/50"])
def test_differences_beyond_a_float_s_range_are_no_obstacle(ratio, kernel):
    signal = np.full(20_011, 2e38, np.float32)
    signal[::40] = -2e38
    assert_as_scipy(polyphase(Fraction(ratio)), signal)


def test_outputs_beyond_a_float_s_range_are_an_error(kernel):
    signal = np.sign(noise(20_011)) * np.float32(3.3e38)
    plan = polyphase(Fraction(5))
    with pytest.raises(OverflowError):
        whole(plan, signal)
    with pytest.raises(OverflowError):
        list(plan.parts(signal, 0.0))


@pytest.mark.parametrize("ratio", ["5", "24/25", "1/50", "8000/12207", "70000/1"])
def test_the_filter_is_firwin_s(ratio):
    up, down = Fraction(ratio).as_integer_ratio()
    longer = max(up, down)
    expected = up * firwin(20 * longer + 1, 1 / longer, window=("kaiser", 5.0))
    plan = Polyphase(up, down, fast=False)
    np.testing.assert_allclose(plan.taps, expected[10 * longer :], rtol=0, atol=1e-15 * expected.max())
    even = Polyphase(up, down, fast=False, holds=True).taps
    sums = np.bincount(np.arange(-10 * longer, 10 * longer + 1) % up, np.concatenate([even[:0:-1], even]))
    np.testing.assert_allclose(sums, 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(even, plan.taps, rtol=0, atol=1e-3 * expected.max())


def test_an_odd_ratio_takes_little_memory():
    """All its weights at once, in float64 and with their places, would take 40 MB."""
    tracemalloc.start()
    plan = Polyphase(64_000, 51_199)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 35e6
    assert_as_scipy(plan, noise(5000))


def test_few_odd_ratios_are_kept_and_no_samples_make_none():
    simple, *odd = (polyphase(Fraction(1, down)) for down in (3, 17_000, 17_001, 17_002))
    assert polyphase(Fraction(1, 3)) is simple
    assert polyphase(Fraction(1, 17_002)) is odd[-1]
    assert polyphase(Fraction(1, 17_000)) is not odd[0]
    assert list(polyphase(Fraction(5)).blocks([], 0.0)) == []


@pytest.mark.parametrize("ratio", RATIOS)
def test_one_that_holds_goes_on_with_the_first_and_last_sample(ratio, kernel):
    """As if they had been recorded for long before and after."""
    plan, signal = polyphase(Fraction(ratio), holds=True), noise(4000, 3.0)
    unit = math.lcm(plan.unit, plan.up)  # of outputs, after which sums are taken in the same order again
    before = -(-20 * max(plan.up, plan.down) // (unit * plan.down)) * unit  # more than the filter reaches
    ahead = before * plan.down // plan.up
    longer = np.concatenate([np.full(ahead, signal[0]), signal, np.full(ahead, signal[-1])])
    out, expected = plan.whole(signal), plan.whole(longer)[before : before + plan.outputs(len(signal))]
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("ratio", ["5", "16/3", "24/25", "8/25", "3/50"])
def test_one_that_holds_leaves_no_tone_of_a_step(ratio, kernel):
    plan, signal = polyphase(Fraction(ratio), holds=True), np.zeros(20_000, np.float32)
    signal[10_000:] = 1000.0
    settled = plan.whole(signal)[plan.outputs(12_000) :]
    assert np.abs(settled - 1000.0).max() < 2e-3
    plain = polyphase(Fraction(ratio))
    if plan.up > plan.down:
        assert np.abs(plain.whole(signal, 0.0)[plain.outputs(12_000) : -100] - 1000.0).max() > 0.2


CUTS = st.lists(st.integers(0, 12_345), max_size=8)


@given(st.sampled_from(["5", "4/3", "24/25", "25", "1000/1001", "3/50"]), st.booleans(), CUTS)
@settings(deadline=None, max_examples=120)
def test_where_a_signal_is_cut_does_not_matter(ratio, holds, cuts):
    plan, signal = polyphase(Fraction(ratio), holds=holds), noise(12_345, 3.0)
    mean, rounding = mean_of([signal]), 0 if compiled.variant() else 1e-6
    for found in (plan.blocks(np.split(signal, sorted(cuts)), mean), plan.parts(signal, mean)):
        np.testing.assert_allclose(np.concatenate(list(found)), plan.whole(signal, mean), rtol=0, atol=rounding)


def test_a_view_with_gaps_is_taken_as_it_is():
    signal = noise(8000)
    plan = polyphase(Fraction(5, 2))
    np.testing.assert_array_equal(whole(plan, signal[::2]), whole(plan, signal[::2].copy()))
