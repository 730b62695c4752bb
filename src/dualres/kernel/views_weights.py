"""A network of views without PyTorch."""

from collections.abc import Mapping
from dataclasses import dataclass

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.kernel.pack import Floats


@dataclass(frozen=True, eq=False)
class ViewsWeights:
    """Its frames, and the tensors of its heads by the names that they have in a file."""

    config: ModelConfig
    arrays: Mapping[str, Floats]

    @property
    def classes(self) -> int:
        return len(self.arrays["heads.spectra.offsets"])


def views_shapes(config: ModelConfig, classes: int) -> dict[str, tuple[int, ...]]:
    """The names of a network's tensors in a file, and their shapes."""
    found: dict[str, tuple[int, ...]] = {}
    for head, features in VIEW_SIZES.features(config).items():
        shapes = {"centre": (features,), "scale": (features,), "directions": (VIEW_SIZES.rank, features)}
        shapes |= {"slopes": (classes, features), "offsets": (classes,), "sharpness": ()}
        found |= {f"heads.{head}.{name}": shape for name, shape in shapes.items()}
    return found
