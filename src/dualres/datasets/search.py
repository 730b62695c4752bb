"""Finding a release's files below a folder by the grammar of their names.

An adapter calls `find`, turns what comes back into entries and refusals (`parted`), and hands those to `collect`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path, PurePath

from dualres.datasets.release import Entry, Index
from dualres.errors import RecordingError


def find(folder: Path, suffixes: Collection[str], pattern: re.Pattern[str]) -> list[tuple[Path, re.Match[str]]]:
    """The files below `folder` whose whole stem matches `pattern`, each with its match, sorted by path.

    `suffixes` are lower case with the dot; a file may spell its own in any case. What macOS leaves in archives
    (`__MACOSX`, `._*`) is ignored.
    """
    if not folder.is_dir():
        raise RecordingError(f"{folder}: is not a folder; give the one the release was unpacked into")
    found = []
    for path in sorted(folder.rglob("*")):
        match = pattern.fullmatch(path.stem)
        if match and path.suffix.lower() in suffixes and not is_junk(path.relative_to(folder)) and path.is_file():
            found.append((path, match))
    return found


def parted(
    found: Iterable[tuple[Path, re.Match[str]]], entry: Callable[[Path, re.Match[str]], Entry | str]
) -> tuple[list[Entry], list[tuple[Path, str]]]:
    """The files as entries, and those for which `entry` gives a reason against them, which are never opened."""
    outcomes = [(path, entry(path, name)) for path, name in found]
    entries = [one for _, one in outcomes if isinstance(one, Entry)]
    return entries, [(path, reason) for path, reason in outcomes if isinstance(reason, str)]


def collect(
    folder: Path,
    entries: Iterable[Entry],
    looked_for: str,
    left_out: Iterable[tuple[Path, str]] = (),
    variant: str = "full",
) -> Index:
    """The index of what was found; an error if that is nothing, or if two files claim to be the same recording.

    `looked_for` says in words which files should have been there.
    """
    index = Index(tuple(entries), tuple(left_out), variant)
    if not index.entries:
        reasons = [reason for _, reason in index.left_out]
        count = f"{len(reasons)} files refused, the first" if len(reasons) > 1 else "1 file refused"
        refused = f" ({count}: {reasons[0]})" if reasons else ""
        raise RecordingError(f"{folder}: nothing to use in it or in any folder below{refused}; looked for {looked_for}")
    first: dict[str, Path] = {}
    for entry in index.entries:
        if entry.id in first:
            raise RecordingError(
                f"{entry.id} is there twice: {first[entry.id]} and {entry.path}; keep one and move the other away"
            )
        first[entry.id] = entry.path
    return index


def is_junk(path: PurePath) -> bool:
    """What macOS leaves in archives."""
    return "__MACOSX" in path.parts or path.name.startswith("._")
