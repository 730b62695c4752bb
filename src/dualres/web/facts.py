"""Lengths, rates and axes of a folder's files, read one after the other while nobody waits for anything else."""

import time
from collections.abc import Callable, Iterator
from threading import Event, Lock, Thread

from dualres.errors import DualResError
from dualres.web.index import FileEntry
from dualres.web.workspace import Workspace

AT_ONCE_S = 0.3  # of reading before a page is answered: enough for a folder of some hundred files
NEWS_S = 1.0  # between two words of what was read since


class FactsReader:
    """Reads what is not known yet; `tell` is called from its thread when some of it is."""

    def __init__(self, workspace: Workspace, tell: Callable[[], None]) -> None:
        self._workspace, self._tell = workspace, tell
        self._lock, self._over = Lock(), Event()
        self._again = False
        self._thread: Thread | None = None

    def read_some(self) -> None:
        """Begin here and now; what that does not finish goes on in a thread."""
        end = time.monotonic() + AT_ONCE_S
        if any(time.monotonic() > end for _ in self._read()):
            self.go_on()

    def go_on(self) -> None:
        with self._lock:
            self._again = True
            if self._thread is None and not self._over.is_set():
                self._thread = Thread(target=self._run, daemon=True)
                self._thread.start()

    def end(self) -> None:
        self._over.set()

    def _run(self) -> None:
        try:
            self._read_on()
        except Exception:
            if not self._over.is_set():  # else the process ends while a file is read
                raise

    def _read_on(self) -> None:
        while not self._over.is_set():
            with self._lock:
                if not self._again:
                    self._thread = None
                    return
                self._again = False
            told = time.monotonic()
            for _ in self._read():
                if time.monotonic() > told + NEWS_S:
                    self._tell()
                    told = time.monotonic()
                self._workspace.writers.give_way()
                if self._over.is_set():
                    return
            self._tell()

    def _read(self) -> Iterator[FileEntry]:
        """Every recording, once its file was looked at."""
        try:
            entries = self._workspace.entries()
        except (DualResError, OSError):  # whoever asks for them hears of it
            return
        for entry in entries:
            known = self._workspace.known_facts(entry)
            if self._workspace.facts(entry) != known:
                self._workspace.index.log.note_facts(entry.id)
            yield entry
