"""Work in steps, several of them side by side in one thread: a GPU, which each keeps busy in part, does them at once.

A step hands work to the GPU and does not wait for it. So that none gets far ahead of what is done, a piece of work says
after each step what has to be over before the next. Each has a stream, random generators and graphs of its own, and
ends with what it ends with alone, to the last bit.
"""

from __future__ import annotations

import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import torch

from dualres.machinery.cuda_graphs import full_precision, own_stream
from dualres.machinery.seeding import Randomness
from dualres.machinery.spent import Spent

Result = TypeVar("Result")
Gate = torch.cuda.Event | None  # what the next step has to wait for; None for nothing
Steps = Generator[Gate, None, Result]

AT_ONCE = 16  # streams; PyTorch has twice as many, and the kernels of more would wait for each other
PAUSE_S = 5e-5  # while nothing can go on


def completed(steps: Steps[Result]) -> Result:
    """What the work ends with, done alone."""
    try:
        while True:
            if gate := next(steps):
                gate.synchronize()
    except StopIteration as end:
        result: Result = end.value
        return result


@dataclass(frozen=True)
class Ended(Generic[Result]):
    name: Any
    result: Result | Exception
    spent: Spent  # of the time, at every moment an even share for each that was under way


@dataclass
class _Work(Generic[Result]):
    name: Any
    start: Callable[[], Steps[Result]]
    randomness: Randomness
    number: int = 0  # of its stream
    steps: Steps[Result] | None = None
    gate: Gate = None
    spent: Spent = field(default_factory=Spent)


class SideBySide(Generic[Result]):
    """Pieces of work on one device, at most `at_once` of them under way. What one fails of is its own end alone."""

    def __init__(self, device: str, at_once: int = AT_ONCE) -> None:
        self._device = device
        self._waiting: deque[_Work[Result]] = deque()
        self._under_way: list[_Work[Result]] = []
        self._ended: deque[Ended[Result]] = deque()
        self._free = list(range(at_once))[::-1]  # numbers of streams
        self._counted_at = time.perf_counter()

    def begin(self, name: Any, seed: int, start: Callable[[], Steps[Result]]) -> None:
        """Take the work that `start` gives, to be advanced by `feed` and `ended`; its generators have this seed."""
        self._waiting.append(_Work(name, start, Randomness(seed)))

    def feed(self) -> bool:
        """Advance each that can go on by a step, without waiting for any; False where there is none."""
        while self._waiting and self._free:
            self._count()
            work = self._waiting.popleft()
            work.number = self._free.pop()
            self._under_way.append(work)
        got_on = [self._advanced(work) for work in list(self._under_way)]
        return any(got_on)

    def ended(self) -> Iterator[Ended[Result]]:
        """Each as soon as it is over, until all are."""
        while self._waiting or self._under_way or self._ended:
            while self._ended:
                yield self._ended.popleft()
            if not self.feed():
                time.sleep(PAUSE_S)

    def _advanced(self, work: _Work[Result]) -> bool:
        """Whether the work got on, or came to its end."""
        end: Result | Exception
        try:
            if work.gate and not work.gate.query():
                return False
            with work.randomness, full_precision(), self._stream(work), work.spent.allocating(self._device):
                if work.steps is None:
                    work.steps = work.start()
                try:
                    work.gate = next(work.steps)
                    return True
                except StopIteration as over:
                    end = over.value
        except Exception as error:
            end = _without_locals(error)
        self._count()
        self._under_way.remove(work)
        self._free.append(work.number)
        self._ended.append(Ended(work.name, end, work.spent))
        return True

    def _stream(self, work: _Work[Result]) -> AbstractContextManager[object]:
        if not self._device.startswith("cuda"):
            return nullcontext()
        index = torch.device(self._device).index
        return torch.cuda.stream(own_stream(torch.cuda.current_device() if index is None else index, work.number))

    def _count(self) -> None:
        """Share out the time since the last call."""
        now = time.perf_counter()
        for work in self._under_way:
            work.spent.seconds += (now - self._counted_at) / len(self._under_way)
        self._counted_at = now


def _without_locals(error: Exception) -> Exception:
    """The error with its places, but without what its functions held: the others may need that memory."""
    cause: BaseException | None = error
    while cause:
        traceback.clear_frames(cause.__traceback__)
        cause = cause.__context__
    return error
