"""What each method weighs, counted and not quoted, beside what the paper prints."""

from dataclasses import dataclass

import numpy as np

from dualres.bench import methods
from dualres.bench.methods.catalog import entry, names
from dualres.bench.methods.model_file import as_model
from dualres.bench.paper.printed import CLASSES, WEIGHTS, Weight
from dualres.judge.model import content
from dualres.utils.optional_imports import is_there
from dualres.utils.progress import Progress, quiet


@dataclass(frozen=True)
class MethodSizes:
    name: str
    family: str
    registered: int
    active: int
    file_bytes: int
    paper: Weight | None  # None where the paper prints nothing of the kind
    of_paper: bool  # whether the paper has the method, or the control
    settings: str = ""  # of a peer, in words


def summarise(name: str, classes: int = CLASSES) -> MethodSizes:
    """Build the method for that many classes, and count."""
    method = methods.method(name)
    fitted = method.blank(classes)
    model = as_model(fitted, [f"class {i}" for i in range(classes)], {})
    size = len(content(model, checks=np.zeros((1, classes))))
    paper = WEIGHTS.get(name) if classes == CLASSES else None
    counts = fitted.cost.registered, fitted.cost.active
    return MethodSizes(name, method.family, *counts, size, paper, entry(name).paper, entry(name).settings)


def summarise_all(classes: int = CLASSES, progress: Progress = quiet) -> list[MethodSizes]:
    """Every method whose libraries are there."""
    rows, every = [], [name for name in names() if all(map(is_there, entry(name).needs))]
    for name in every:
        rows.append(summarise(name, classes))
        progress("Count parameters", len(rows), len(every), name)
    return rows
