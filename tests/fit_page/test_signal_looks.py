"""Waveforms, spectra, and which recording looks most like another."""

from fractions import Fraction

import numpy as np
import pytest

from dualres.fit_page.signal_looks import BANDS, COLUMNS, LOOK, LOWEST_HZ, look_of, looks_of, nearest
from dualres.recordings.recording import Recording

RATE = 8000


def tone(hz, name="tone", *, rate=RATE, seconds=2.0, level=1.0, seed=0):
    t = np.arange(int(seconds * rate)) / float(rate)
    noise = np.random.default_rng(seed).standard_normal(len(t))
    return Recording.from_array(level * (3 + np.sin(2 * np.pi * hz * t) + 0.05 * noise), rate, name)


@pytest.mark.parametrize("rate", [8000, 10_000, Fraction(200_000, 23)])
@pytest.mark.parametrize("hz", [50, 700, 3000])
def test_a_tone_is_the_strongest_band_at_any_rate(hz, rate):
    look = look_of(tone(hz, rate=rate), 0.5, 4000)
    edges = np.geomspace(LOWEST_HZ, 4000, BANDS + 1)
    strongest = int(look.spectrum.argmax())
    # A line is as wide as the frame is short, and of low tones wider than a band.
    assert edges[strongest] - 4 <= hz <= edges[strongest + 1] + 4
    assert look.spectrum.mean() == pytest.approx(0, abs=1e-9)


def test_numbers_and_the_drawn_stretch_are_the_signal_s():
    look = look_of(tone(200, level=2.0), 0.5, 4000)
    assert look.rms == pytest.approx(2 * np.sqrt(0.5 + 0.05**2), rel=0.01)
    assert look.peak == pytest.approx(2, rel=0.2)
    assert len(look.low) == len(look.high) == COLUMNS
    assert (look.low <= look.high).all()
    assert (look.low.min(), look.high.max()) == pytest.approx((-2, 2), rel=0.2)
    assert look.seconds == 0.5


def test_a_recording_shorter_than_a_stretch_is_drawn_too_and_silence_flat():
    assert np.isfinite(look_of(tone(700, seconds=0.2), 0.5, 4000).spectrum).all()
    look = look_of(Recording.from_array(np.zeros(8000), RATE), 0.5, 4000)
    assert (look.rms, look.peak, np.ptp(look.spectrum)) == (0, 0, 0)


def test_the_nearest_has_the_same_tone_whatever_its_level():
    told = []
    recordings = [tone(700, "quiet", level=1e-3), tone(1400, "other", seed=1), tone(700, "loud", level=40, seed=2)]
    looks = looks_of(recordings, 0.5, lambda *news: told.append(news))
    assert told[-1] == (LOOK, 3, 3, "")
    name, apart = nearest(looks.pop("quiet"), looks)
    assert name == "loud"
    assert apart < 3


def test_of_several_axes_the_first_is_drawn():
    one = tone(700)
    both = Recording.from_axes({"x": one.signal, "y": tone(900).signal}, RATE, "tone")
    np.testing.assert_array_equal(look_of(both, 0.5, 4000).spectrum, look_of(one, 0.5, 4000).spectrum)
