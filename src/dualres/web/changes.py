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


class ChangeLog:
    """Counts versions. Those of another process, or of a time before this one, mean nothing here."""

    def __init__(self) -> None:
        self.epoch, self.version = secrets.token_hex(6), 1
        self._lock, self._oldest, self._size = Lock(), 1, 0
        self._steps: deque[tuple[int, Collection[str], Collection[str]]] = deque()

    def note(self, changed: Collection[str], removed: Collection[str] = ()) -> None:
        if not changed and not removed:
            return
        with self._lock:
            self.version += 1
            self._steps.append((self.version, changed, removed))
            self._size += len(changed) + len(removed)
            while self._size > KEPT:
                self._oldest, *gone = self._steps.popleft()
                self._size -= sum(map(len, gone))

    def since(self, version: int, epoch: str) -> ChangedIds:
        """What changed after a version; whatever was removed and came back has changed."""
        with self._lock:
            if epoch != self.epoch or not self._oldest <= version <= self.version:
                return ChangedIds(self.version, None, ())
            last: dict[str, bool] = {}
            later = []
            for step in reversed(self._steps):
                if step[0] <= version:
                    break
                later.append(step)
            for _, changed, removed in reversed(later):
                last.update(dict.fromkeys(removed, False))
                last.update(dict.fromkeys(changed, True))
            changed, removed = ([id for id, there in last.items() if there is which] for which in (True, False))
            return ChangedIds(self.version, changed, removed)
