"""The folder that `--dir` names: a ledger with all that lies beside it, or an export of one, which is only read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from dualres.cli.screen import progress
from dualres.errors import ConfigError

if TYPE_CHECKING:
    from dualres.campaign.ledger import Ledger

DEFAULT_DIR = Path("bench")
LEDGER = "ledger.sqlite"

Dir = Annotated[
    Path, typer.Option("--dir", envvar="DUALRES_BENCH", help="Folder with the ledger, the models and what is kept.")
]
ReadDir = Annotated[
    Path, typer.Option("--dir", envvar="DUALRES_BENCH", help="Folder with the ledger, or one made by export.")
]


def exported(folder: Path) -> bool:
    """Whether the folder holds an export in place of a ledger."""
    from dualres.exchange.read_export import is_export

    return is_export(folder, LEDGER)


def own_ledger(folder: Path) -> Path:
    """Where the folder's ledger is or will be, to be written to."""
    if exported(folder):
        raise ConfigError(
            f"{folder}: is an export, which is only read; "
            f"make a ledger of it with `dualres bench import {folder} --dir {DEFAULT_DIR}` and give --dir {DEFAULT_DIR}"
        )
    return folder / LEDGER


@contextmanager
def opened(folder: Path, *, create: bool = False) -> Iterator[Ledger]:
    """The folder's ledger. An export, its hashes checked, is made one for as long as this lasts, measurements too."""
    from dualres.campaign.ledger import Ledger
    from dualres.exchange.read_export import load_export

    if not exported(folder):
        with Ledger(folder / LEDGER, create=create) as ledger:
            yield ledger
        return
    with TemporaryDirectory() as scratch:
        with progress("Nothing was changed.") as tell:
            loaded = load_export(
                folder, Path(scratch) / LEDGER, lambda done, total: tell("Read the export", done, total, "")
            )
        with loaded as ledger:
            yield ledger
