import numpy as np
import pytest

from dualres.audit.whitening import RATE, whitened

HERTZ = 12_800


def noise(seed, seconds=3):
    return np.random.default_rng(seed).standard_normal(seconds * HERTZ).astype(np.float32)


def test_lines_and_loudness_are_gone():
    t = np.arange(3 * HERTZ) / HERTZ
    lines = sum(np.cos(2 * np.pi * 50 * k * t) for k in range(1, 20))
    alone = whitened(noise(0), HERTZ)
    among = whitened((10 + np.linspace(0.1, 3, len(t)) * (noise(0) + lines)).astype(np.float32), HERTZ)
    assert alone.std() == pytest.approx(1, abs=1e-3)
    assert len(alone) == 3 * RATE
    assert np.corrcoef(alone[2000:-2000], among[2000:-2000])[0, 1] > 0.8
    other = whitened((noise(1) + lines).astype(np.float32), HERTZ)
    assert abs(np.corrcoef(among[2000:-2000], other[2000:-2000])[0, 1]) < 0.05


def test_silence_has_no_noise():
    assert not whitened(np.full(9000, 3, np.float32), HERTZ).any()
