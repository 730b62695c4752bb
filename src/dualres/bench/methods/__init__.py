"""The nine methods of the paper, DualRes' controls, and whatever was registered beside them."""

from pathlib import Path

from dualres.bench.methods.catalog import entry, names
from dualres.bench.methods.method import Method
from dualres.config import Recipe
from dualres.judge.model import Model

NAMES = tuple(name for name in names() if entry(name).paper and not entry(name).control)  # in the paper's order
CONTROL_NAMES = tuple(name for name in names() if entry(name).paper and entry(name).control)


def method(name: str, recipe: Recipe | None = None) -> Method:
    """The method of that name; `recipe` trains a neural one, by default as the paper trains on gearboxes."""
    found = entry(name)
    return found.make(found, recipe)


def load(path: Path | str) -> Model:
    """Read a model file of any method onto the CPU; anything but an intact one is refused with the reason."""
    from dualres.bench.methods.model_file import load as read  # which knows this package

    return read(path)
