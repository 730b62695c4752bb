"""A network of views without PyTorch."""

from collections.abc import Mapping

import numpy as np

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.model.kinds import VIEWS
from dualres.model.weights import NetworkWeights
from dualres.utils.arrays import Exact

HEAD = ("centre", "scale", "directions", "slopes", "offsets", "sharpness")  # the tensors of each


class ViewsWeights(NetworkWeights):
    """Its frames, and the tensors of its heads."""

    kind = VIEWS.method

    @property
    def classes(self) -> int:
        return len(self.arrays["heads.spectra.offsets"])

    def class_view(self, head: str, number: int) -> Exact:
        """What a head takes a class to look like on average, (features,)."""
        view: Exact = self.array(head, "centre") + self.class_mean(head, number) / self.array(head, "scale")
        return view

    def class_mean(self, head: str, number: int) -> Exact:
        """The same as the head compares it, centred and scaled."""
        slope, directions = self.array(head, "slopes")[number], self.array(head, "directions")
        # The slope is the mean less what lies along the directions, which are orthogonal: so much was taken of each.
        taken = (directions**2).sum(1)
        mean: Exact = slope + (directions @ slope / (1 - taken)) @ directions
        return mean

    def array(self, head: str, name: str) -> Exact:
        """A head's tensor, one of `HEAD`."""
        return self.exact(f"heads.{head}.{name}")


def moved(weights: ViewsWeights, seen: Mapping[str, Exact], number: int, share: float) -> ViewsWeights:
    """The network for a machine on which the mean views of a class are those `seen`, by a share of the way there."""
    arrays = dict(weights.arrays)
    for head, mean in seen.items():
        key = f"heads.{head}.centre"
        arrays[key] = (arrays[key] + share * (mean - weights.class_view(head, number))).astype(np.float32)
    return type(weights)(weights.config, arrays)


def views_shapes(config: ModelConfig, classes: int) -> dict[str, tuple[int, ...]]:
    """The names of a network's tensors in a file, and their shapes."""
    return head_shapes(VIEW_SIZES.features(config), classes, VIEW_SIZES.rank)


def head_shapes(heads: Mapping[str, int], classes: int, rank: int) -> dict[str, tuple[int, ...]]:
    """Those of heads, by their names and the number of features that each takes."""
    found: dict[str, tuple[int, ...]] = {}
    for head, features in heads.items():
        shapes = {"centre": (features,), "scale": (features,), "directions": (rank, features)}
        shapes |= {"slopes": (classes, features), "offsets": (classes,), "sharpness": ()}
        found |= {f"heads.{head}.{name}": shape for name, shape in shapes.items()}
    return found
