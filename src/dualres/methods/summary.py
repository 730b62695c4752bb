"""What each method weighs, counted and not quoted, beside what the paper prints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from dualres import methods
from dualres.file import content
from dualres.methods.files import as_model
from dualres.methods.method import Cost, Fitted
from dualres.methods.minirocket import blank
from dualres.methods.neural import FittedNeural, NeuralMethod, sizes
from dualres.model.check import check_window
from dualres.paper.weights import CLASSES, WEIGHTS, Weight


@dataclass(frozen=True)
class Summary:
    name: str
    family: str
    registered: int
    active: int
    file_bytes: int
    paper: Weight | None  # None where the paper prints nothing of the kind


def summarise(name: str, classes: int = CLASSES) -> Summary:
    """Build the method for so many classes, let it learn from two windows once, and count."""
    method = methods.method(name)
    fitted: Fitted = _once(method, classes) if isinstance(method, NeuralMethod) else blank(classes)
    model = as_model(fitted, [f"class {i}" for i in range(classes)], {})
    size = len(content(model, checks=np.zeros((1, classes))))
    cost = fitted.cost
    paper = WEIGHTS.get(name) if classes == CLASSES else None
    return Summary(name, method.family, cost.registered, cost.active, size, paper)


def _once(method: NeuralMethod, classes: int) -> FittedNeural:
    with torch.random.fork_rng():
        network = method.build(classes, None).train()
        windows = torch.from_numpy(np.stack([check_window(i, network.window) for i in (0, 1)]))
        network.learn_constants(windows)
        cross_entropy(network(*network.views(windows), *network.draws()), torch.tensor([0, 1])).backward()
    return FittedNeural(method, network, classes, 0, Cost(*sizes(network), 0.0), [])
