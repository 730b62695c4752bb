"""Who waits for an answer goes first: what is read and drawn beside it waits until the answer is given."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

PATIENCE_S = 1.0  # longer than this nobody gives way: a change of a whole list takes its time


class WritersFirst:
    """Threads of one process share its interpreter: a picture that is computed makes a label wait."""

    def __init__(self) -> None:
        self._changed, self._writing = Condition(), 0

    @contextmanager
    def writing(self) -> Iterator[None]:
        """While somebody's change is written."""
        with self._changed:
            self._writing += 1
        try:
            yield
        finally:
            with self._changed:
                self._writing -= 1
                self._changed.notify_all()

    def give_way(self, patience_s: float = PATIENCE_S) -> None:
        """Return once nobody's change is being written, or when that takes too long."""
        with self._changed:
            self._changed.wait_for(lambda: not self._writing, patience_s)
