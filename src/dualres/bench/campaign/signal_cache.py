"""Signals that are made once and kept on disk, each with a hash that is checked whenever it is read.

What a damaged file or somebody else put there would change scores while the hashes of a job's inputs stay the same.
"""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import numpy as np

from dualres.recordings.recording import Samples
from dualres.utils.files import write_whole

_DIGEST = 32  # bytes at the end of a file, after NumPy's own format


@dataclass(frozen=True)
class SignalCache:
    """A folder of kept signals. Nothing is read from it or written to it where others may write, too."""

    folder: Path

    def kept(self, name: str, make: Callable[[], Samples]) -> Samples:
        """The signal of this name: read where an intact one is kept, else made, and kept for the next time."""
        path = self.folder / f"{name}.npy"
        if not all(map(_is_ours, self._folders(path))):
            return np.ascontiguousarray(make(), dtype=np.float32)
        content = _intact(path, name)
        if content is None:
            content = _in_npy(make())
            write_whole(path, content + _digest(name, content))
        signal: Samples = np.load(BytesIO(content))  # of the very bytes that were checked
        return signal

    def _folders(self, path: Path) -> Iterator[Path]:
        """Those between the cache and the file that exist, the cache itself included."""
        inside = path.relative_to(self.folder).parents
        return (self.folder / each for each in inside if (self.folder / each).exists())


def _is_ours(path: Path) -> bool:
    """Whether nobody but this user and the system's administrator can have written here."""
    found = path.stat()
    return found.st_uid in (0, os.geteuid()) and not found.st_mode & stat.S_IWOTH


def _intact(path: Path, name: str) -> bytes | None:
    """What is kept, if it is what was written."""
    if not path.is_file() or not _is_ours(path):
        return None
    whole = path.read_bytes()
    content, digest = whole[:-_DIGEST], whole[-_DIGEST:]
    return content if digest == _digest(name, content) else None


def _in_npy(signal: Samples) -> bytes:
    buffer = BytesIO()
    np.save(buffer, np.ascontiguousarray(signal, dtype=np.float32))
    return buffer.getvalue()


def _digest(name: str, content: bytes) -> bytes:
    """Of the content and its name: an intact file under another's name is another's signal."""
    digest = sha256(f"{name}\n".encode())
    digest.update(content)
    return digest.digest()
