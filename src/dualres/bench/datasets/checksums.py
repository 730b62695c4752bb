"""Is a downloaded file the one that was released?

`checksums.tsv` holds the size and SHA-256 of every file of CWRU, Ottawa and UORED, of Paderborn's archives, and of 60
of HUST's 99 files (version 3), by dataset and file name.
"""

import csv
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from dualres.errors import RecordingError


@dataclass(frozen=True)
class Checksum:
    """What a file must be to count as released."""

    bytes: int
    sha256: str


def official(dataset: str, file_name: str) -> Checksum | None:
    """The checksum of a released file, by its name without folders; None where it is not known."""
    return _table().get((dataset, file_name))


def check(dataset: str, path: Path) -> str:
    """The SHA-256 of a file; an error if the file bears a released file's name and differs from it."""
    try:
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
    except OSError as error:
        raise RecordingError(
            f"{path}: cannot be read ({error.strerror}); check the path and its permissions"
        ) from error
    released = official(dataset, path.name)
    if released and released != Checksum(size, sha256):
        raise RecordingError(
            f"{path}: is not {dataset}'s {path.name} as released ({released.bytes} bytes, SHA-256 {released.sha256}) "
            f"but has {size} bytes, SHA-256 {sha256}; download it again"
        )
    return sha256


@cache
def _table() -> dict[tuple[str, str], Checksum]:
    with resources.files(__package__).joinpath("checksums.tsv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {(row["dataset"], row["file"]): Checksum(int(row["bytes"]), row["sha256"]) for row in rows}
