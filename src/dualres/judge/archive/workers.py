"""Files judged by several processes of this machine, each with one thread, and told in their order.

A worker that is lost costs nothing but itself: what it had is given to another one, which reads with care, and if that
is lost as well, file by file. A file that no process survives is told as one that could not be judged.
"""

import os
import pickle
import selectors
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

from dualres.errors import ConfigError, RecordingError
from dualres.judge.archive.chunk_sizes import ChunkSizes
from dualres.judge.archive.frames import framed, take_frames
from dualres.judge.archive.line import VerdictLine
from dualres.judge.archive.worker import ArchiveTask, Chunk
from dualres.judge.files import unjudged
from dualres.recordings.labels.rows_to_judge import Entry, row_of_entry

EACH = 2  # chunks that a worker has, so that it never waits
AHEAD = 4  # chunks for every worker that may be done before an earlier one is
LOST = "the process that judged it was lost; the file is damaged, or takes more memory than there is"

Numbered = tuple[int, Chunk]


class Workers:
    """So many processes for one archive, started at once and ended with it."""

    def __init__(self, task: ArchiveTask, count: int) -> None:
        self._task = pickle.dumps(task)
        self._write = task.write
        self._selector = selectors.DefaultSelector()
        self._sizes, self._again = ChunkSizes(count), deque[Numbered]()
        self._workers = [_Worker(self._task, self._selector) for _ in range(count)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.end()
        self._selector.close()

    def judged(self, entries: Iterable[tuple[Path | None, Entry]]) -> Iterator[list[VerdictLine]]:
        """The lines of the files in their order, as many at a time as are done."""
        left, done = iter(entries), dict[int, list[VerdictLine]]()
        handed = told = 0
        while True:
            for worker in sorted(self._workers, key=lambda one: len(one.has)):
                while len(worker.has) < EACH:
                    if self._again:
                        worker.give(self._again.popleft())
                        continue
                    if handed - told >= AHEAD * len(self._workers):
                        break
                    if not (some := tuple(islice(left, self._sizes.size))):
                        break
                    worker.give((handed, Chunk(some)))
                    handed += 1
            if handed == told:
                return
            self._wait(done)
            while told in done:
                yield done.pop(told)
                told += 1

    def _wait(self, done: dict[int, list[VerdictLine]]) -> None:
        """Until a worker says something, takes something, or is lost."""
        for key, events in self._selector.select():
            worker: _Worker = key.data
            if worker.ended:  # within this very look
                continue
            try:
                if events & selectors.EVENT_WRITE:
                    worker.send()
                for number, lines in worker.take() if events & selectors.EVENT_READ else ():
                    done[number] = lines
                    self._sizes.add(len(lines))
            except (OSError, ValueError):
                self._replace(worker, done)

    def _replace(self, lost: "_Worker", done: dict[int, list[VerdictLine]]) -> None:
        has = list(lost.has)
        lost.end()
        self._workers.remove(lost)
        if not lost.started:
            raise ConfigError(f"the process that is to judge files does not start ({sys.executable})")
        # Of several chunks, one was being judged: the first. The others come next, as they are.
        for number, chunk in reversed(has[1:]):
            self._again.appendleft((number, chunk))
        for number, chunk in has[:1]:
            if chunk.careful:
                done[number] = [self._alone(one) for one in chunk.entries]
            else:
                self._again.appendleft((number, Chunk(chunk.entries, careful=True)))
        self._workers.append(_Worker(self._task, self._selector))

    def _alone(self, one: tuple[Path | None, Entry]) -> VerdictLine:
        """A file judged by a worker of its own, which may be lost to it."""
        with selectors.DefaultSelector() as selector:
            worker = _Worker(self._task, selector)
            worker.give((0, Chunk((one,), careful=True)))
            try:
                while True:
                    for _, events in selector.select():
                        if events & selectors.EVENT_WRITE:
                            worker.send()
                        for _, (line,) in worker.take():
                            return line
            except (OSError, ValueError):
                row = row_of_entry(*one)
                return self._write(unjudged(row, RecordingError(f"{row.file}: {LOST}")))
            finally:
                worker.end()


class _Worker:
    """One process, with what it was given and has not answered."""

    def __init__(self, task: bytes, selector: selectors.BaseSelector) -> None:
        # As the process that reads files is started: never with modules that lie beside the recordings.
        search = [str(Path(__file__).parents[3]), *filter(None, [os.environ.get("PYTHONPATH")])]
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", "-m", "dualres.judge.archive.worker"],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | threads | {"PYTHONPATH": os.pathsep.join(search)},
            start_new_session=True,  # an interrupt from the keyboard is for the parent
        )
        assert self._process.stdin
        assert self._process.stdout
        self._in, self._out = self._process.stdin, self._process.stdout
        for end in (self._in, self._out):
            os.set_blocking(end.fileno(), False)
        self.has = deque[Numbered]()
        self.started = self.ended = False
        self._received = bytearray()
        self._unsent = bytearray(framed(pickle.dumps(sys.path)) + framed(task))
        self._selector = selector
        selector.register(self._out, selectors.EVENT_READ, self)
        selector.register(self._in, selectors.EVENT_WRITE, self)

    def give(self, numbered: Numbered) -> None:
        self.has.append(numbered)
        if not self._unsent:
            self._selector.register(self._in, selectors.EVENT_WRITE, self)
        self._unsent += framed(pickle.dumps(numbered[1]))

    def send(self) -> None:
        """What the pipe takes; an OSError where nobody listens any more."""
        if self._unsent:
            sent = os.write(self._in.fileno(), self._unsent[: 1 << 16])
            del self._unsent[:sent]
        if not self._unsent:
            self._selector.unregister(self._in)

    def take(self) -> list[tuple[int, list[VerdictLine]]]:
        """What it says by now, by the numbers of its chunks; an error for a process that is gone or talks nonsense."""
        try:
            some = os.read(self._out.fileno(), 1 << 20)
        except BlockingIOError:
            return []
        if not some:
            raise ValueError("it is gone")
        self._received += some
        found = []
        for frame in take_frames(self._received):
            if not self.started:
                self.started = True
                continue
            number, chunk = self.has[0]
            lines = [VerdictLine.received(line) for line in frame.decode("utf-8", "surrogatepass").split("\n")]
            if len(lines) != len(chunk.entries):
                raise ValueError("it tells of other files than it was given")
            self.has.popleft()
            found.append((number, lines))
        return found

    def end(self) -> None:
        self.ended = True
        for end in (self._in, self._out):
            if end in self._selector.get_map():
                self._selector.unregister(end)
            end.close()
        self._process.kill()
        self._process.wait()
