"""What distances to classes say of a window, without what is the same for all of them.

The classes' means span a space of few dimensions. In it they differ; across it, a window may lie far from all of them
at once, because the speed is another one, say. That tells little of an unknown fault, and the less, the more classes
there are to tell apart. It follows from the distances alone, once those between the classes are known.
"""

from dataclasses import dataclass

import numpy as np

from dualres.config import SMALLEST_DISTANCE
from dualres.model.views.weights import ViewsWeights
from dualres.utils.arrays import Exact

# Of the heads' log-distances, so much. Spectra and rhythm hold at other speeds, too.
WEIGHTS = {"spectra": 2 / 6, "repetition": 1 / 6, "rhythm": 2 / 6, "lines": 1 / 6}
LEAST_WIDTH = 1e-4  # of the widest direction, squared; narrower ones do not tell classes apart


@dataclass(frozen=True)
class ClassSubspace:
    """How the classes of a head lie around their middle."""

    lengths: Exact  # squared, from the middle to each class, (classes,)
    across: Exact  # from products with the classes to coordinates between them, (classes - 1, classes)

    @property
    def counted(self) -> float:
        """The share that is left of what is the same for all classes; all of it where there are two."""
        return 1 / len(self.across)

    def told(self, distances: Exact) -> Exact:
        """Squared distances (windows, classes), less what is the same for all classes."""
        off = distances - distances.mean(1, keepdims=True) - (self.lengths - self.lengths.mean())
        inside = ((off / -2) @ self.across.T) ** 2
        same = distances.mean(1) - self.lengths.mean() - inside.sum(1)
        left: Exact = distances - (1 - self.counted) * np.maximum(same, 0)[:, None]
        return np.maximum(left, SMALLEST_DISTANCE)


def between(weights: ViewsWeights, head: str) -> ClassSubspace:
    """The classes of a head, as its slopes and offsets place them."""
    means = np.stack([weights.class_mean(head, number) for number in range(weights.classes)])
    slopes = weights.array(head, "slopes")
    products = (slopes - slopes.mean(0)) @ (means - means.mean(0)).T
    widths, directions = np.linalg.eigh((products + products.T) / 2)
    widths, directions = widths[1:], directions[:, 1:]  # the first is zero: they lie around their middle
    wide = widths > LEAST_WIDTH * widths[-1]
    across = np.where(wide, directions / np.sqrt(np.where(wide, widths, 1.0)), 0.0).T
    return ClassSubspace(np.diag(products).copy(), across)
