"""Model files, as commands read them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dualres.file import Model


def loaded(path: Path) -> Model:
    """The model in a file: DualRes without PyTorch where the compiled kernel serves it, or a fitted comparator."""
    from dualres import file

    if file.read(path)[0].method in file.OURS:
        return file.load(path)
    from dualres.methods.files import load

    return load(path)
