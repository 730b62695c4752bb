"""Which file a stream was read from, so that another one in its place is not read on as if it were the same.

A file goes by its inode and a hash of its head. The number of its device is not part of it: one and the same file
system may get another at every start of the machine.
"""

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import BinaryIO, Self

HEAD = 4096  # bytes
LONGEST_S = 2.0  # for which a whole head is waited for; then the file goes by what it has
_IN_RUN = re.compile(r"-(\d+)-([0-9a-f]{16})$")


@dataclass(frozen=True)
class FileIdentity:
    head: int  # bytes of the head that were there when it was looked at
    digest: str  # of the inode and those bytes

    @classmethod
    def of(cls, file: BinaryIO, head: int = HEAD) -> Self:
        """As the file on the disk is now; of a shorter one, by what there is."""
        inode, content = os.fstat(file.fileno()).st_ino, _head(file, head)
        return cls(len(content), sha256(b"%d " % inode + content).hexdigest()[:16])

    @classmethod
    def parsed(cls, run: str) -> Self | None:
        """As it stands in the name of a run; None in one that has none."""
        found = _IN_RUN.search(run)
        return cls(int(found[1]), found[2]) if found else None

    @classmethod
    def awaited(cls, file: BinaryIO, over: Callable[[], bool], wait: Callable[[], object]) -> Self:
        """As soon as the file has a whole head, or is `over`, or has been too short for it for long."""
        end = time.monotonic() + LONGEST_S
        while os.fstat(file.fileno()).st_size < HEAD and not over() and time.monotonic() < end:
            wait()
        return cls.of(file)

    def fits(self, file: BinaryIO) -> bool:
        """Whether this is the file, with more in it or not."""
        return FileIdentity.of(file, self.head) == self

    def new_run(self) -> str:
        """A name for a run that begins now."""
        return f"{datetime.fromtimestamp(time.time(), UTC):%Y%m%dT%H%M%S.%f}-{self.head}-{self.digest}"


def _head(file: BinaryIO, count: int) -> bytes:
    """Where it is read next does not change, nor is it taken from what Python has read ahead."""
    if hasattr(os, "pread"):
        return os.pread(file.fileno(), count, 0)
    position = file.tell()
    file.seek(0)
    content = file.read(count)
    file.seek(position)
    return content
