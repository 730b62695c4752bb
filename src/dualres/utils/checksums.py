"""SHA256SUMS: a folder's list of hashes, as sha256sum writes and checks it."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

from dualres.utils.files import write_whole
from dualres.utils.special_files import unusual

NAME = "SHA256SUMS"


def write_sums(folder: Path, names: Iterable[str]) -> None:
    """Hash the named files of a folder, in alphabetical order."""
    lines = [f"{sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in sorted(names)]
    write_whole(folder / NAME, "".join(lines).encode())


def within_folder(name: str) -> bool:
    """Whether a name from a list is that of a file in the folder or below it."""
    return not Path(name).is_absolute() and ".." not in Path(name).parts and "\0" not in name


def replace_sums(folder: Path, names: Iterable[str], removable: Callable[[str], bool] | None = None) -> None:
    """Hash the named files instead of those that the folder's list named; of these, `removable` others are removed, by
    default those right in the folder: anybody may have written the list."""
    removable = removable or (lambda name: Path(name).name == name)
    names = set(names)
    for name in filter(removable, listed(folder).keys() - names):
        if (folder / name).is_file():
            (folder / name).unlink()
    write_sums(folder, names)


def listed(folder: Path) -> dict[str, str]:
    """The hashes by name; none where there is no list."""
    path = folder / NAME
    return read_sums(path.read_text(errors="replace")) if path.is_file() and not unusual(path) else {}


def read_sums(text: str) -> dict[str, str]:
    """The hashes by name in the text of a list."""
    return {name: digest for digest, _, name in (line.partition("  ") for line in text.splitlines())}


def check_sums(folder: Path) -> list[str]:
    """What does not agree with the list, one sentence each."""
    if not (folder / NAME).is_file():
        return [f"{folder / NAME}: is missing, so the files beside it cannot be checked"]
    problems = []
    for name, digest in listed(folder).items():
        file = folder / name
        if not within_folder(name):
            problems.append(f"{folder / NAME}: lists {name!r}, which lies outside the folder")
        elif not _usable(file):
            problems.append(f"{file}: is missing, though {NAME} lists it")
        elif sha256(file.read_bytes()).hexdigest() != digest:
            problems.append(f"{file}: was changed since its hash was written to {NAME}")
    return problems


def _usable(file: Path) -> bool:
    try:
        return file.is_file() and not unusual(file)
    except OSError:  # a name that no file can have
        return False
