"""Something found out about every recording, one after another in a thread, and kept for each state of its file."""

from collections.abc import Callable, Collection, Iterable, Mapping
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
    """Calls `look` for every recording that is not known yet; those with a label first, or last, else in no order, so
    that what is known so far stands for the whole. `tell` is called in the thread, now and then and at the end."""

    def __init__(
        self,
        workspace: Workspace,
        look: Callable[[FileEntry], T],
        tell: Callable[[], None],
        *,
        most: int | None = MOST,
        labelled_first: bool = True,
    ) -> None:
        self._workspace, self._look, self._tell = workspace, look, tell
        self._most, self._labelled_first = most, labelled_first
        self._found: dict[str, Found[T]] = {}  # by the entry's id
        self._lock, self._over, self._going = Lock(), Event(), False
        self._left: dict[str, FileEntry] = {}  # what is still to be found out, by id
        self._total = 0
        self.version = 0  # another one wherever something else is known

    def go(self, ids: Collection[str] | None = None) -> None:
        """Find out what is not known of all, unless that is being done, or of these beside what is being done; at once
        where nothing is missing."""
        with self._lock:
            if self._over.is_set() or (self._going and ids is None):
                return
            entries = self._entries()
            if ids is None:
                self._forget_others(entries)
            else:
                wanted = set(ids)
                entries = [one for one in entries if one.id in wanted]
            missing = {one.id: one for one in entries if one.id not in self._left and not self._knows(one)}
            self._total = self._total + len(missing) if self._going else len(entries)
            self._left |= missing
            if self._going or not missing:
                return
            self._going = True
        Thread(target=self._run, daemon=True).start()

    def _forget_others(self, entries: Iterable[FileEntry]) -> None:
        gone = self._found.keys() - {one.id for one in entries}
        for id in gone:
            del self._found[id]
        self.version += bool(gone)

    def pause(self) -> None:
        """Until the next call of `go`; what was found stays."""
        with self._lock:
            self._left.clear()

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
            return {"done": max(self._total - len(self._left), 0), "total": self._total, "running": self._going}

    def _entries(self) -> list[FileEntry]:
        """Ids are hashes of names: their order is none."""
        readable = (one for one in self._workspace.entries() if not one.row.problem)
        last = self._labelled_first
        return sorted(readable, key=lambda one: (bool(one.row.known.get("label")) != last, one.id))[: self._most]

    def _knows(self, entry: FileEntry) -> bool:
        found = self._found.get(entry.id)
        return found is not None and found.state == _state(entry)

    def _run(self) -> None:
        told = monotonic()
        try:
            while (entry := self._next()) is not None:
                self._workspace.writers.give_way()
                self._find(entry)
                with self._lock:
                    self._left.pop(entry.id, None)
                if monotonic() - told > BETWEEN_S:
                    told = monotonic()
                    self._tell()
        finally:
            with self._lock:
                self._going = False
            self._tell()

    def _next(self) -> FileEntry | None:
        """None at the end."""
        with self._lock:
            found = None if self._over.is_set() else next(iter(self._left.values()), None)
            self._going = found is not None
            return found

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
