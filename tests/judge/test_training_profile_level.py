import numpy as np
import pytest

from dualres.judge.training_profile import LevelMeter, bandwidth, crest, level

RATE = 8000


@pytest.fixture(scope="module")
def windows():
    t = np.arange(12 * RATE).reshape(12, RATE) / RATE
    return (1000 + 3 * np.sin(2 * np.pi * 500 * t)).astype(np.float32)


def test_a_tone_on_an_offset_and_silence_have_looks(windows):
    assert level(windows) == pytest.approx(3 / np.sqrt(2), rel=1e-5)
    assert crest(windows) == pytest.approx(np.sqrt(2), rel=1e-4)
    assert bandwidth(windows[0], RATE) == pytest.approx(500, abs=3)
    silence = np.zeros((2, RATE), np.float32)
    assert (level(silence), crest(silence)) == (0.0, 0.0)
    assert bandwidth(silence[0], RATE) >= 0
    assert np.isfinite(level(np.float32(3e34) * windows[:2])), "float32 would overflow"


def test_the_level_of_what_passes_by(windows):
    heard = LevelMeter()
    assert heard.level is None
    for some in (windows[:8], 3 * windows[8:]):
        heard(some)
    assert heard.level == pytest.approx(np.sqrt((1 + 1 + 9) / 3) * level(windows), rel=1e-5)
