"""Which committed chunks wait to be judged: machines take turns, so that none waits for all that another has sent.

What a machine sent is judged in the order in which it came. A turn has an end in seconds of signal, of which judging
takes its time whatever the rate: at a low one, few bytes are many seconds.
"""

from array import array
from collections import deque

from dualres.stream.watch.records import StoredChunk

TURN_S = 4.0  # seconds of signal, about: chunks are not divided
ROUND_S = 20.0  # seconds of signal, of all turns of a round
MOST_CHUNKS = 900  # of a round: so many can be asked for at a time
_PER_CHUNK = 64  # bytes that one takes in memory beside its samples, roughly
_UNTIDY = 1024  # entries that were taken, before their room is given back


class Backlog:
    """By the names of machines."""

    def __init__(self) -> None:
        self._queues: dict[str, _Queue] = {}
        self._turns: deque[str] = deque()  # machines in the order of their turns

    def __bool__(self) -> bool:
        return bool(self._turns)

    def add(self, machine: str, chunk: StoredChunk, rate: float) -> None:
        """A chunk of a stream of `rate` Hz, behind all others of its machine."""
        if machine not in self._queues:
            self._queues[machine] = _Queue()
            self._turns.append(machine)
        self._queues[machine].add(chunk.id, len(chunk.data), chunk.count / rate)

    def take(self, most: int) -> list[int]:
        """The ids of the next chunks, ascending: of about `most` bytes, or `ROUND_S`."""
        ids, seconds = list[int](), 0.0
        while self._turns and most > 0 and seconds < ROUND_S and len(ids) < MOST_CHUNKS:
            machine = self._turns.popleft()
            queue, turn_s = self._queues[machine], 0.0
            while queue.count and most > 0 and turn_s < TURN_S and len(ids) < MOST_CHUNKS:
                id, size, length_s = queue.pop()
                ids.append(id)
                most, turn_s = most - size - _PER_CHUNK, turn_s + length_s
            seconds += turn_s
            if queue.count:
                self._turns.append(machine)
            else:
                del self._queues[machine]
        return sorted(ids)

    def late(self, most: float) -> frozenset[str]:
        """The machines whose latest samples are judged after more than `most` other bytes: while they wait, any other
        one has its turns, until it has nothing left or as much as they have."""
        sizes = sorted(queue.size for queue in self._queues.values())
        passed, longest = 0, float("inf")
        for done, size in enumerate(sizes):
            if passed + size * (len(sizes) - done) > most:
                longest = size
                break
            passed += size
        return frozenset(machine for machine, queue in self._queues.items() if queue.size >= longest)


class _Queue:
    """Of one machine: few bytes for each chunk, for there may be hundreds of thousands."""

    def __init__(self) -> None:
        self._ids, self._sizes, self._lengths_s = array("q"), array("q"), array("d")
        self._next = self.size = 0  # the place of the oldest one, and bytes in all

    @property
    def count(self) -> int:
        return len(self._ids) - self._next

    def add(self, id: int, size: int, length_s: float) -> None:
        self._ids.append(id)
        self._sizes.append(size)
        self._lengths_s.append(length_s)
        self.size += size

    def pop(self) -> tuple[int, int, float]:
        at = self._next
        found = self._ids[at], self._sizes[at], self._lengths_s[at]
        self._next, self.size = at + 1, self.size - found[1]
        if self._next > _UNTIDY and 2 * self._next > len(self._ids):
            del self._ids[: self._next], self._sizes[: self._next], self._lengths_s[: self._next]
            self._next = 0
        return found
