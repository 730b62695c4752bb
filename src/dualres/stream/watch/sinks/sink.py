"""What a sink of verdicts does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from dualres.stream.watch.records import VerdictRecord


class NotDeliveredError(Exception):
    """Verdicts that did not arrive, or may not have arrived; all of them are sent again."""


class ClosedError(Exception):
    """Nobody will ever read this sink again, as when `head` has seen enough."""


class Sink(ABC):
    """Runs in a thread of its own; it is given verdicts in their order, and again those that it did not deliver."""

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def send(self, records: Sequence[VerdictRecord]) -> None:
        """All of them have arrived when this returns; an error, such as a `NotDeliveredError`, if one has not."""

    def close(self) -> None:  # noqa: B027 (most have nothing to close)
        """After the last `send`."""
