"""Verdicts on their way to a sink: in order, again until they arrive, and more patiently each time."""

import threading
import time
from collections.abc import Callable, Sequence

from dualres.stream.watch.records import VerdictRecord
from dualres.stream.watch.sinks.sink import ClosedError, Sink

BATCH = 200  # verdicts
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 60.0  # after the first failure of a verdict, and after many of them
TOLD_EVERY_S = 60.0  # of a sink that fails now and then, not of each failure


class Delivery:
    """One sink and its thread. The agent hands over verdicts and reads the position of the sink.

    What arrived counts at once, whatever becomes of the verdicts behind it. Where several fail together, they are sent
    one by one, until it is clear which one fails: it holds up those behind it, and no other waits for its pauses.
    """

    def __init__(self, sink: Sink, position: int, wake: Callable[[], None], say: Callable[[str], None]) -> None:
        self.sink, self.position = sink, position  # the last verdict that arrived
        self.closed = False
        self._records: Sequence[VerdictRecord] = ()
        self._wake, self._say = wake, say
        self._changed = threading.Condition()
        self._deadline = float("inf")  # by `time.monotonic`
        self._size = sink.at_once  # verdicts of the next attempt
        self._pause, self._failing = FIRST_PAUSE_S, False
        self._told, self._told_at = False, float("-inf")  # whether somebody knows that it fails, and since when
        self._thread = threading.Thread(target=self._run, name=f"to {sink.name}", daemon=True)
        self._thread.start()

    @property
    def idle(self) -> bool:
        """Whether it can be given more."""
        return not self._records and not self.closed

    def hand_over(self, records: Sequence[VerdictRecord]) -> None:
        with self._changed:
            self._records = records
            self._changed.notify()

    def stop(self, deadline: float) -> None:
        """Let the thread end; at `deadline` (`time.monotonic`), what it has in hand is left to the next start."""
        with self._changed:
            self._deadline = deadline
            self._changed.notify()
        self._thread.join(max(0.0, deadline - time.monotonic()))

    @property
    def _stopping(self) -> bool:
        return self._deadline < float("inf")

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._records or self._stopping)
                if not self._records or (self._stopping and self._failing) or time.monotonic() >= self._deadline:
                    break
            part = self._records[: self._size]
            try:
                self.sink.send(part)
            except ClosedError:
                self.closed = True
                break
            except Exception as error:  # whatever it is: a thread that ends in silence delivers nothing more
                if len(part) > 1:  # all of them may have failed for one
                    self._size = 1
                else:
                    self._wait_after(error)
                continue
            self._count(part)
        self._wake()
        self.sink.close()

    def _count(self, part: Sequence[VerdictRecord]) -> None:
        """These have arrived."""
        if self._failing and self._told:
            self._say(f"{self.sink.name}: delivers again")
        self._pause, self._failing, self._told = FIRST_PAUSE_S, False, False
        self._size = min(2 * self._size, self.sink.at_once)
        self.position, self._records = part[-1].id, self._records[len(part) :]
        self._wake()

    def _wait_after(self, error: Exception) -> None:
        """The verdict that is next did not arrive."""
        now = time.monotonic()
        if not self._told and now - self._told_at >= TOLD_EVERY_S:
            reason = str(error) or type(error).__name__
            self._say(f"{self.sink.name}: not delivered ({reason}); it is tried again until it works")
            self._told, self._told_at = True, now
        self._failing = True
        with self._changed:
            self._changed.wait_for(lambda: self._stopping, self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE_S)
