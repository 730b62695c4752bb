"""Model files, as commands read them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dualres.judge.model import Model
    from dualres.model_file.card import Card


def loaded(path: Path) -> Model:
    """The model in a file: DualRes without PyTorch where the compiled kernel serves it, or a fitted comparator."""
    from dualres.judge.model import load
    from dualres.model_file.file import read

    if read(path)[0].kind:
        return load(path)
    from dualres.cli.bench.models import load_comparator

    return load_comparator(path)


def cost_of(card: Card) -> str:
    """How the axes of a model are judged, and what a verdict takes of it."""
    axes, members = len(card.channels), f" of {card.members} members" if card.members > 1 else ""
    which = f"{axes} axes ({', '.join(card.channels)})"
    how = f"a network{members} each" if card.axes == "apart" else f"one network{members} for all"
    return f"{which}, {how}: a verdict costs {card.passes} times one axis'"
