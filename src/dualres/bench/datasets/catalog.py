"""The datasets there are: those of this package, each with an adapter of its own, and those registered beside them."""

from importlib import import_module

from dualres.bench.datasets import folds
from dualres.bench.datasets.release import Release, stated
from dualres.errors import ConfigError

NAMES = tuple(name for name, facts in stated().items() if facts["folds_from"] != "ours")  # the paper's

_registered: dict[str, Release] = {}


def register(release: Release) -> None:
    """Add a dataset from outside of this package; its name and those of its folds must be new."""
    if release.name in names():
        raise ConfigError(f"there is a dataset {release.name!r} already; give yours another name")
    if release.folds_in is not None:
        folds.register(release.folds_in, release.folds)
    _registered[release.name] = release


def release(name: str) -> Release:
    """The dataset of that name."""
    if name in _registered:
        return _registered[name]
    if name not in stated():
        raise ConfigError(f"there is no dataset {name!r}; there are {', '.join(names())}")
    found: Release = import_module(f"dualres.bench.datasets.{name}").RELEASE
    return found


def names() -> tuple[str, ...]:
    """All datasets: the paper's in its order, the simulated rig and other rigs, registered ones."""
    return (*stated(), *_registered)


def groups() -> dict[str, tuple[str, ...]]:
    """The same names, those of the paper apart from the others, each group by its title."""
    return {"In the paper": NAMES, "Not in the paper": tuple(name for name in names() if name not in NAMES)}
