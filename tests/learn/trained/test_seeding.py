import random

import pytest
import torch

from dualres.learn.trained.seeding import seeded


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
