"""What has changed of a list since a page looked at it, so that the page need not ask for all of it again."""

import secrets
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from threading import Lock

KEPT = 400_000  # ids that are remembered; a page that is farther behind asks for everything


@dataclass(frozen=True)
class ChangedIds:
    version: int
    changed: Collection[str] | None  # None where a page must ask for everything
    removed: Collection[str]


@dataclass(frozen=True)
class _Step:
    version: int
    changed: Collection[str]
    removed: Collection[str]
    said: bool  # whether the folder or its list says something else; else more is known of the files


class ChangeLog:
    """Counts versions. Those of another process, or of a time before this one, mean nothing here."""

    def __init__(self) -> None:
        self.epoch, self.version = secrets.token_hex(6), 1
        self._lock, self._oldest, self._size = Lock(), 1, 0
        self._steps: deque[_Step] = deque()

    def note(self, changed: Collection[str], removed: Collection[str] = ()) -> None:
        """What the folder or its list says of these is another by now."""
        if changed or removed:
            self._note(changed, removed, said=True)

    def note_facts(self, id: str) -> None:
        """A file was read, so that more is known of it."""
        self._note([id], (), said=False)

    def _note(self, changed: Collection[str], removed: Collection[str], *, said: bool) -> None:
        with self._lock:
            self.version += 1
            self._steps.append(_Step(self.version, changed, removed, said))
            self._size += len(changed) + len(removed)
            while self._size > KEPT:
                gone = self._steps.popleft()
                self._oldest, self._size = gone.version, self._size - len(gone.changed) - len(gone.removed)

    def since(self, version: int, epoch: str) -> ChangedIds:
        """What changed after a version; whatever was removed and came back has changed."""
        with self._lock:
            steps = self._after(version, epoch)
            if steps is None:
                return ChangedIds(self.version, None, ())
            last: dict[str, bool] = {}
            for step in steps:
                last.update(dict.fromkeys(step.removed, False))
                last.update(dict.fromkeys(step.changed, True))
            changed, removed = ([id for id, there in last.items() if there is which] for which in (True, False))
            return ChangedIds(self.version, changed, removed)

    def said_since(self, version: int, epoch: str) -> set[str] | None:
        """Of which recordings the folder or its list says something else than at a version; None if nobody knows."""
        with self._lock:
            steps = self._after(version, epoch)
            return None if steps is None else {id for one in steps if one.said for id in (*one.changed, *one.removed)}

    def _after(self, version: int, epoch: str) -> list[_Step] | None:
        """The steps after a version, in their order; None where they are not known any more."""
        if epoch != self.epoch or not self._oldest <= version <= self.version:
            return None
        found = []
        for step in reversed(self._steps):
            if step.version <= version:
                break
            found.append(step)
        return found[::-1]
