"""Acknowledgements of MQTT messages, in the order in which the messages came.

MQTT asks for that order (version 5, 4.6). It matters: where later messages are acknowledged before 256 earlier ones,
Mosquitto sends new messages ahead of those that wait, and the samples of a stream come out of their order.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class _Receipt:
    number: int  # of the message, on this connection
    qos: int
    due: bool = False


class Receipts:
    """Of one connection at a time. What is acknowledged too early is kept until all before it are."""

    def __init__(self, send: Callable[[int, int], object]) -> None:
        """`send` takes a message's number and its quality of service."""
        self._send, self._lock = send, threading.Lock()
        self._open: deque[_Receipt] = deque()

    def of(self, number: int, qos: int) -> Callable[[], None]:
        """For each message, as it comes: what acknowledges it, from any thread, and does no harm if called twice."""
        receipt = _Receipt(number, qos)
        if qos:
            with self._lock:
                self._open.append(receipt)
        return lambda: self._acknowledge(receipt)

    def forget(self) -> None:
        """A new connection: messages of the one before come again, and another may have their number."""
        with self._lock:
            self._open.clear()

    def _acknowledge(self, receipt: _Receipt) -> None:
        with self._lock:
            receipt.due = True
            while self._open and self._open[0].due:
                first = self._open.popleft()
                self._send(first.number, first.qos)
