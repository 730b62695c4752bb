"""Networks without PyTorch: the paper's, and what all kinds have in common."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dualres.config import ModelConfig
from dualres.model.kinds import PAPER
from dualres.utils.arrays import Exact, Floats

# The one order of the memory's four maps, wherever they are one product: in C, in Triton and in ONNX. `DUALRES_MAPS` of
# dualres_kernel.h, `parameter_places` of training.h and `kernel/gpu/memory_triton.py` count on it. Another order would
# round sums over the maps in another way, and so change fitted weights.
MAPS = ("damping", "write_in", "write", "read")  # attributes of `OscillatoryMemory`; vectors have real parts first


@dataclass(frozen=True, eq=False)
class NetworkWeights:
    """A network without PyTorch: its sizes, and its tensors by the names that they have in a file."""

    kind: ClassVar[str]  # what cards call it
    config: ModelConfig
    arrays: Mapping[str, Floats]

    @property
    def classes(self) -> int:
        raise NotImplementedError

    def exact(self, name: str) -> Exact:
        """A tensor in float64."""
        return self.arrays[name].astype(np.float64)


class Weights(NetworkWeights):
    """The paper's network."""

    kind = PAPER.method

    @property
    def classes(self) -> int:
        return len(self.arrays["head.bias"])

    def theta(self) -> Exact:
        """Rotation per token in radians, (states,), as float32 gives it; zero without rotation."""
        pitch = self.arrays["encoder.memory.pitch"]
        if not self.config.rotation:
            return np.zeros(len(pitch))
        one, power = np.float32(1), np.exp(-pitch.astype(np.float64)).astype(np.float32)
        return (np.float32(np.pi) * (one / (one + power))).astype(np.float64)


def shapes(config: ModelConfig, classes: int) -> dict[str, tuple[int, ...]]:
    """The names of a network's parameters in a file, and their shapes."""
    width, half, pairs = config.width, config.width // 2, 2 * config.states
    linear: dict[str, tuple[int, ...]] = {
        **{"encoder.short": (half, config.short_bins), "encoder.long": (half, config.long_bins)},
        **{f"encoder.{name}": (width, width) for name in ("memory.write_in", "memory.damping", "mix", "gate")},
        **{f"encoder.memory.{name}": (pairs, width) for name in ("write", "read")},
        "head": (classes, width),
    }
    of_maps = {f"{name}.weight": shape for name, shape in linear.items()}
    of_maps |= {f"{name}.bias": shape[:1] for name, shape in linear.items()}
    of_norm = {f"encoder.norm.{kind}": (width,) for kind in ("weight", "bias")}
    return of_maps | of_norm | {"encoder.memory.log_rate": (width,), "encoder.memory.pitch": (config.states,)}
