"""Fitted comparators, which the commands that judge take as well."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dualres.judge.model import Model


def load_comparator(path: Path) -> Model:
    from dualres.bench.methods.model_file import load

    return load(path)
