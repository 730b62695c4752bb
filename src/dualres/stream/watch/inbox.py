"""Where chunks of all sources wait to be committed: in the order in which they came, and never too many of them."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from dualres.stream.monitor.chunk import Chunk

ROOM = 16 << 20  # bytes
_PER_CHUNK = 500  # bytes that one takes beside its samples, roughly: many small ones must not fill the memory


class Intake:
    """Sources put chunks in, each from its own thread; the agent takes them out."""

    def __init__(self, room: int = ROOM) -> None:
        self._room, self._size = room, 0
        self._chunks: deque[tuple[Chunk, bool]] = deque()  # and whether its source waits
        self._changed = threading.Condition()
        self._woken = self._closed = False
        self._dropped: dict[str, int] = {}
        self.lost_samples = 0  # samples that were dropped, of all streams
        self.late: Callable[[str], bool] = lambda stream: False  # whether of a stream no more is taken in for now

    def put_waiting(self, chunk: Chunk) -> None:
        """When half of the room is free, for a source that can wait: the other half is for those that cannot."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or not self._chunks or 2 * self._size < self._room)
            if not self._closed:
                self._add(chunk, waits=True)

    def put_or_drop(self, chunk: Chunk) -> None:
        """If there is room, else its samples are missing, which the next chunk tells: for a source that cannot wait."""
        with self._changed:
            if self._size >= self._room or self.late(chunk.stream):
                self._dropped[chunk.stream] = self._dropped.get(chunk.stream, 0) + chunk.missing + chunk.count
                self.lost_samples += chunk.count
            else:
                dropped = self._dropped.pop(chunk.stream, 0)
                self._add(replace(chunk, missing=chunk.missing + dropped) if dropped else chunk, waits=False)

    def take(self, timeout: float, most: int = ROOM) -> list[Chunk]:
        """The oldest chunks, up to `most` bytes but at least one; none after `timeout` seconds, or when woken. Those of
        a late stream whose source waits stay here."""
        with self._changed:
            self._changed.wait_for(lambda: self._chunks or self._woken, timeout)
            self._woken = False
            chunks, kept, room = list[Chunk](), deque[tuple[Chunk, bool]](), most
            while self._chunks and (not chunks or _size_of(self._chunks[0][0]) <= room):
                chunk, waits = self._chunks.popleft()
                if waits and self.late(chunk.stream):
                    kept.append((chunk, waits))
                    continue
                chunks.append(chunk)
                room -= _size_of(chunk)
            self._chunks.extendleft(reversed(kept))
            self._size -= most - room
            self._changed.notify_all()
            return chunks

    @property
    def empty(self) -> bool:
        return not self._chunks

    def wait(self, timeout: float) -> None:
        """Until woken, or `timeout` seconds, whatever comes in."""
        with self._changed:
            self._changed.wait_for(lambda: self._woken, timeout)
            self._woken = False

    def wake(self) -> None:
        """Let `take` return: something else than a chunk is to be looked at."""
        with self._changed:
            self._woken = True
            self._changed.notify_all()

    def close(self) -> None:
        """Nobody waits for room any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _add(self, chunk: Chunk, *, waits: bool) -> None:
        self._chunks.append((chunk, waits))
        self._size += _size_of(chunk)
        self._changed.notify_all()


def _size_of(chunk: Chunk) -> int:
    """In bytes; an empty one takes some, too."""
    return len(chunk.data) + _PER_CHUNK
