"""Something found out about every recording, one after another in a thread, and kept for each state of its file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, Generic, TypeVar

from dualres.errors import DualResError
from dualres.recordings.recording import FileStamp
from dualres.web.index import FileEntry
from dualres.web.words import plain
from dualres.web.workspace import Workspace

BETWEEN_S = 0.5  # two pieces of news about a walk
MOST = 20_000  # recordings that are walked to

T = TypeVar("T")


@dataclass(frozen=True)
class Found(Generic[T]):
    """What was found out about a recording, or why nothing was."""

    state: tuple[object, ...]  # of its file and of what is said of it, but for its label
    value: T | None = None
    problem: str = ""


class Walk(Generic[T]):
    """Calls `look` for every recording that is not known yet; those with a label first, then in no order, so that what
    is known so far stands for the whole. `tell` is called in the thread, now and then and at the end."""

    def __init__(self, workspace: Workspace, look: Callable[[FileEntry], T], tell: Callable[[], None]) -> None:
        self._workspace, self._look, self._tell = workspace, look, tell
        self._found: dict[str, Found[T]] = {}  # by the entry's id
        self._lock, self._over, self._going = Lock(), Event(), False
        self._total = 0
        self.version = 0  # another one wherever something else is known

    def go(self) -> None:
        """Find out what is not known, unless that is being done; at once where nothing is missing."""
        with self._lock:
            if self._going or self._over.is_set():
                return
            entries = self._entries()
            self._total = len(entries)
            missing = [one for one in entries if not self._knows(one)]
            gone = self._found.keys() - {one.id for one in entries}
            for id in gone:
                del self._found[id]
            self.version += bool(gone)
            if not missing:
                return
            self._going = True
        Thread(target=self._run, args=(missing,), daemon=True).start()

    def stop(self) -> None:
        """For good; what was found stays."""
        self._over.set()

    @property
    def found(self) -> Mapping[str, Found[T]]:
        """So far."""
        with self._lock:
            return dict(self._found)

    def get(self, entry: FileEntry) -> Found[T]:
        """What is found out about one recording, now if it is not known."""
        if not self._knows(entry):
            self._find(entry)
        return self._found[entry.id]

    def progress(self) -> dict[str, Any]:
        with self._lock:
            return {"done": min(len(self._found), self._total), "total": self._total, "running": self._going}

    def _entries(self) -> list[FileEntry]:
        """Ids are hashes of names: their order is none."""
        readable = (one for one in self._workspace.entries() if not one.row.problem)
        return sorted(readable, key=lambda one: (not one.row.known.get("label"), one.id))[:MOST]

    def _knows(self, entry: FileEntry) -> bool:
        found = self._found.get(entry.id)
        return found is not None and found.state == _state(entry)

    def _run(self, missing: list[FileEntry]) -> None:
        told = monotonic()
        try:
            for entry in missing:
                if self._over.is_set():
                    return
                self._workspace.writers.give_way()
                self._find(entry)
                if monotonic() - told > BETWEEN_S:
                    told = monotonic()
                    self._tell()
        finally:
            with self._lock:
                self._going = False
            self._tell()

    def _find(self, entry: FileEntry) -> None:
        state = _state(entry)
        try:
            found = Found(state, self._look(entry))
        except (DualResError, OSError) as error:
            said = str(error).removeprefix(f"{entry.row.file}: ").removeprefix(f"{entry.name}: ")
            found = Found(state, problem=plain(said))
        with self._lock:
            self._found[entry.id] = found
            self.version += 1


def _state(entry: FileEntry) -> tuple[object, ...]:
    row = entry.row
    try:
        stamp = FileStamp.of(row.file.stat())
    except OSError:
        stamp = None
    said = tuple(sorted((row.known.get("condition") or {}).items()))
    return row.rate, row.channel, row.part, said, stamp
