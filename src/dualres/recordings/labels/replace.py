"""Replacing a list as a whole, beside programs that know no lock.

Such a program opens the list, appends a row and closes it. Were the list replaced in between, the row would go into a
file without a name. So the new list and the old one change places, and the old one is kept, until nobody has it open
for writing. A row that came in late is appended to the new list. Where the old one was written anew altogether, it
takes its place again, and the edit begins once more.

The kept file is named by what it was and what replaces it, so that the next writer can go on where one was killed.
"""

import hashlib
import os
import re
import shutil
from contextlib import suppress
from glob import escape
from pathlib import Path

from dualres.errors import OutputError, RecordingError
from dualres.utils.files import write_whole
from dualres.utils.other_writers import exchange_names, read_at_rest

PATIENCE_S = 5.0  # for a program that has the list open for writing
_KEPT = re.compile(r"\..+\.(\d+)-(\w{16})-(\w{16})\.kept~?")  # the length and hash of the old list, hash of the new one


def content_at_rest(path: Path) -> bytes | None:
    """The list while nobody writes to it; None without one."""
    try:
        content = read_at_rest(path, PATIENCE_S)
    except FileNotFoundError:
        return None
    if content is None:
        raise _open_elsewhere(path)
    return content


def replaced(path: Path, known: bytes | None, content: bytes) -> bool:
    """Put `content` in the place of a list that is `known`, or of none; False where another list is there by now. Rows
    that were appended to it are appended to `content`.

    An error may leave a kept file behind, for `finish_what_was_left`.
    """
    kept = _name_of_kept(path, known or b"", content)
    write_whole(kept, content)
    if known is None:
        return _put_where_none_is(kept, path)
    try:
        _make_alike(path, kept)
        same = path.read_bytes().startswith(known)
        if same:
            exchange_names(kept, path)
    except FileNotFoundError:  # removed or renamed just now
        same = False
    if not same:
        kept.unlink()
        return False
    _sync(path.parent)
    late = read_at_rest(kept, PATIENCE_S)
    if late is None or not late.startswith(known):
        _put_back(path, kept, content)
        if late is None:
            raise _open_elsewhere(path)
        return False
    append_rows(path, late[len(known) :])
    kept.unlink()
    return True


def removed(path: Path, known: bytes) -> bool:
    """Take away a list that is `known`; False where another one is there by now."""
    kept = _name_of_kept(path, known, b"")
    if content_at_rest(path) != known:
        return False
    path.replace(kept)
    if read_at_rest(kept, PATIENCE_S) == known:
        kept.unlink()
        return True
    if path.exists():
        raise _two_versions(path, kept)
    kept.replace(path)
    return False


def append_rows(path: Path, rows: bytes) -> None:
    """Take in rows that are not in the list yet, as another program would: nothing that it writes meanwhile is lost."""
    if not rows.strip():
        return
    now = path.read_bytes()
    there = set(now.splitlines())
    more = [row for row in rows.splitlines() if row.strip() and row not in there]
    if not more:
        return
    with path.open("ab", buffering=0) as file:
        file.write((b"" if now.endswith(b"\n") else b"\n") + b"".join(b"%s\n" % row for row in more))
        os.fsync(file.fileno())


def finish_what_was_left(path: Path) -> None:
    """Bring in what came late while a writer of ours was killed. Only for whoever holds the lock."""
    for unfinished in path.parent.glob(f"..{escape(path.name)}.*"):
        unfinished.unlink(missing_ok=True)  # never came to its name
    for kept in path.parent.glob(f".{escape(path.name)}.*.kept*"):
        if kept.name.endswith("~") and not path.exists():
            kept.replace(path)  # killed while they changed places
        elif named := _KEPT.fullmatch(kept.name):
            _bring_in(path, kept, int(named[1]), {named[2], named[3]})


def _bring_in(path: Path, kept: Path, length: int, known: set[str]) -> None:
    late = content_at_rest(kept) or b""
    if _hash(late) not in known:  # else the list before the edit or after it, which nobody was told of
        if _hash(late[:length]) not in known:
            raise _two_versions(path, kept)
        append_rows(path, late[length:])
    kept.unlink()


def _put_where_none_is(kept: Path, path: Path) -> bool:
    try:
        path.hardlink_to(kept)
        made = True
    except FileExistsError:
        made = False
    except OSError:  # no second names on this disk
        made = not path.exists()
        if made:
            shutil.copy2(kept, path)
    kept.unlink()
    _sync(path.parent)
    return made


def _put_back(path: Path, kept: Path, content: bytes) -> None:
    """The old list in its place, with rows that were appended to the new one meanwhile."""
    exchange_names(kept, path)
    late = read_at_rest(kept, PATIENCE_S)
    if late is None or not late.startswith(content):
        raise _two_versions(path, kept)
    append_rows(path, late[len(content) :])
    kept.unlink()


def _make_alike(path: Path, kept: Path) -> None:
    """As the old list was, for those who may read and write it."""
    shutil.copymode(path, kept)
    if hasattr(os, "chown"):
        with suppress(OSError):
            was = path.stat()
            os.chown(kept, was.st_uid, was.st_gid)


def _name_of_kept(path: Path, known: bytes, content: bytes) -> Path:
    return path.with_name(f".{path.name}.{len(known)}-{_hash(known)}-{_hash(content)}.kept")


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _open_elsewhere(path: Path) -> OutputError:
    return OutputError(f"{path}: another program has it open for writing, and nothing was saved; close it there")


def _two_versions(path: Path, kept: Path) -> RecordingError:
    return RecordingError(
        f"{path}: was written anew by another program just when it was edited here; the other version is {kept.name} "
        "beside it: take over what you need of it, then remove that file"
    )


def _sync(folder: Path) -> None:
    """Force names to the disk, where a folder can be opened for that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
