"""What runs in a process that judges files of an archive, handed out by `Workers`.

It reads them itself, which is quick, and may be lost to a damaged one; a chunk that was lost before is read with care.
What it is sent is pickled by the process that started it. What it says is plain text, for who knows what it has read.
"""

import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dualres.judge.archive.frames import framed, read_frame
from dualres.judge.archive.line import LineWriter
from dualres.judge.files import JudgeSettings, judged_file
from dualres.judge.model import Model
from dualres.kernel.threads import limit_threads
from dualres.recordings.formats.direct import DirectGuard
from dualres.recordings.formats.sandbox import SHARED
from dualres.recordings.labels.rows_to_judge import Entry, row_of_entry
from dualres.utils.malloc import keep_freed_memory


@dataclass(frozen=True)
class ArchiveTask:
    """What all files of an archive share."""

    model: Model
    how: JudgeSettings
    write: LineWriter
    prepare: Callable[[], None]  # what every process does first, such as to load plugins


@dataclass(frozen=True)
class Chunk:
    """Some of the files, with the folders that they must lie in."""

    entries: tuple[tuple[Path | None, Entry], ...]
    careful: bool = False


def main() -> None:
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):  # a library that prints must not speak to the parent
        os.dup2(nothing, stream)
    keep_freed_memory()
    limit_threads(1)
    sys.path[:] = pickle.loads(read_frame(requests) or b"")  # what is sent next may need modules of plugins
    task: ArchiveTask = pickle.loads(read_frame(requests) or b"")
    task.prepare()
    direct = DirectGuard()
    answers.write(framed(b""))
    answers.flush()
    while (sent := read_frame(requests)) is not None:
        chunk: Chunk = pickle.loads(sent)
        guard = SHARED if chunk.careful else direct
        rows = (row_of_entry(within, entry) for within, entry in chunk.entries)
        lines = [task.write(judged_file(task.model, row, task.how, guard)).sent() for row in rows]
        answers.write(framed("\n".join(lines).encode("utf-8", "surrogatepass")))
        answers.flush()


if __name__ == "__main__":
    main()
