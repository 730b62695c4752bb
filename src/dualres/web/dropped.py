"""Files that are dropped on the page: where they arrive, and under which names they are kept."""

import secrets
import time
from contextlib import suppress
from itertools import count
from pathlib import Path, PurePosixPath

from dualres.errors import RecordingError
from dualres.recordings.formats.registry import suffixes
from dualres.utils.printable import printable

DROPPED = "dropped"  # below the folder
LONGEST_NAME = 120  # characters
ABANDONED_S = 3600.0  # without a byte more


def temporary_in(folder: Path) -> Path:
    """Where a dropped file is written to while it arrives, on the disk where it will lie."""
    (folder / DROPPED).mkdir(exist_ok=True)
    return folder / DROPPED / f".{secrets.token_hex(8)}.part"


def remove_abandoned(folder: Path) -> None:
    """What is left of files that were dropped while a page was killed; not what arrives now at another page."""
    for part in (folder / DROPPED).glob(".*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > ABANDONED_S:
                part.unlink()


def own_file(first: Path) -> Path:
    """An empty file of that name, or of one like it if others have it: each of several callers gets its own."""
    for number in count(1):
        target = first if number == 1 else first.with_stem(f"{first.stem}-{number}")
        try:
            target.touch(exist_ok=False)
        except FileExistsError:
            continue
        return target
    raise AssertionError("there is always one more number")


def kept_name(name: str) -> str:
    """The last part of a name that somebody else chose, fit for a file here."""
    last = PurePosixPath(name.replace("\\", "/")).name
    safe = "".join(c if c.isalnum() or c in "-_.+ " else "_" for c in printable(last)).strip(" .")
    stem, suffix = Path(safe).stem[:LONGEST_NAME], Path(safe).suffix.lower()
    if not stem or suffix not in suffixes():
        raise RecordingError(f"{printable(last)!r}: is no recording; these are read: {', '.join(suffixes())}")
    return stem + suffix
