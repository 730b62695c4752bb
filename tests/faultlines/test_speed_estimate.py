import numpy as np
import pytest

from dualres.bench.datasets import cwru_12k
from dualres.errors import ConfigError, RecordingError
from dualres.faultlines.speed_estimate import WEIGHTS, estimate_speed
from dualres.faultlines.speed_evidence import GRID, speed_evidence
from dualres.simulated.vibration import pink

RATE = 12_800
T = np.arange(10 * RATE) / RATE
SHAFT = [0.3, 0.1, 0.07, 0.05]  # amplitudes of harmonics, in noise of unit size


def noise(seed):
    return np.random.default_rng(seed).standard_normal(len(T))


def lines(hz, sizes, seed=0):
    """Harmonics of `hz` with these amplitudes, at random phases."""
    phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, len(sizes))
    return sum(a * np.cos(2 * np.pi * k * hz * T + p) for k, (a, p) in enumerate(zip(sizes, phases, strict=True), 1))


@pytest.mark.parametrize("hz", [9.3, 16.67, 29.2, 41.0, 71.3])
def test_a_shaft_with_harmonics_in_noise_is_found_and_sure(hz):
    found = estimate_speed(lines(hz, SHAFT) + noise(1), RATE)
    assert found.hz == pytest.approx(hz, rel=0.005)
    assert found.sure
    assert found.confidence > 0.8
    assert found.spread < 0.01
    assert abs(found.runner_up_hz / found.hz - 1) > 0.02


@pytest.mark.parametrize("hz", [13.7, 24.3, 37.1])
def test_a_speed_that_only_modulates_noise_is_found(hz):
    """It is in no line of the spectrum, only in the envelope's."""
    found = estimate_speed((1 + 0.5 * np.cos(2 * np.pi * hz * T)) * noise(2), RATE)
    assert found.hz == pytest.approx(hz, rel=0.01)


def test_noise_is_hardly_ever_sure():
    found = [estimate_speed(noise(seed), RATE) for seed in range(15)]
    found += [estimate_speed(pink(len(T), np.random.default_rng(seed)), RATE) for seed in range(15)]
    assert sum(one.sure for one in found) <= 1
    assert np.mean([one.confidence for one in found]) < 0.7


@pytest.mark.parametrize("mains", [50.0, 60.0, 49.97, 60.02])
@pytest.mark.parametrize("level", [0.05, 1.0])
def test_hum_of_the_mains_alone_is_not_sure(mains, level):
    assert not estimate_speed(lines(mains, level / np.arange(1, 9)) + noise(3), RATE).sure


def test_hum_does_not_hide_a_shaft():
    found = estimate_speed(lines(23.4, SHAFT) + lines(50, [1, 0.3, 0.5]) + noise(4), RATE)
    assert found.hz == pytest.approx(23.4, rel=0.005)
    assert found.sure


@pytest.mark.parametrize("strongest", [2, 3])
def test_a_shaft_or_one_that_turns_several_times_as_fast(strongest):
    """Lines of a like size at a rate and at a multiple may be two shafts of a gearbox."""
    sizes = np.full(6, 0.6)
    sizes[strongest - 1 :: strongest] = 1.0
    assert not estimate_speed(lines(17.3, sizes) + noise(5), RATE).sure


def test_a_range_decides_between_them():
    sizes = [0.6, 0.6, 1.0, 0.6, 0.6, 0.4]
    found = estimate_speed(lines(17.3, sizes) + noise(5), RATE, low_hz=40)
    assert found.hz == pytest.approx(3 * 17.3, rel=0.005)
    assert found.sure


def test_a_stated_speed_decides_between_them():
    two = lines(17.3, SHAFT) + lines(41.9, SHAFT, seed=1) + noise(6)
    for stated, true in ((18.0, 17.3), (40.0, 41.9)):
        found = estimate_speed(two, RATE, stated_hz=stated, stated_spread=0.05)
        assert found.hz == pytest.approx(true, rel=0.005)
        assert found.sure
    assert not estimate_speed(noise(7), RATE, stated_hz=30.0, stated_spread=0.02).sure


def test_neither_gain_nor_offset_nor_sign_matters():
    signal = lines(29.2, [0.3, 0.15, 0.1]) + noise(8)
    found = estimate_speed(signal, RATE)
    for other in (1e-6 * signal, -1e5 * signal, signal + 40):
        again = estimate_speed(other, RATE)
        assert again.hz == pytest.approx(found.hz, rel=1e-3)
        assert again.sure == found.sure
        assert again.confidence == pytest.approx(found.confidence, abs=1e-3)


def test_time_runs_at_any_rate():
    """The same samples at another rate are another speed."""
    signal = lines(29.2, [0.3, 0.15, 0.1]) + noise(9)
    assert estimate_speed(signal, 2 * RATE).hz == pytest.approx(58.4, rel=0.005)


@pytest.mark.parametrize("rate", [250, 1000, 2000.5, 200_000])
def test_unusual_rates(rate):
    t = np.arange(int(4 * rate)) / rate
    rng = np.random.default_rng(10)
    signal = np.cos(2 * np.pi * 23.4 * t) + 0.4 * np.cos(2 * np.pi * 46.8 * t) + 0.5 * rng.standard_normal(len(t))
    assert estimate_speed(signal, rate).hz == pytest.approx(23.4, rel=0.01)


@pytest.mark.parametrize("signal", [np.zeros(40_000), np.eye(1, 40_000, 20_000)[0], np.arange(40_000.0)])
def test_what_has_no_speed_is_not_sure(signal):
    found = estimate_speed(signal, RATE)
    assert np.isfinite([found.hz, found.confidence, found.spread, found.runner_up_hz]).all()
    assert not found.sure


def test_what_cannot_be_asked():
    with pytest.raises(ConfigError, match="give a range within 5 to 120 Hz"):
        estimate_speed(noise(0), RATE, low_hz=1)
    with pytest.raises(ConfigError, match="give a range"):
        estimate_speed(noise(0), RATE, stated_hz=400.0)
    with pytest.raises(RecordingError, match="too few"):
        estimate_speed(noise(0)[:100], RATE)
    with pytest.raises(RecordingError, match="not finite"):
        estimate_speed(np.full(40_000, np.nan), RATE)


def test_short_recordings_leave_out_slow_shafts():
    assert estimate_speed(noise(0)[: RATE // 2], RATE).hz >= 12


def test_it_says_what_it_found():
    assert str(estimate_speed(lines(29.2, SHAFT) + noise(1), RATE)) == "about 29.2 Hz (1751 rpm), sure"
    assert str(estimate_speed(noise(1), RATE)).startswith("not clear (perhaps ")


def test_evidence_of_a_line_is_where_the_line_is():
    evidence = speed_evidence(lines(31.0, [1.0]) + noise(11), float(RATE))
    assert evidence.features.shape == (len(WEIGHTS), len(GRID))
    assert GRID[evidence.lines[0].argmax()] == pytest.approx(31.0, rel=0.01)


def test_a_real_motor_is_found(data):
    """CWRU at 12 kHz: what is sure is right."""
    found = {entry.id: estimate_speed(entry.read(), 12_000) for entry in cwru_12k.index(data / "cwru_12k").entries}
    rpm = {"0": 1797, "1": 1772, "2": 1750, "3": 1730}
    right = {id: abs(60 * one.hz / rpm[id[-1]] - 1) < 0.02 for id, one in found.items()}
    assert np.mean(list(right.values())) > 0.85
    assert all(right[id] for id, one in found.items() if one.sure)
    assert np.mean([one.sure for one in found.values()]) > 0.5
