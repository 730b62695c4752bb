"""Threads that outlive a call: starting them anew would cost as much as many a call takes."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Condition, Lock, Thread, local

from dualres.kernel.compiled import aligned
from dualres.utils.arrays import Floats


def share_out(call: Callable[[int], object], pieces: range, threads: int) -> None:
    """`call(piece)` for every piece, by `threads` threads, of which the calling one is the first. However
    this is left, no call goes on behind it, unless the wait for the last ones is interrupted as well: `call` should
    itself hold what it works on."""
    if threads < 2:
        for piece in pieces:
            call(piece)
        return
    shared = _CallState(call, pieces)
    _pool.submit(shared.help, threads - 1)
    shared.lead()


def thread_count() -> int:
    """How many threads a call may use: PyTorch's number where that is loaded, else OMP_NUM_THREADS, else the cores."""
    if _limit is not None:
        return _limit
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "get_num_threads"):
        return int(torch.get_num_threads())
    setting = os.environ.get("OMP_NUM_THREADS", "")
    if setting.isdecimal() and int(setting) > 0:
        return int(setting)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_limit: int | None = None


def limit_threads(count: int | None) -> None:
    """From now on use that many threads; None for as many as `thread_count` finds by itself."""
    global _limit
    _limit = count


def room(floats: int) -> Floats:
    """So many floats that this thread has for itself; fresh memory would cost a tenth of a window."""
    held: Floats | None = getattr(_own, "room", None)
    if held is None or len(held) < floats:
        held = _own.room = aligned(floats)
    return held


_own = local()


class _CallState:
    """The pieces of one call, and who is at work on them."""

    def __init__(self, call: Callable[[int], object], pieces: range) -> None:
        self._call, self._pending = call, iter(pieces)
        self._changed, self._helpers, self._over = Condition(), 0, False
        self._error: BaseException | None = None

    def lead(self) -> None:
        """Until all is done; by the thread that wants it done."""
        try:
            self._work()
        finally:
            with self._changed:
                self._over = True
                self._changed.wait_for(lambda: not self._helpers)
        if self._error is not None:
            raise self._error

    def help(self) -> None:
        """As long as there is something to do; who comes when all is over does nothing."""
        with self._changed:
            if self._over:
                return
            self._helpers += 1
        try:
            self._work()
        except BaseException as error:
            self._error, self._over = error, True
        finally:
            with self._changed:
                self._helpers -= 1
                self._changed.notify()

    def _work(self) -> None:
        while not self._over:  # asked before a piece is taken: one that is taken is done
            piece = next(self._pending, None)
            if piece is None:
                return
            self._call(piece)


class _Pool:
    """Threads for all calls: as many as any of them has wanted. They start when they are first needed."""

    def __init__(self) -> None:
        self._lock, self._size, self._queue = Lock(), 0, SimpleQueue[Callable[[], object]]()

    def submit(self, work: Callable[[], object], times: int) -> None:
        """`work`, `times` times, soon; not at all where no threads can be had."""
        with self._lock:
            with suppress(RuntimeError):  # no more of them, or the interpreter is about to exit
                while self._size < times:
                    Thread(target=_serve, args=(self._queue,), name=f"dualres_{self._size}", daemon=True).start()
                    self._size += 1
            for _ in range(min(times, self._size)):
                self._queue.put(work)


def _serve(queue: SimpleQueue[Callable[[], object]]) -> None:
    while True:
        work = queue.get()
        work()
        del work  # with all that it holds


_pool = _Pool()


def _begin_anew() -> None:
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)  # a forked process has the object, but not its threads
