"""A speed, steady or not, is found from a place where two signals roughly meet, and undone."""

import numpy as np
import pytest

from dualres.audit.course import Meeting, Sound, followed, met

RATE = 12_800


def noise(seed, seconds=4):
    return np.random.default_rng(seed).standard_normal(int(seconds * RATE)).astype(np.float32)


def sound(signal):
    return Sound.around(signal, RATE, 2.0, 4.0)


def played(signal, at_s):
    """What was at those times, in s."""
    fine = np.fft.irfft(np.fft.rfft(signal), 8 * len(signal)) * 8
    return np.interp(at_s * RATE * 8, np.arange(len(fine)), fine).astype(np.float32)


def wobbling(t, hertz, share=0.003):
    return t + share / (2 * np.pi * hertz) * np.sin(2 * np.pi * hertz * t)


@pytest.mark.parametrize("stretch", [-0.03, -0.013, 0.0017, 0.01, 0.03])
def test_a_steady_speed(stretch):
    t = np.arange(int(3 * RATE * (1 + stretch))) / RATE
    judged = played(noise(0), t / (1 + stretch) + 0.5)
    near = Meeting(0.5 + 1.5 / (1 + stretch) + 0.003, 1.5, stretch + 0.001)
    *_, closest = met(sound(noise(0)), sound(judged), near)
    assert closest.stretch == pytest.approx(stretch, abs=1e-4)
    assert closest.lag_s == pytest.approx(0.5, abs=2e-4)


@pytest.mark.parametrize("hertz", [0.2, 0.7])
def test_a_speed_that_wobbles_is_followed_and_undone(hertz):
    t = np.arange(4 * RATE) / RATE
    judged = played(noise(0), wobbling(t, hertz))
    first, *_ = met(sound(noise(0)), sound(judged), Meeting(float(wobbling(np.array(2.0), hertz)), 2.0))
    course = followed(sound(noise(0)), sound(judged), first)
    assert np.ptp(course.learned_s) > 3.5
    missed = wobbling(course.judged_s, hertz) - course.learned_s
    assert np.quantile(np.abs(missed), 0.9) < 3e-5  # s, an eighth of a period at 4 kHz
    assert course.stretches[0] < -0.001
    assert course.stretches[1] > 0.001
    undone = course.undone(judged, RATE)
    own = played(noise(0), course.learned_s[0] + np.arange(len(undone)) / 8000)
    size = len(own)
    x, y = (np.fft.rfft(one)[: int(3000 * size / 8000)] for one in (own, undone))
    assert abs(np.vdot(x, y)) / (np.linalg.norm(x) * np.linalg.norm(y)) > 0.8


def test_unrelated_noise_neither_meets_nor_is_followed():
    assert met(sound(noise(0)), sound(noise(1)), Meeting(2.0, 2.0)) == []
    assert followed(sound(noise(0)), sound(noise(1)), Meeting(2.0, 2.0)) is None


def test_signals_that_part_soon_are_not_followed():
    judged = noise(1)
    judged[int(1.8 * RATE) : int(2.4 * RATE)] = noise(0)[int(1.8 * RATE) : int(2.4 * RATE)]
    assert met(sound(noise(0)), sound(judged), Meeting(2.1, 2.1))
    assert followed(sound(noise(0)), sound(judged), Meeting(2.1, 2.1)) is None
