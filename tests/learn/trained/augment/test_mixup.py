import numpy as np
import torch

from dualres.learn.trained.augment.mixup import Mixture, draw_mixture, no_mixture


def test_a_window_has_the_larger_share_of_its_mixture():
    drawn = draw_mixture(np.random.default_rng(0), 1000)
    assert drawn.shares.min() >= 0.5
    assert drawn.shares.max() <= 1
    assert abs(drawn.shares.mean() - 0.75) < 0.02
    assert sorted(drawn.partners) == list(range(1000))


def test_a_blend_has_its_share_of_both():
    mixture = Mixture(np.array([1, 0]), np.array([0.75, 1.0], np.float32))
    blended = mixture.blended(torch.tensor([[0.0, 4.0], [8.0, 0.0]]))
    assert blended.tolist() == [[2.0, 3.0], [8.0, 0.0]]


def test_without_a_mixture_nothing_changes():
    x = torch.randn(3, 5)
    assert torch.equal(no_mixture(3).blended(x), x)
