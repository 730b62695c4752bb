"""A fit with recorded steps is the fit without them."""

import gc

import pytest
import torch
from torch import nn

from dualres.config import Recipe
from dualres.kernel.gpu.cuda_graphs import PLAIN_CALLS, CapturedForward
from dualres.learn.trained.train import PlainSupport, seeded, train

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


def fitted(graphs: bool, updates: int = 5, windows: int = 10):
    """A network with batch statistics, dropout and an unused part, on ten windows in microbatches of 4, 4 and 2."""
    with seeded(41):
        model = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.Dropout(0.5), nn.Linear(32, 3)).cuda()
        model.idle = nn.Linear(3, 3).cuda()
        inputs = torch.randn(windows, 16, device="cuda")
        labels = torch.arange(windows, device="cuda") % 3

        def forward(x):
            for layer in list(model)[:4]:
                x = layer(x)
            return x

        support = PlainSupport([inputs], labels, seed=41, microbatch=4)
        history = train(model, forward, support, Recipe(updates), graphs=graphs)
        drawn = torch.rand(1, device="cuda").item()
    return model, history, drawn


def test_losses_weights_statistics_and_random_numbers_are_those_of_the_plain_loop():
    (plain, history, drawn), (recorded, again, drawn_again) = fitted(False), fitted(True)
    assert [s.loss for s in again] == pytest.approx([s.loss for s in history], rel=1e-5)
    for a, b in zip(plain.state_dict().values(), recorded.state_dict().values(), strict=True):
        torch.testing.assert_close(a, b)
    assert drawn == drawn_again


def test_a_part_without_gradient_stays_without():
    model, _, _ = fitted(True, updates=2)
    assert model.idle.weight.grad is None


@torch.no_grad()
def test_what_is_let_go_of_takes_nothing_with_it_that_others_work_in():
    """Sums this long are shared out: their parts lie in a workspace of cuBLAS."""
    inputs = torch.randn(4, 32_768, device="cuda")

    def judged(network):
        forward = CapturedForward(network)
        return forward, [forward(inputs) for _ in range(PLAIN_CALLS + 2)][-1]

    kept, wanted = judged(nn.Linear(32_768, 8).cuda())
    judged(nn.Linear(32_768, 8).cuda())
    gc.collect()
    torch.cuda.empty_cache()
    taken = [torch.full((1 << 24,), torch.nan, device="cuda") for _ in range(4)]  # what was freed is another's now
    assert torch.equal(kept(inputs), wanted)
    assert all(part.isnan().all() for part in taken)
