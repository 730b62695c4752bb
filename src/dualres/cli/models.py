"""Model files, as commands read them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dualres.judge.model import Model
    from dualres.model_file.card import Card


def loaded(path: Path) -> Model:
    """The model in a file: DualRes without PyTorch where the compiled kernel serves it, or a fitted comparator."""
    from dualres.judge.model import load_any

    accept_comparators()
    return load_any(path)


def accept_comparators() -> None:
    """Let whatever asks for any model have fitted comparators, too."""
    from dualres.judge.model import read_comparators_by

    read_comparators_by(_load_comparator)


def _load_comparator(path: Path) -> Model:
    from dualres.cli.bench.folds import load_comparator

    return load_comparator(path)


def cost_of(card: Card) -> str:
    """How the axes of a model are judged, and what a verdict takes of it."""
    axes, members = len(card.channels), f" of {card.members} members" if card.members > 1 else ""
    which = f"{axes} axes ({', '.join(card.channels)})"
    how = f"a network{members} each" if card.axes == "apart" else f"one network{members} for all"
    return f"{which}, {how}: a verdict costs {card.passes} times one axis'"
