"""A forest of scikit-learn as plain arrays: what a model file holds, and all that judging takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dualres.judge.backends import Scores
from dualres.model_file.integrity import Arrays
from dualres.utils.arrays import Exact, Floats

if TYPE_CHECKING:
    from sklearn.ensemble._forest import ForestClassifier

LEAF = -1  # for the children of a leaf


def arrays_of(forest: ForestClassifier) -> Arrays:
    """The nodes of all trees one after another: the feature that each asks for, its threshold, its children, counted
    from the first node of the forest, and the share of every class in it; and the root of each tree."""
    trees = [tree.tree_ for tree in forest.estimators_]
    roots = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]
    sides = {"left": "children_left", "right": "children_right"}
    children = {
        side: np.concatenate(
            [np.where((at := getattr(t, name)) < 0, LEAF, at + root) for t, root in zip(trees, roots, strict=True)]
        ).astype(np.int32)
        for side, name in sides.items()
    }
    values = np.concatenate([tree.value[:, 0] for tree in trees])
    return {
        "roots": roots.astype(np.int32),
        "features": np.concatenate([tree.feature for tree in trees]).astype(np.int32),
        "thresholds": np.concatenate([tree.threshold for tree in trees]),
        **children,
        "shares": values / values.sum(1, keepdims=True),
    }


def probabilities(forest: Arrays, features: Exact | Floats) -> Scores:
    """The mean over the trees of the shares in the leaves that features (n, features) fall into: (n, classes)."""
    given = features.astype(np.float32)  # as scikit-learn compares
    left, right, shares = forest["left"], forest["right"], forest["shares"]
    rows = np.arange(len(given))[:, None]
    at = np.broadcast_to(forest["roots"], (len(given), len(forest["roots"]))).copy()
    while (inner := left[at] != LEAF).any():
        lower = given[rows, np.maximum(forest["features"][at], 0)] <= forest["thresholds"][at]
        at = np.where(inner, np.where(lower, left[at], right[at]), at)
    return np.asarray(shares[at].mean(1))
