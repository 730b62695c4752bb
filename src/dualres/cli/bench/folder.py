"""The option `--dir`, and the ledger in the folder that it names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dualres.cli.console import progress

if TYPE_CHECKING:
    from dualres.bench.campaign.ledger import Ledger

DEFAULT_DIR = Path("bench")

Dir = Annotated[
    Path, typer.Option("--dir", envvar="DUALRES_BENCH", help="Folder with the ledger, the models and cached signals.")
]
ReadDir = Annotated[
    Path, typer.Option("--dir", envvar="DUALRES_BENCH", help="Folder with the ledger, or one written by export.")
]


@contextmanager
def opened(folder: Path, *, create: bool = False) -> Iterator[Ledger]:
    """The folder's ledger, with a bar while an export is read."""
    from dualres.bench.campaign.exchange import ledger_folder

    with ExitStack() as stack:
        with progress("Nothing was changed.") as report:
            ledger = stack.enter_context(ledger_folder.opened(folder, create=create, progress=report))
        yield ledger
