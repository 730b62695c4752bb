"""What each method weighs, counted and not quoted, beside what the paper prints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from dualres import methods
from dualres.machinery.progress import Progress, quiet
from dualres.methods.files import FORMAT, card
from dualres.methods.method import Cost, Fitted
from dualres.methods.minirocket import blank
from dualres.methods.neural import FittedNeural, NeuralMethod, sizes
from dualres.model.check import check_window
from dualres.seal import seal

PAPER_CLASSES = 8


@dataclass(frozen=True)
class Paper:
    """The paper's figures, for eight classes."""

    registered: int
    active: int
    file_mib: float


PAPER = {
    "dualres": Paper(40_048, 40_048, 0.164),
    "mambasl": Paper(15_592, 15_592, 4.065),
    "minirocket": Paper(79_976, 79_976, 0.802),
    "tscmamba": Paper(2_502_466, 2_502_466, 9.555),
    "medformer": Paper(2_560_904, 2_560_904, 12.301),
    "moderntcn": Paper(595_112, 595_112, 2.308),
    "patchtst": Paper(99_208, 99_208, 4.392),
    "itransformer": Paper(1_066_024, 1_066_024, 4.079),
    "crossformer": Paper(189_576, 66_440, 4.782),
}


@dataclass(frozen=True)
class Summary:
    name: str
    family: str
    registered: int
    active: int
    file_bytes: int
    paper: Paper | None  # None where the paper prints nothing of the kind


def summarise(name: str, classes: int = PAPER_CLASSES) -> Summary:
    """Build the method for so many classes, let it learn from two windows once, and count."""
    method = methods.method(name)
    fitted: Fitted = _once(method, classes) if isinstance(method, NeuralMethod) else blank(classes)
    content = seal(FORMAT, card(fitted), np.zeros((1, classes)), fitted.state())
    cost = fitted.cost
    paper = PAPER.get(name) if classes == PAPER_CLASSES else None
    return Summary(name, method.family, cost.registered, cost.active, len(content), paper)


def summarise_all(classes: int = PAPER_CLASSES, progress: Progress = quiet) -> list[Summary]:
    """Every method there is."""
    rows = []
    for name in methods.ALL_NAMES:
        rows.append(summarise(name, classes))
        progress("Count parameters", len(rows), len(methods.ALL_NAMES), name)
    return rows


def _once(method: NeuralMethod, classes: int) -> FittedNeural:
    with torch.random.fork_rng():
        network = method.build(classes, None).train()
        windows = torch.from_numpy(np.stack([check_window(i, network.window) for i in (0, 1)]))
        network.learn_constants(windows)
        cross_entropy(network(*network.views(windows), *network.draws()), torch.tensor([0, 1])).backward()
    return FittedNeural(method, network, classes, 0, Cost(*sizes(network), 0.0), [])
