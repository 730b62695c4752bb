"""MANIFEST: the hash of every file of a results folder. Its own hash, the root, stands for all of them.

Whoever keeps the root elsewhere can tell whether a single byte was changed, whatever hashes were changed along with it.
"""

import os
from hashlib import sha256
from pathlib import Path

from dualres.bench.campaign.exchange.ledger_folder import exported
from dualres.bench.report.build import FIGURES, PAGE, TABLES
from dualres.errors import ConfigError
from dualres.utils.checksums import read_sums
from dualres.utils.files import write_whole

NAME = "MANIFEST"
_WRITTEN_BY = "`dualres bench report`, or `export`, writes it"


def write_manifest(folder: Path) -> str:
    """Hash all that belongs to the folder as it is now; gives the root."""
    content = _text(_hashes(folder))
    write_whole(folder / NAME, content)
    return sha256(content).hexdigest()


def manifest_root(folder: Path) -> str | None:
    """The hash that stands for all files of the folder; None where it has no manifest."""
    path = folder / NAME
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def check_manifest(folder: Path) -> list[str]:
    """What is not as the manifest says, one sentence for each file."""
    path = folder / NAME
    if not path.is_file():
        return [f"{path}: is missing, so nobody knows which files belong here; {_WRITTEN_BY}"]
    stored = path.read_bytes()
    try:
        now = _hashes(folder)
    except ConfigError as error:
        return [str(error)]
    if stored == _text(now):
        return []
    listed = read_sums(stored.decode(errors="replace"))
    problems = [f"{folder / name}: is missing, though {NAME} lists it" for name in sorted(listed.keys() - now.keys())]
    problems += [f"{folder / name}: is not listed in {NAME}" for name in sorted(now.keys() - listed.keys())]
    problems += [
        f"{folder / name}: was changed since its hash was written to {NAME}"
        for name in sorted(now.keys() & listed.keys())
        if now[name] != listed[name]
    ]
    return problems or [f"{path}: is not as a manifest is written; {_WRITTEN_BY}"]


def covered(folder: Path) -> list[str]:
    """Names of the files that a manifest lists: of an export all that lie there, elsewhere those of the report."""
    page = [PAGE] if not exported(folder) and (folder / PAGE).is_file() else []
    found = []
    for place in [folder] if exported(folder) else [folder / TABLES, folder / FIGURES]:
        for parent, folders, files in os.walk(place):
            found += [Path(parent) / name for name in files]
            found += [Path(parent) / name for name in folders if (Path(parent) / name).is_symlink()]
    return sorted({*page, *(path.relative_to(folder).as_posix() for path in found)} - {NAME})


def _hashes(folder: Path) -> dict[str, str]:
    found = {}
    for name in covered(folder):
        path = folder / name
        if not name.isprintable():  # a line break would make one file look like two
            raise ConfigError(f"{str(path)!r}: has a name that cannot be listed; rename or remove it")
        if path.is_symlink() or not path.is_file():
            raise ConfigError(f"{path}: is not a plain file, so nothing vouches for it; put its content in its place")
        found[name] = sha256(path.read_bytes()).hexdigest()
    return found


def _text(hashes: dict[str, str]) -> bytes:
    return "".join(f"{digest}  {name}\n" for name, digest in hashes.items()).encode()
