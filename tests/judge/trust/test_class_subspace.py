"""Distances between classes, and what is the same for all of them."""

import numpy as np
import pytest

from dualres.config import SMALLEST_DISTANCE, ModelConfig
from dualres.judge.trust.class_subspace import between
from dualres.model.views.weights import ViewsWeights

FEATURES = 40


def weights_around(means):
    """A head of spectra whose distances are those of the plain space around these means (classes, features)."""
    means = means.astype(np.float32)
    arrays = {"centre": np.zeros(FEATURES), "scale": np.ones(FEATURES), "directions": np.zeros((32, FEATURES))}
    arrays |= {"slopes": means, "offsets": (means**2).sum(1), "sharpness": np.array(3.0)}
    named = {f"heads.spectra.{name}": np.asarray(array, np.float32) for name, array in arrays.items()}
    return ViewsWeights(ModelConfig(), named)


def squared(points, means):
    return ((points[:, None] - means) ** 2).sum(2)


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_what_lies_across_the_classes_counts_for_less(classes):
    rng = np.random.default_rng(classes)
    means, points = rng.standard_normal((classes, FEATURES)), rng.standard_normal((5, FEATURES))
    basis = np.linalg.qr((means - means.mean(0))[:-1].T)[0]  # of the space that they span
    inside, centred = (points - means.mean(0)) @ basis @ basis.T, points - means.mean(0)
    across = ((centred - inside) ** 2).sum(1, keepdims=True)
    wanted = squared(means.mean(0) + inside, means) + across / (classes - 1)
    found = between(weights_around(means), "spectra").told(squared(points, means))
    assert found == pytest.approx(wanted, rel=1e-4)


def test_a_move_away_from_all_classes_is_hardly_seen():
    rng = np.random.default_rng(0)
    means = np.pad(rng.standard_normal((6, FEATURES - 1)), ((0, 0), (0, 1)))
    point = means[2:3] + 0.1
    away = point + 20 * np.eye(FEATURES)[-1]
    told = between(weights_around(means), "spectra").told
    near, far = np.log(told(squared(point, means))), np.log(told(squared(away, means)))
    assert near.argmin() == far.argmin() == 2
    plain = np.log(squared(away, means))
    assert far.mean() - far.min() > 2 * (plain.mean() - plain.min())


def test_classes_in_one_place_leave_distances_finite():
    means = np.ones((3, FEATURES))
    found = between(weights_around(means), "spectra").told(squared(np.ones((1, FEATURES)), means))
    assert found == pytest.approx(np.full((1, 3), SMALLEST_DISTANCE))
