"""Timing on a machine that others use too: interleaved calls, and the best of each."""

from __future__ import annotations

import time
from collections.abc import Callable


def best_ms(
    ways: dict[str, Callable[[], object]], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Milliseconds of the fastest call of each way; the ways take turns, so that a busy moment hits all of them."""
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(repeats):
        for name, call in ways.items():
            begin = clock()
            call()
            best[name] = min(best[name], 1000 * (clock() - begin))
    return best
