"""A change of a list as little as is needed to take it back: of a label, a few characters rather than two lists."""

import hashlib
from dataclasses import dataclass

from dualres.recordings.labels.edit import ListChange, changed_since

_STEPS = (1 << 16, 1 << 12, 1 << 8, 1 << 4, 1)  # characters that are compared at once


@dataclass(frozen=True)
class Reversal:
    before: str  # what stood there
    start: int
    length: int  # of what stands there now
    digest: bytes  # of the whole list after the change

    @classmethod
    def of(cls, change: ListChange) -> "Reversal":
        before, after = change
        start = _alike(before, after)
        end = _alike(before[start:][::-1], after[start:][::-1])
        return cls(before[start : len(before) - end], start, len(after) - end - start, _digest(after))

    def change(self, now: str) -> ListChange:
        """The change that made the list as it is now; an error where somebody else made it so."""
        if _digest(now) != self.digest:
            raise changed_since()
        return ListChange(now[: self.start] + self.before + now[self.start + self.length :], now)


def _alike(one: str, other: str) -> int:
    """How many characters at the beginning are the same."""
    at, most = 0, min(len(one), len(other))
    for step in _STEPS:
        while at + step <= most and one[at : at + step] == other[at : at + step]:
            at += step
    return at


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
