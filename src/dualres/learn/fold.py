"""Folds and budgets: which recordings may be learned from, how much of them, and which are only ever judged."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from dualres.errors import MISFIT, ConfigError
from dualres.utils.json_text import json_value
from dualres.utils.special_files import unusual


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
        if both := set(self.evaluation) & self.supporting():
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


def read_fold(path: Path) -> Fold:
    """The frozen fold in a file."""
    try:
        if reason := unusual(path):
            raise ValueError(f"it {reason}")
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: the fold cannot be read ({error}); `dualres data fold` writes one") from error
    fold = parse_fold(text, path.stem, f"freeze it again (dualres data fold ... -o {path.parent})")
    if fold.fold != path.stem:
        raise ConfigError(f"{path}: holds the fold {fold.fold}; a fold and its file bear the same name")
    return fold


def parse_fold(text: str, name: str, remedy: str) -> Fold:
    """An error unless the hash in it is that of its content."""
    try:
        content = json_value(text)
        frozen = content.pop("hash")
        content["support"] = {label: tuple(members) for label, members in content["support"].items()}
        fold = Fold(**content | {"evaluation": tuple(content["evaluation"])})
    except MISFIT as error:
        raise ConfigError(f"fold {name}: its file holds no fold ({error}); {remedy}") from error
    if fold.hash != frozen:
        raise ConfigError(f"fold {name}: its file was changed; {remedy}")
    return fold


@dataclass(frozen=True)
class Budget:
    """How much may be labelled: recordings per class and windows per recording."""

    recordings: int
    windows: int

    def __str__(self) -> str:
        return f"{self.recordings}x{self.windows}"

    @classmethod
    def parse(cls, text: str) -> "Budget":
        """The budget that is written "3x4"."""
        return cls(*map(int, text.split("x")))
