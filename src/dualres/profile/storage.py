"""Where a fitted method's bytes are."""

from __future__ import annotations

from dataclasses import dataclass

from dualres.file import DUALRES, Model
from dualres.kernel.pack import shapes as file_shapes


@dataclass(frozen=True)
class Storage:
    """Bytes in memory. The head is every parameter whose shape depends on the number of classes."""

    encoder: int
    head: int
    buffers: int  # what is kept but not trained; of MiniRocket, all but its ridge classifier


def storage(model: Model) -> Storage:
    """Of a model of a single member."""
    (member,) = model.members
    wider = len(model.classes) + 1
    if model.card.method == DUALRES:
        state = model.weights.arrays
        shapes, trained = file_shapes(model.card.config, wider), state.keys()
    else:
        state, shapes, trained = member.state(), member.method.shapes(wider), member.trained
    parameters = sum(state[name].nbytes for name in trained)
    head = sum(state[name].nbytes for name in trained if state[name].shape != shapes[name])
    return Storage(parameters - head, head, sum(array.nbytes for array in state.values()) - parameters)
