import random

import pytest
import torch

from dualres.machinery.seeding import Randomness, seeded


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


def test_it_draws_what_generators_draw_that_are_seeded_where_they_are():
    with seeded(41):
        found = [(drawn(), torch.randn(5).tolist()) for _ in range(3)]
    random.seed(41)
    torch.manual_seed(41)
    assert found == [(drawn(), torch.randn(5).tolist()) for _ in range(3)]


def test_it_goes_on_where_it_was_left_whatever_others_drew():
    with seeded(41):
        expected = [drawn() for _ in range(4)]
    own, other, found = Randomness(41), Randomness(42), []
    for _ in range(4):
        with own:
            found.append(drawn())
        with other:
            drawn()
        drawn()
    assert found == expected


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_on_a_gpu_it_draws_what_a_seeded_generator_draws_and_goes_on_where_it_was_left():
    torch.cuda.manual_seed(41)
    expected = [torch.rand(5, device="cuda").tolist() for _ in range(4)]
    own, found = Randomness(41), []
    torch.cuda.manual_seed(7)
    for _ in range(4):
        with own:
            found.append(torch.rand(5, device="cuda").tolist())
        torch.rand(5, device="cuda")
    assert found == expected
