import numpy as np
import pytest
import torch

from dualres.config import ModelConfig
from dualres.model.spectra import aligned_spectra, magnitudes, normalise

PAPER = ModelConfig()


def test_magnitudes_follow_the_definition():
    """The sum over m of x[jH + m] w[m] exp(-2 pi i k m / N), term by term."""
    signal = torch.randn(1, 50, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    length, hop = 16, 6
    got = magnitudes(signal, length, hop)[0].log1p().numpy()
    m = np.arange(length)
    window = 0.5 * (1 - np.cos(2 * np.pi * m / length))
    assert got.shape == ((50 - length) // hop + 1, length // 2 + 1)
    for j in range(got.shape[0]):
        frame = signal[0, j * hop : j * hop + length].numpy() * window
        for k in range(got.shape[1]):
            value = np.sum(frame * np.exp(-2j * np.pi * k * m / length))
            assert got[j, k] == pytest.approx(np.log1p(abs(value)), abs=1e-12)


def test_the_short_view_is_the_full_one_less_three_frames_at_each_end():
    windows = torch.randn(2, PAPER.window, generator=torch.Generator().manual_seed(0))
    short, long = aligned_spectra(windows, PAPER)
    full = magnitudes(normalise(windows), PAPER.short, PAPER.hop).log1p()
    assert full.shape[1] == 255
    assert long.shape[1] == 249
    torch.testing.assert_close(short, full[:, 3:-3])


@pytest.mark.parametrize("token", [0, 1, 100, 248])
def test_an_impulse_peaks_in_the_same_token_of_both_views(token):
    window = torch.zeros(1, PAPER.window)
    window[0, token * PAPER.hop + PAPER.long // 2] = 1.0
    for view in aligned_spectra(window, PAPER):
        assert view[0].sum(-1).argmax() == token


@pytest.mark.parametrize("config", [PAPER, ModelConfig(window=5000), ModelConfig(short=64, long=64, hop=10)])
def test_both_views_have_the_same_tokens(config):
    short, long = aligned_spectra(torch.randn(3, config.window), config)
    assert short.shape == (3, config.tokens, config.short_bins)
    assert long.shape == (3, config.tokens, config.long_bins)


def test_normalised_windows_have_no_mean_and_unit_rms():
    windows = normalise(5 + 3 * torch.randn(4, 1000, dtype=torch.float64))
    torch.testing.assert_close(windows.mean(-1), torch.zeros(4, dtype=torch.float64))
    torch.testing.assert_close(windows.square().mean(-1), torch.ones(4, dtype=torch.float64))


@pytest.mark.parametrize("level", [0.0, 0.1, -1e6, 1e-30])
def test_a_constant_window_is_silent_to_the_last_bit(level):
    assert not normalise(torch.full((1, PAPER.window), level)).any()


def test_below_the_smallest_rms_a_window_stays_small():
    tiny = torch.tensor([[1e-12, -1e-12]], dtype=torch.float64)
    torch.testing.assert_close(normalise(tiny), tiny / 1e-10)


def test_gradients_work_after_inference():
    with torch.inference_mode():
        magnitudes(torch.randn(1, 96), 48, 8)
    signal = torch.randn(1, 96, requires_grad=True)
    magnitudes(signal, 48, 8).sum().backward()
    assert signal.grad.any()


def test_a_silent_window_has_a_gradient():
    window = torch.zeros(1, PAPER.window, requires_grad=True)
    short, long = aligned_spectra(window, PAPER)
    (short.sum() + long.sum()).backward()
    assert torch.isfinite(window.grad).all()
