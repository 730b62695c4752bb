import numpy as np
import pytest

from dualres.config import ModelConfig
from tools.figures.memory import memory_picture, poles, response


def test_poles_have_the_half_lives_and_frequencies_of_the_configuration():
    config = ModelConfig()
    found = poles(config)
    tokens = np.log(0.5) / np.log(abs(found[:, 0]))
    assert (tokens[0] / config.token_rate, tokens[-1] / config.token_rate) == pytest.approx(
        config.half_life_s, rel=1e-5
    )
    hertz = -np.angle(found[0]) * config.token_rate / (2 * np.pi)
    assert (hertz[0], hertz[-1]) == pytest.approx(config.frequency_hz, rel=1e-5)


def test_a_response_is_the_recurrence_after_one_write():
    pole, state, seen = 0.9 * np.exp(-0.5j), 0j, []
    for t in range(5):
        state = pole * state + (1 - 0.9) * (t == 0)
        seen.append(state.real)
    assert list(response(pole, 5)) == pytest.approx(seen)


def test_the_plane_shows_a_pole_for_every_channel_and_oscillator():
    plane, _ = memory_picture().figure.axes
    shown = [line for line in plane.get_lines() if line.get_marker() == "x"]
    assert sum(len(line.get_xdata()) for line in shown) == 64 * 8
