"""Frozen folds: which recordings may be learned from, and which are only ever evaluated.

Each is a JSON file, in this folder or in that of a registered dataset, which carries the hash of its own content: two
results on a fold of the same name are results on the same fold. `freeze` writes one.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path

from dualres.errors import MISFIT, ConfigError
from dualres.machinery.regular import unusual


@dataclass(frozen=True)
class Fold:
    """A split of one dataset's recordings, with the rule by which support windows are placed."""

    fold: str
    dataset: str
    held_out: str  # the unit that support and evaluation do not share
    support: Mapping[str, tuple[str, ...]]  # label -> recordings in nested order: a budget of n takes the first n
    evaluation: tuple[str, ...]
    support_start_s: int  # s, where the first support window of a recording starts
    support_step: float  # from one support window to the next, in windows: 1 side by side, 0.5 half overlapping
    evaluation_windows: int | None  # the most windows of an evaluated recording, None for all

    def __post_init__(self) -> None:
        both = set(self.evaluation) & self.supporting()
        if both:
            raise ConfigError(f"fold {self.fold}: {sorted(both)[0]} is in the support and in the evaluation")

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(self.support)

    def supporting(self) -> set[str]:
        """All recordings that may enter a support."""
        return {recording for members in self.support.values() for recording in members}

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the canonical JSON of everything above."""
        return hashlib.sha256(json.dumps(asdict(self), separators=(",", ":")).encode()).hexdigest()


_registered: dict[str, Path] = {}  # fold -> file


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
    return _parsed(resources.files(__package__).joinpath(f"{name}.json").read_text(), name, "install the package again")


def read_fold(path: Path) -> Fold:
    """The frozen fold in a file."""
    try:
        if reason := unusual(path):
            raise ValueError(f"it {reason}")
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: the fold cannot be read ({error}); `dualres data fold` writes one") from error
    fold = _parsed(text, path.stem, f"freeze it again (dualres data fold ... -o {path.parent})")
    if fold.fold != path.stem:
        raise ConfigError(f"{path}: holds the fold {fold.fold}; a fold and its file bear the same name")
    return fold


def _parsed(text: str, name: str, remedy: str) -> Fold:
    """An error unless the hash in it is that of its content."""
    try:
        content = json.loads(text)
        frozen = content.pop("hash")
        content["support"] = {label: tuple(members) for label, members in content["support"].items()}
        fold = Fold(**content | {"evaluation": tuple(content["evaluation"])})
    except MISFIT as error:
        raise ConfigError(f"fold {name}: its file holds no fold ({error}); {remedy}") from error
    if fold.hash != frozen:
        raise ConfigError(f"fold {name}: its file was changed; {remedy}")
    return fold


def chosen(wanted: Sequence[str]) -> list[Fold]:
    """The folds that are named themselves or by their dataset, in the order of `names`; without any, all of them."""
    loaded = [load_fold(name) for name in names()]
    for one in wanted:
        if one not in {word for fold in loaded for word in (fold.fold, fold.dataset)}:
            raise ConfigError(f"there is no fold or dataset {one!r}; there are {', '.join(names())}")
    return [fold for fold in loaded if not wanted or fold.fold in wanted or fold.dataset in wanted]


def names() -> list[str]:
    """The folds in the package, and registered ones."""
    files = resources.files(__package__).iterdir()
    own = sorted(file.name.removesuffix(".json") for file in files if file.name.endswith(".json"))
    return [*own, *_registered]
