"""Verdicts on their way to a sink: in order, again until they arrive, and more patiently each time."""

import threading
import time
from collections.abc import Callable, Sequence

from dualres.stream.watch.records import VerdictRecord
from dualres.stream.watch.sinks.sink import ClosedError, Sink

BATCH = 200  # verdicts
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 60.0


class Delivery:
    """One sink and its thread. The agent hands over verdicts and reads the position of the sink."""

    def __init__(self, sink: Sink, position: int, wake: Callable[[], None], say: Callable[[str], None]) -> None:
        self.sink, self.position = sink, position  # the last verdict that arrived
        self.closed = False
        self._records: Sequence[VerdictRecord] = ()
        self._wake, self._say = wake, say
        self._changed = threading.Condition()
        self._stopping = False
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
            self._stopping = True
            self._changed.notify()
        self._thread.join(max(0.0, deadline - time.monotonic()))

    def _run(self) -> None:
        pause = FIRST_PAUSE_S
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._records or self._stopping)
                if not self._records or (self._stopping and pause > FIRST_PAUSE_S):
                    break
            try:
                self.sink.send(self._records)
            except ClosedError:
                self.closed = True
                break
            except Exception as error:  # whatever it is: a thread that ends in silence delivers nothing more
                if pause == FIRST_PAUSE_S:
                    reason = str(error) or type(error).__name__
                    self._say(f"{self.sink.name}: not delivered ({reason}); it is tried again until it works")
                with self._changed:
                    self._changed.wait_for(lambda: self._stopping, pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)
                continue
            if pause > FIRST_PAUSE_S:
                self._say(f"{self.sink.name}: delivers again")
            pause = FIRST_PAUSE_S
            self.position, self._records = self._records[-1].id, ()
            self._wake()
        self._wake()
        self.sink.close()
