"""Where a fitted method's bytes are."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from dualres.methods.method import Fitted


@dataclass(frozen=True)
class Storage:
    """Bytes in memory. The head is every parameter whose shape depends on the number of classes."""

    encoder: int
    head: int
    buffers: int  # what is kept but not trained; of MiniRocket, all but its ridge classifier

    def as_json(self) -> dict[str, int]:
        return asdict(self)


def storage(fitted: Fitted) -> Storage:
    state, wider = fitted.state(), fitted.method.shapes(fitted.classes + 1)
    trained = [name for name in state if name in fitted.trained]
    head = sum(state[name].nbytes for name in trained if tuple(state[name].shape) != wider[name])
    parameters = sum(state[name].nbytes for name in trained)
    return Storage(parameters - head, head, sum(tensor.nbytes for tensor in state.values()) - parameters)
