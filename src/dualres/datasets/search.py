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
    found: Iterable[tuple[Path, re.Match[str]]],
    refusal: Callable[[Path, re.Match[str]], str | None],
    entry: Callable[[Path, re.Match[str]], Entry],
) -> tuple[list[Entry], list[tuple[Path, str]]]:
    """The files as entries, and those with a reason against them; a file that is refused is never opened."""
    entries, left_out = [], []
    for path, name in found:
        reason = refusal(path, name)
        if reason:
            left_out.append((path, reason))
        else:
            entries.append(entry(path, name))
    return entries, left_out


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
        raise RecordingError(
            f"{folder}: nothing to use in it or in any folder below{_refusals(index)}; looked for {looked_for}"
        )
    _refuse_copies(index.entries)
    return index


def _refuse_copies(entries: Iterable[Entry]) -> None:
    """An error if two files claim to be the same recording."""
    first: dict[str, Path] = {}
    for entry in entries:
        if entry.id in first:
            raise RecordingError(
                f"{entry.id} is there twice: {first[entry.id]} and {entry.path}; keep one and move the other away"
            )
        first[entry.id] = entry.path


def _refusals(index: Index) -> str:
    if not index.left_out:
        return ""
    count, reason = len(index.left_out), index.left_out[0][1]
    return f" ({count} files refused, the first: {reason})" if count > 1 else f" (1 file refused: {reason})"


def is_junk(path: PurePath) -> bool:
    """What macOS leaves in archives."""
    return "__MACOSX" in path.parts or path.name.startswith("._")
