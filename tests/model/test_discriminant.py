"""The head against the distances it stands for."""

import numpy as np
import torch

from dualres.learn.closed_form import SHRINKAGE, fit_head, statistics
from dualres.model.discriminant import Discriminant

CLASSES, FEATURES = 3, 12


def fitted(rng):
    labels = np.repeat(np.arange(CLASSES), 40)
    view = rng.standard_normal((len(labels), FEATURES)) * np.linspace(0.5, 3, FEATURES)
    view[np.arange(len(labels)), labels] += 4
    head = Discriminant(FEATURES, CLASSES, rank=32)
    fit_head(head, view, labels, CLASSES)
    return head, view, labels


def test_distances_are_those_of_the_shrunken_covariance():
    head, view, labels = fitted(np.random.default_rng(0))
    found = statistics(view, labels, CLASSES)
    covariance = (1 - SHRINKAGE) * found.within + SHRINKAGE * np.eye(FEATURES)
    off = ((view - found.centre) * found.scale)[:, None] - found.means
    expected = np.einsum("ncf,fg,ncg->nc", off, np.linalg.inv(covariance), off)
    distances = head.distances(torch.from_numpy(view).float()).numpy()
    np.testing.assert_allclose(distances, expected, rtol=1e-4, atol=1e-4)
    assert (head(torch.from_numpy(view).float()).argmax(1).numpy() == labels).mean() > 0.9


def test_what_is_unlike_anything_that_was_labelled_says_little():
    head, view, labels = fitted(np.random.default_rng(1))
    head.sharpness.fill_(10.0)
    near = torch.from_numpy(view[labels == 0].mean(0)[None]).float()
    far = near + 300 * torch.eye(FEATURES)[-1]  # along a feature that tells no class
    assert head(near).exp().max() > 0.9
    assert head(far).exp().max() < 0.4


def test_a_window_that_is_a_class_mean_itself_is_no_error():
    head = Discriminant(FEATURES, CLASSES, rank=2)
    assert torch.isfinite(head(torch.zeros(1, FEATURES))).all()
