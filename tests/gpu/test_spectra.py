"""The views made by kernels are those of `aligned_spectra`, also of overlapping windows, silence and an offset."""

import pytest
import torch

from dualres.config import ModelConfig
from dualres.gpu.layout import Layout
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


@pytest.mark.parametrize("size", ["paper", "small"])
@pytest.mark.parametrize("kind", SIGNALS)
def test_both_views_and_their_padding(kind, size, small):
    from dualres.gpu.spectra import Spectra

    config, device = ModelConfig() if size == "paper" else small, torch.device("cuda")
    layout = Layout(config, 3)
    noise = torch.randn(3 * config.window, generator=torch.Generator().manual_seed(0))
    signal = SIGNALS[kind](noise).to(device)
    starts = torch.tensor([0, config.window // 2, config.window + 3], device=device)
    views = [torch.full((3, config.tokens, layout.shapes[n][1]), -1.0, device=device) for n in ("short", "long")]
    Spectra(layout, 4, device).fill(*views, signal, starts)
    windows = torch.stack([signal[s : s + config.window] for s in starts.tolist()])
    for view, expected in zip(views, aligned_spectra(windows, config), strict=True):
        bins = expected.shape[-1]
        torch.testing.assert_close(view[..., :bins], expected, rtol=1e-5, atol=1e-4)
        assert (view[..., bins] == 1).all()
        assert not view[..., bins + 1 :].any()
