import numpy as np
import pytest
import torch

from dualres.config import ModelConfig
from dualres.model.scan import Coefficients, scan_ref
from tools.figures.mechanism import CHANNEL, OSCILLATOR, SHOWN, STEP, mechanism, real_scans, run


@pytest.fixture(scope="module")
def found():
    return run(ModelConfig())


@pytest.fixture(scope="module")
def panels():
    return mechanism().figure.axes


def test_real_scans_are_the_recurrence_whatever_the_coefficients():
    generator = torch.Generator().manual_seed(0)

    def drawn(*shape, dtype=torch.float64):
        return torch.randn(1, 20, *shape, dtype=dtype, generator=generator)

    theta = torch.rand(3, dtype=torch.float64, generator=generator) * 3
    coefficients = Coefficients(
        drawn(5).exp(), drawn(5), drawn(3, dtype=torch.complex128), drawn(3, dtype=torch.complex128)
    )
    y, q = scan_ref(coefficients, theta)
    states, read = real_scans(coefficients, theta.numpy())
    assert read == pytest.approx(y[0].numpy(), abs=1e-12)
    turned = (torch.exp(20j * theta) * q[0]).numpy()
    assert states[-1, ..., 0] + 1j * states[-1, ..., 1] == pytest.approx(turned, abs=1e-12)


def test_the_two_ways_agree_on_the_window_and_so_does_the_networks_own(found):
    assert found.apart < 1e-12
    assert abs(found.read_fast - found.read).max() < 1e-5
    assert abs(found.read).max() > 1e-2
    assert abs(found.states).max() > 0.1


def test_the_spiral_is_the_state_from_zero(found, panels):
    drawn = next(line for line in panels[1].get_lines() if len(line.get_xdata()) == SHOWN + 1)
    q = found.states[:SHOWN, CHANNEL, OSCILLATOR]
    assert drawn.get_xdata() == pytest.approx([0, *q.real])
    assert drawn.get_ydata() == pytest.approx([0, *q.imag])


def test_the_step_ends_where_the_recurrence_does(found, panels):
    before, after = (found.states[place, CHANNEL, OSCILLATOR] for place in (STEP - 2, STEP - 1))
    dots = {line.get_xydata()[0].tobytes() for line in panels[2].get_lines() if line.get_marker() == "o"}
    assert dots == {np.array([q.real, q.imag]).tobytes() for q in (before, after)}
    alpha, theta = found.alpha[STEP - 1, CHANNEL], found.theta[OSCILLATOR]
    written = found.write[STEP - 1, CHANNEL, OSCILLATOR]
    assert alpha * np.exp(-1j * theta) * before + written == pytest.approx(after, abs=1e-12)


def test_lines_are_the_real_scans_and_dots_the_recurrence(found, panels):
    real, real_dots, imaginary, imaginary_dots = panels[4].get_lines()[1:]
    assert real.get_ydata() == pytest.approx(found.rotating[:SHOWN, CHANNEL, OSCILLATOR, 0])
    assert imaginary.get_ydata() == pytest.approx(found.rotating[:SHOWN, CHANNEL, OSCILLATOR, 1])
    assert real_dots.get_ydata() == pytest.approx(found.turned[:SHOWN, CHANNEL, OSCILLATOR].real)
    assert imaginary_dots.get_ydata() == pytest.approx(found.turned[:SHOWN, CHANNEL, OSCILLATOR].imag)


def test_the_caption_says_what_was_computed_and_how_far_the_ways_agree():
    caption = mechanism().caption
    for fact in ("window of the simulated rig", "seed 41", "float64", "249 tokens, 64 channels and 8 oscillators"):
        assert fact in caption
    assert "differ by less than 1e-1" in caption
