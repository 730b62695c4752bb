"""The views made by kernels are those of `aligned_spectra`, also of overlapping windows, silence and an offset."""

import pytest
import torch

from dualres.config import ModelConfig
from dualres.kernel.gpu.layout import ParameterLayout
from dualres.model.spectra import aligned_spectra

pytest.importorskip("triton", reason="there is no Triton")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

SIGNALS = {
    "noise": lambda x: x,
    "an offset": lambda x: x + 1000.0,
    "faint": lambda x: 1e-6 * x,
    "silence": lambda x: 0 * x,
    "a constant": lambda x: 0 * x + 0.1,
}


@pytest.mark.parametrize("apart", [True, False], ids=["apart", "overlapping"])
@pytest.mark.parametrize("size", ["paper", "small"])
@pytest.mark.parametrize("kind", SIGNALS)
def test_both_views_and_their_padding(kind, size, apart, small):
    from dualres.kernel.gpu.spectra import Spectra

    config, device = ModelConfig() if size == "paper" else small, torch.device("cuda")
    layout = ParameterLayout(config, 3)
    noise = torch.randn(3 * config.window, generator=torch.Generator().manual_seed(0))
    signal = SIGNALS[kind](noise).to(device)
    places = [0, config.window, 2 * config.window] if apart else [0, config.window // 2, config.window + 3 * config.hop]
    starts = torch.tensor(places, device=device)
    views = [torch.full((3, config.tokens, layout.shapes[n][1]), -1.0, device=device) for n in ("short", "long")]
    Spectra(layout, 3, len(signal), device, apart=apart).fill(*views, signal, starts)
    windows = torch.stack([signal[s : s + config.window] for s in starts.tolist()])
    for view, expected in zip(views, aligned_spectra(windows, config), strict=True):
        bins = expected.shape[-1]
        torch.testing.assert_close(view[..., :bins], expected, rtol=1e-5, atol=1e-4)
        assert (view[..., bins] == 1).all()
        assert not view[..., bins + 1 :].any()


def test_windows_apart_may_have_offsets_of_their_own():
    from dualres.kernel.gpu.spectra import Spectra

    config, device = ModelConfig(), torch.device("cuda")
    layout = ParameterLayout(config, 3)
    noise = torch.randn(2, config.window, generator=torch.Generator().manual_seed(0))
    windows = (noise + torch.tensor([[-1000.0], [1000.0]])).to(device)
    views = [torch.zeros(2, config.tokens, layout.shapes[n][1], device=device) for n in ("short", "long")]
    starts = torch.tensor([0, config.window], device=device)
    Spectra(layout, 2, windows.numel(), device, apart=True).fill(*views, windows.flatten(), starts)
    for view, expected in zip(views, aligned_spectra(windows, config), strict=True):
        torch.testing.assert_close(view[..., : expected.shape[-1]], expected, rtol=1e-5, atol=1e-4)
