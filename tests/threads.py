"""Results by several numbers of threads. Nothing has to be put back: each test begins with one (conftest.py)."""

from collections.abc import Callable, Iterable

import torch


def by_threads(numbers: Iterable[int], call: Callable) -> list:
    """What a call gives with each number."""
    found = []
    for threads in numbers:
        torch.set_num_threads(threads)
        found.append(call())
    return found
