import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.explain.check import CheckedMachine
from dualres.explain.trend.levels import RecordingLevels, band_edges, levels_of
from dualres.faultlines.severity import velocity_rms
from dualres.recordings.recording import Recording
from tests.explain.made_knocks import ORDERS, RATE, knocking


def test_bands_hold_the_power_of_a_tone_and_of_noise():
    t = np.arange(4 * RATE) / RATE
    tone = levels_of(Recording.from_array(5 + 2 * np.sin(2 * np.pi * 1000 * t), RATE))
    assert tone.rms == pytest.approx(2**0.5, rel=1e-3)
    assert tone.kurtosis == pytest.approx(1.5, rel=1e-3)
    assert tone.crest == pytest.approx(2**0.5, rel=1e-3)
    band = int(np.searchsorted(band_edges(RATE), 1000)) - 1
    assert tone.bands[band] == pytest.approx(2**0.5, rel=0.01)
    assert sum(level**2 for level in tone.bands) == pytest.approx(2, rel=0.01)
    noise = levels_of(Recording.from_array(np.random.default_rng(0).standard_normal(20 * RATE), RATE))
    assert sum(level**2 for level in noise.bands) == pytest.approx(2 * (0.47 - 10 / RATE), rel=0.03)
    assert noise.kurtosis == pytest.approx(3, abs=0.05)


def test_blows_from_elsewhere_are_not_impulsive_and_a_damage_is():
    quiet = knocking(25.0, 0, knocks=False)
    blown = quiet.copy()
    blown[[10_000, 40_000]] += 60
    plain, odd, struck = (levels_of(Recording.from_array(one, RATE)) for one in (quiet, blown, knocking(25.0, 0)))
    assert odd.kurtosis > 3 * plain.kurtosis
    assert odd.impulsiveness == pytest.approx(plain.impulsiveness, rel=0.02)
    assert odd.bands == pytest.approx(plain.bands, rel=0.1)
    assert struck.impulsiveness > 1.1 * plain.impulsiveness
    assert struck.bands[-1] > 1.1 * plain.bands[-1]


def test_a_long_recording_is_read_in_blocks_alike():
    noise = np.random.default_rng(0).standard_normal(65 * RATE).astype(np.float32)
    found = levels_of(Recording.from_array(noise, RATE))
    assert found.rms == pytest.approx(noise.std(), rel=1e-4)
    assert found.crest == pytest.approx(np.abs(noise - noise.mean()).max() / noise.std(), rel=1e-4)


def test_axes_are_pooled():
    quiet, loud = (size * np.random.default_rng(0).standard_normal(RATE) for size in (1, 3))
    both = levels_of(Recording.from_axes({"x": quiet, "y": loud}, RATE))
    assert both.rms == pytest.approx(5**0.5, rel=0.05)


def test_lines_are_those_of_a_check():
    machine = CheckedMachine(orders=ORDERS, unit="g", zones=(1.0, 2.0, 3.0))
    struck, hums = (
        levels_of(Recording.from_array(knocking(25.0, 0, knocks=knocks), RATE, speed="25Hz"), machine)
        for knocks in (True, False)
    )
    assert (struck.answer, struck.zone, struck.speed_rpm) == ("outer race", "D", 1500)
    assert struck.striking == struck.lines["outer race"] > hums.striking
    assert struck.velocity_mm_s > 0


def test_without_a_machine_and_a_speed_no_lines_are_looked_for():
    found = levels_of(Recording.from_array(knocking(25.0, 0), RATE))
    assert (found.lines, found.answer, found.striking, found.speed_rpm) == ({}, None, None, None)


def test_a_unit_alone_gives_the_velocity():
    recording = Recording.from_array(knocking(25.0, 0), RATE)
    found = levels_of(recording, CheckedMachine(unit="g", zones=(1.0, 2.0, 3.0)))
    assert found.velocity_mm_s == velocity_rms(recording.signal, RATE, "g")
    assert (found.zone, found.answer, found.lines) == ("D", None, {})


def test_what_is_written_is_read_as_it_was():
    for found in (
        levels_of(Recording.from_array(knocking(25.0, 0), RATE, speed="25Hz"), CheckedMachine(orders=ORDERS)),
        levels_of(Recording.from_array(np.random.default_rng(0).standard_normal(200), RATE)),
    ):
        assert RecordingLevels.parsed(found.as_data()) == found


def test_a_short_recording_has_no_low_bands():
    found = levels_of(Recording.from_array(np.random.default_rng(0).standard_normal(200), RATE))
    assert found.bands[0] is None
    assert found.bands[-1] > 0


def test_a_signal_that_never_changes_is_an_error():
    with pytest.raises(RecordingError, match=r"pump: every sample is 3; is the sensor connected\?"):
        levels_of(Recording.from_array(np.full(5000, 3.0), RATE, id="pump"))
