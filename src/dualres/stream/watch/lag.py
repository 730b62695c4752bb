"""How far judging is behind the samples, and how many were lost by it."""

import math
import time
from collections import deque
from collections.abc import Callable
from statistics import median

ROUNDS = 15  # that count; of these the middle one, so that a disk that hangs once does not look like too much work
CALM_S = 10.0  # without another loss: then it is over


class Pace:
    """The time until all that waits is judged, from its size and the speed of the latest rounds of judging."""

    def __init__(self, waiting: int, full: int) -> None:
        """`waiting` bytes are there. Only rounds of `full` bytes or more tell how fast it goes: others have idle time
        in them, and a commit costs as much for little as for much."""
        self._waiting, self._full = waiting, max(full, 1)
        self._rounds: deque[float] = deque(maxlen=ROUNDS)  # seconds for a byte

    def add(self, size: int) -> None:
        self._waiting += size

    def finish_round(self, size: int, seconds: float) -> None:
        self._waiting = max(0, self._waiting - size)
        if size >= self._full:
            self._rounds.append(seconds / size)

    def clear(self) -> None:
        self._waiting = 0

    @property
    def behind_s(self) -> float:
        """Seconds until all that waits is judged; 0 while nobody knows."""
        return self._waiting * median(self._rounds) if self._rounds else 0.0

    def bytes_in(self, seconds: float) -> float:
        """As many as are judged meanwhile; infinite while nobody knows."""
        return seconds / median(self._rounds) if self._rounds else math.inf


class Losses:
    """Says that samples are lost when it begins, and how many were lost when it is over."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._counted = self._before = 0  # samples: so far, and when the present loss began
        self._latest: float | None = None  # when there was another loss; None while there is none

    def count(self, lost: int, *, ended: bool = False) -> None:
        """So many samples of all streams are lost by now; `ended` if no more will come."""
        now = time.monotonic()
        if lost > self._counted:
            if self._latest is None:
                self._before = self._counted
                self._say(
                    "samples come faster than they are judged, and their sources cannot wait; what there is no room "
                    "for is lost, and told as missing"
                )
            self._counted, self._latest = lost, now
        if self._latest is not None and (ended or now - self._latest >= CALM_S):
            self._latest = None
            self._say(f"{self._counted - self._before:,} samples were lost, and no more are")
