"""Each fit's random numbers follow from its own seed, whatever it is drawn beside."""

import numpy as np
import torch

from dualres.kernel.gpu.draws import SLAB, NoiseSource, WindowAugmentation


def slabs(seeds, count=2):
    own = NoiseSource(seeds, 3, 4, torch.device("cpu"))
    seen = []
    for _ in range(count):
        own.renew()
        seen.append((own.noise.clone(), own.keep.clone()))
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


def test_windows_are_shown_as_drawn_for_them():
    windows, chance = 6, np.random.default_rng(0)
    drawn = [
        (chance.normal(size=(windows, 4)), chance.uniform(size=(windows, 4)), chance.permutation(windows), ones)
        for ones in np.ones((4 * SLAB, windows), np.float32)
    ]
    sources = [iter(drawn[: 2 * SLAB]), iter(drawn[2 * SLAB :])]
    draws = NoiseSource(
        [5, 41], windows, 4, torch.device("cpu"), shown=WindowAugmentation(sources, windows, 4, torch.device("cpu"))
    )
    for slab in range(2):
        draws.renew()
        own = draws.shown.amplitudes, draws.shown.phases, draws.shown.partners, draws.shown.shares
        for fit in range(2):
            for update in range(SLAB):
                for got, expected in zip(own, drawn[(2 * fit + slab) * SLAB + update], strict=True):
                    np.testing.assert_allclose(got[fit, update], expected, rtol=1e-6)


def test_plain_fits_are_shown_nothing():
    assert NoiseSource([5], 6, 4, torch.device("cpu")).shown is None
