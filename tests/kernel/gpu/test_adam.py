"""Adam in one kernel is PyTorch's, on the sum of the windows' gradients, for every network of a bundle."""

import pytest
import torch

from dualres.config import Recipe

pytest.importorskip("triton", reason="there is no Triton")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


@pytest.mark.parametrize(("fits", "windows", "size"), [(1, 1, 16), (2, 5, 300), (3, 40, 128)])
def test_weights_and_losses(fits, windows, size):
    from dualres.learn.trained.gpu.fit import Adam

    recipe = Recipe(5, 1e-2, 0.9)
    generator = torch.Generator("cuda").manual_seed(0)
    weights = torch.randn(fits, size, device="cuda", generator=generator)
    expected = weights.clone().double().requires_grad_()
    theirs, ours = torch.optim.Adam([expected]), Adam(fits, size, recipe, torch.device("cuda"))
    count, losses = torch.zeros(1, dtype=torch.int32, device="cuda"), []
    for update in range(recipe.updates):
        gradients = torch.randn(fits * windows, size, device="cuda", generator=generator)
        losses.append(torch.rand(fits * windows, device="cuda", generator=generator))
        count.fill_(update)
        ours.step(weights, gradients, losses[-1], count)
        theirs.param_groups[0]["lr"] = recipe.rate_at(update + 1)
        expected.grad = gradients.double().unflatten(0, (fits, windows)).sum(1)
        theirs.step()
    torch.testing.assert_close(weights.double(), expected.detach(), rtol=1e-5, atol=1e-6)
    summed = torch.stack(losses, dim=1).unflatten(0, (fits, windows)).sum(1)
    torch.testing.assert_close(ours.history, summed)
