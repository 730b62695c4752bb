import random

import numpy as np
import pytest
import torch

from dualres.config import Recipe
from dualres.learn.trained.train import PlainSupport, seeded, train


class Tiny(torch.nn.Module):
    """A linear model, for which an update can be worked out by hand."""

    def __init__(self):
        super().__init__()
        self.map = torch.nn.Linear(2, 2)

    def forward(self, x):
        return self.map(x)


def support(count=10):
    g = torch.Generator().manual_seed(0)
    return torch.randn(count, 2, generator=g), torch.arange(count) % 2


def test_microbatches_weighted_by_their_share_give_the_gradient_of_the_mean():
    inputs, labels = support()
    torch.manual_seed(0)
    plain = Tiny()
    optimiser = torch.optim.Adam(plain.parameters())
    for update in (1, 2, 3):
        optimiser.param_groups[0]["lr"] = 5e-4 * 0.99 ** (update - 1)
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(plain(inputs), labels).backward()
        optimiser.step()
    for size in (1, 4, 10):
        torch.manual_seed(0)
        model = Tiny()
        train(model, model, PlainSupport([inputs], labels, seed=1, microbatch=size), Recipe(3))
        torch.testing.assert_close(list(model.parameters()), list(plain.parameters()))


def test_it_trains_in_training_mode_and_ends_in_the_other():
    (inputs, labels), model, modes = support(), Tiny().eval(), []
    shown = PlainSupport([inputs], labels, seed=0, microbatch=10)
    train(model, lambda x: modes.append(model.training) or model(x), shown, Recipe(2))
    assert modes == [True, True]
    assert not model.training


def drawn():
    return random.random(), torch.rand(1).item()


def test_the_same_seed_draws_the_same():
    seen = []
    for seed in (41, 41, 42):
        with seeded(seed):
            seen.append(drawn())
    assert seen[0] == seen[1] != seen[2]


def test_the_caller_s_generators_are_left_alone_even_after_an_error():
    random.seed(9)
    torch.manual_seed(9)
    expected = drawn()
    random.seed(9)
    torch.manual_seed(9)
    with pytest.raises(ZeroDivisionError), seeded(1):
        torch.rand(int(random.random()) // 0)
    assert drawn() == expected


def test_the_support_is_permuted_once_by_its_own_generator():
    inputs, labels = support()
    order = np.random.default_rng(1041).permutation(10)
    plain = PlainSupport([inputs, -inputs], labels, seed=41, microbatch=4)
    for _ in range(2):
        batches = plain.batches()
        assert [len(targets) for *_, targets in batches] == [4, 4, 2]
        first, second, targets = (torch.cat(parts) for parts in zip(*batches, strict=True))
        assert torch.equal(first, inputs[order])
        assert torch.equal(second, -inputs[order])
        assert torch.equal(targets, labels[order])
