import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.explain.overview import POINTS, STEP, curves_of_classes, envelope_orders, glance_at, spectrum_at
from dualres.recordings.recording import Recording
from tests.explain.made_knocks import ORDER, RATE, knocking


def tone(hz: float, rate: int = RATE, speed: str | None = None) -> Recording:
    t = np.arange(4 * rate) / rate
    noise = np.random.default_rng(0).standard_normal(len(t))
    return Recording.from_array((np.sin(2 * np.pi * hz * t) + 0.01 * noise).astype(np.float32), rate, speed=speed)


def test_a_tone_stands_where_it_is_and_says_its_power() -> None:
    found = glance_at(tone(2000))
    assert found.spectrum.shape == (POINTS,)
    width = RATE / 2 / POINTS
    at = int(found.spectrum.argmax())
    assert at == pytest.approx(2000 / width - 0.5, abs=1)
    power = (10 ** (found.spectrum[at - 1 : at + 2].astype(float) / 10)).sum() * width
    assert power == pytest.approx(0.25, rel=0.1)  # one side of it, as of every spectrum of the page
    assert found.envelope is None
    assert not found.by_order


def test_knocks_stand_out_at_their_order_where_the_speed_is_known() -> None:
    found = glance_at(Recording.from_array(knocking(25.0, 0), RATE, speed="25Hz"))
    assert found.envelope is not None
    assert envelope_orders()[round(ORDER / STEP)] == pytest.approx(ORDER, abs=STEP)
    around = found.envelope[round(ORDER / STEP) - 1 : round(ORDER / STEP) + 2].max()
    assert around > 5 > np.median(found.envelope)
    assert found.by_order.keys() == found.by_hz.keys()
    quiet = glance_at(Recording.from_array(knocking(25.0, 0, knocks=False), RATE, speed="25Hz"))
    assert quiet.envelope[round(ORDER / STEP)] < 4


def test_too_short_is_said() -> None:
    with pytest.raises(RecordingError, match="window"):
        glance_at(Recording.from_array(np.ones(100, np.float32), RATE))


def test_classes_of_different_rates_are_drawn_as_far_as_they_reach() -> None:
    few, many = glance_at(tone(1000, 8000)), glance_at(tone(1000, 16_000))
    hz = np.linspace(10, 8000, 100)
    (only,) = curves_of_classes([few, many], ["a", None], hz)
    assert np.isnan(only.spectrum[hz > 4000]).all()
    assert np.isfinite(only.spectrum[hz <= 4000]).all()
    (both,) = curves_of_classes([few, many], ["a", "a"], hz)
    assert both.count == 2
    assert np.isfinite(both.spectrum).all()
    assert both.spectrum[-1] == pytest.approx(spectrum_at(many, hz)[-1])
    assert curves_of_classes([few], [None], hz) == []
