"""Each fit's random numbers follow from its own seed, whatever it is drawn beside."""

import torch

from dualres.gpu.draws import SLAB, Draws


def slabs(seeds, count=2):
    draws = Draws(seeds, 3, 4, torch.device("cpu"))
    seen = []
    for _ in range(count):
        draws.renew()
        seen.append((draws.noise.clone(), draws.keep.clone()))
    return seen


def test_a_fit_draws_the_same_alone_and_beside_others():
    for (noise, keep), (noise_alone, keep_alone) in zip(slabs([1, 2, 3]), slabs([2]), strict=True):
        assert torch.equal(noise[1], noise_alone[0])
        assert torch.equal(keep[1], keep_alone[0])


def test_seeds_slabs_and_updates_differ():
    (first, _), (second, _) = slabs([1, 2])
    assert not torch.equal(first[0], first[1])
    assert not torch.equal(first[0], second[0])
    assert len(first[0].flatten(1).unique(dim=0)) == SLAB


def test_noise_is_normal_and_keep_uniform():
    ((noise, keep),) = slabs(range(50), 1)
    assert abs(noise.mean()) < 0.05
    assert abs(noise.std() - 1) < 0.05
    assert 0 <= keep.min() < 0.01 < 0.99 < keep.max() <= 1
