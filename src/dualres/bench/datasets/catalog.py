"""The datasets there are: those of this package, each with an adapter of its own, and those registered beside them."""

from collections.abc import Callable
from functools import partial
from importlib import import_module

from dualres.bench.datasets import folds
from dualres.bench.datasets.release import Release, stated
from dualres.utils.registry import Registry

NAMES = tuple(name for name, facts in stated().items() if facts["folds_from"] != "ours")  # the paper's


def _load(name: str) -> Release:
    found: Release = import_module(f"dualres.bench.datasets.{name}").RELEASE
    return found


_RELEASES: Registry[Callable[[], Release]] = Registry(
    "dataset",
    lambda: {name: partial(_load, name) for name in stated()},
    taken="there is a {kind} {name!r} already; give yours another name",
)


def register(release: Release) -> None:
    """Add a dataset from outside of this package; its name and those of its folds must be new."""
    if release.folds_in is not None and release.name not in names():
        folds.register(release.folds_in, release.folds)
    _RELEASES.register(release.name, lambda: release)


def release(name: str) -> Release:
    return _RELEASES.find(name)()


def names() -> tuple[str, ...]:
    """All datasets: the paper's in its order, the simulated rig and other rigs, registered ones."""
    return _RELEASES.names()


def groups() -> dict[str, tuple[str, ...]]:
    """The same names, those of the paper apart from the others, each group by its title."""
    return {"In the paper": NAMES, "Not in the paper": tuple(name for name in names() if name not in NAMES)}
