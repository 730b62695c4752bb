"""The kernels for a single window give the network's own logits, for every control and other sizes too."""

from dataclasses import replace

import pytest
import torch

from dualres.config import ModelConfig
from dualres.kernel.gpu.layout import ParameterLayout
from dualres.model.network import DualRes

pytest.importorskip("triton", reason="there is no Triton")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

SMALL = {"rate": 2000, "window": 256, "hop": 8, "short": 16, "long": 64, "frequency_hz": (5.0, 100.0)}
CHANGES = [{}, {"branches": "short"}, {"branches": "long"}, {"rotation": False}, {**SMALL, "width": 32, "states": 4}]


@torch.no_grad()
@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_logits(changes):
    from dualres.kernel.gpu.graphs import Inference

    config = replace(ModelConfig(), **changes)
    network = DualRes(5, config, seed=4).cuda().eval()
    layout = ParameterLayout(config, 5)
    inference = Inference(layout, layout.pack(network)[None])
    for seed in range(2):
        samples = torch.randn(config.window, generator=torch.Generator().manual_seed(seed)).cuda()
        logits = torch.empty(5, device="cuda")
        inference.run(samples, logits)
        torch.testing.assert_close(logits, network(samples[None])[0], rtol=1e-4, atol=2e-5)
