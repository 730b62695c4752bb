"""What a person is told of samples that there was no room for."""

from __future__ import annotations

import time
from collections.abc import Callable

CALM_S = 10.0  # without another loss: then it is over


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
