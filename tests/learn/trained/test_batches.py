import numpy as np
import torch

from dualres.learn.trained.batches import PlainSupport
from tests.learn.trained.test_train import support


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
