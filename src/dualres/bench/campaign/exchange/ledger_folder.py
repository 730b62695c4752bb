"""A folder with a ledger and all that lies beside it, or with an export of one, which is only read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from dualres.bench.campaign.exchange.export import JOBS
from dualres.bench.campaign.exchange.read_export import load_export
from dualres.bench.campaign.ledger import Ledger
from dualres.errors import ConfigError
from dualres.utils.progress import Progress, quiet

LEDGER = "ledger.sqlite"


def exported(folder: Path) -> bool:
    """Whether the folder holds an export in place of a ledger."""
    return (folder / JOBS).is_file() and not (folder / LEDGER).exists()


def own_ledger(folder: Path) -> Path:
    """Where the folder's ledger is or will be, to be written to."""
    if exported(folder):
        remedy = f"make a ledger of it with `dualres bench import {folder} --dir bench` and give --dir bench"
        raise ConfigError(f"{folder}: is an export, which is only read; {remedy}")
    return folder / LEDGER


@contextmanager
def opened(folder: Path, *, create: bool = False, progress: Progress = quiet) -> Iterator[Ledger]:
    """The folder's ledger. An export, its hashes checked, is made one for as long as this lasts, measurements too."""
    if not exported(folder):
        with Ledger(folder / LEDGER, create=create) as ledger:
            yield ledger
        return
    with TemporaryDirectory() as scratch, load_export(folder, Path(scratch) / LEDGER, progress) as ledger:
        yield ledger
