"""Frozen folds: which recordings may be learned from, and which are only ever evaluated.

Each is a JSON file, in this folder or in that of a registered dataset, which carries the hash of its own content: two
results on a fold of the same name are results on the same fold. `freeze` writes one.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import resources
from pathlib import Path

from dualres.errors import ConfigError
from dualres.learn.fold import Fold, parse_fold, read_fold
from dualres.simulated import rig
from dualres.utils.registry import Registry

__all__ = ["Fold", "chosen", "load_fold", "names", "read_fold", "register"]


def _own() -> dict[str, Callable[[], Fold]]:
    """Those in the package; those of the rig lie with the rig."""
    files = {file.name: file for folder in (resources.files(__package__), rig.FOLDS) for file in folder.iterdir()}
    names = [name.removesuffix(".json") for name in sorted(files) if name.endswith(".json")]

    def parse(name: str) -> Fold:
        return parse_fold(files[f"{name}.json"].read_text(), name, "install the package again")

    return {name: partial(parse, name) for name in names}


_FOLDS: Registry[Callable[[], Fold]] = Registry(
    "fold", _own, taken="there is a {kind} {name!r} already; give yours another name"
)


def register(folder: Path, folds: Iterable[str]) -> None:
    """Make folds known whose files lie in a folder of their own."""
    for name in folds:
        _FOLDS.register(name, partial(read_fold, folder / f"{name}.json"))


def load_fold(name: str) -> Fold:
    return _FOLDS.find(name)()


def chosen(wanted: Sequence[str]) -> list[Fold]:
    """The folds that are named themselves or by their dataset, in the order of `names`; without any, all of them."""
    loaded = [load_fold(name) for name in names()]
    for one in wanted:
        if one not in {word for fold in loaded for word in (fold.fold, fold.dataset)}:
            raise ConfigError(f"there is no fold or dataset {one!r}; there are {', '.join(names())}")
    return [fold for fold in loaded if not wanted or fold.fold in wanted or fold.dataset in wanted]


def names() -> list[str]:
    """The folds in the package, and registered ones."""
    return list(_FOLDS.names())
