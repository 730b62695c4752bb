"""Frozen folds: which recordings may be learned from, and which are only ever evaluated.

Each is a JSON file, in this folder or in that of a registered dataset, which carries the hash of its own content: two
results on a fold of the same name are results on the same fold. `freeze` writes one.
"""

from collections.abc import Iterable, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from dualres.errors import ConfigError
from dualres.learn.fold import Fold, parse_fold, read_fold
from dualres.simulated import rig

__all__ = ["Fold", "chosen", "load_fold", "names", "read_fold", "register"]


_registered: dict[str, Path] = {}  # fold -> file, of datasets outside of this package


def register(folder: Path, folds: Iterable[str]) -> None:
    """Make folds known whose files lie in a folder of their own."""
    for name in folds:
        if name in names():
            raise ConfigError(f"there is a fold {name!r} already; give yours another name")
        _registered[name] = folder / f"{name}.json"


def load_fold(name: str) -> Fold:
    """The frozen fold of that name."""
    known = names()
    if name not in known:
        raise ConfigError(f"there is no fold {name!r}; there are {', '.join(known)}")
    if name in _registered:
        return read_fold(_registered[name])
    return parse_fold(_own()[name].read_text(), name, "install the package again")


def chosen(wanted: Sequence[str]) -> list[Fold]:
    """The folds that are named themselves or by their dataset, in the order of `names`; without any, all of them."""
    loaded = [load_fold(name) for name in names()]
    for one in wanted:
        if one not in {word for fold in loaded for word in (fold.fold, fold.dataset)}:
            raise ConfigError(f"there is no fold or dataset {one!r}; there are {', '.join(names())}")
    return [fold for fold in loaded if not wanted or fold.fold in wanted or fold.dataset in wanted]


def names() -> list[str]:
    """The folds in the package, and registered ones."""
    return [*_own(), *_registered]


def _own() -> dict[str, Traversable]:
    """Fold -> file, in the package; those of the rig lie with the rig."""
    files = {file.name: file for folder in (resources.files(__package__), rig.FOLDS) for file in folder.iterdir()}
    return {name.removesuffix(".json"): files[name] for name in sorted(files) if name.endswith(".json")}
