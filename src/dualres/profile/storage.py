"""Where a fitted method's bytes are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy.typing as npt
import torch
from torch import Tensor

from dualres.errors import ConfigError
from dualres.file import DUALRES, Model
from dualres.kernel.pack import shapes as file_shapes
from dualres.methods.minirocket import FittedMiniRocket, blank
from dualres.methods.neural import FittedNeural


@dataclass(frozen=True)
class Storage:
    """Bytes in memory. The head is every parameter whose shape depends on the number of classes."""

    encoder: int
    head: int
    buffers: int  # what is kept but not trained; of MiniRocket, all but its ridge classifier

    def as_json(self) -> dict[str, int]:
        return asdict(self)


def storage(model: Model) -> Storage:
    """Of a model of a single member."""
    (fitted,) = model.members
    parameters: Mapping[str, Tensor | npt.NDArray[Any]]
    if model.card.method == DUALRES:
        shapes, buffers = file_shapes(model.card.config, len(model.classes) + 1), 0
        parameters = model.weights.arrays
    elif isinstance(fitted, FittedNeural):
        with torch.device("meta"):  # shapes are all that is asked of it
            other = fitted.method.build(fitted.classes + 1, None)
        shapes = {name: tuple(tensor.shape) for name, tensor in other.named_parameters()}
        parameters = dict(fitted.network.named_parameters())
        buffers = sum(tensor.nbytes for tensor in fitted.network.buffers())
    elif isinstance(fitted, FittedMiniRocket):
        shapes = {name: tensor.shape for name, tensor in blank(fitted.classes + 1).state().items()}
        state = fitted.state()
        parameters = {name: tensor for name, tensor in state.items() if tensor.shape != shapes[name]}
        buffers = sum(tensor.nbytes for name, tensor in state.items() if name not in parameters)
    else:
        raise ConfigError(f"{model.card.method}: nobody has said which of its bytes are its head")
    head = sum(tensor.nbytes for name, tensor in parameters.items() if tensor.shape != shapes[name])
    return Storage(sum(tensor.nbytes for tensor in parameters.values()) - head, head, buffers)
