"""How much may be labelled."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """How much may be labelled: recordings per class and windows per recording."""

    recordings: int
    windows: int

    def __str__(self) -> str:
        return f"{self.recordings}x{self.windows}"

    @classmethod
    def parse(cls, text: str) -> Budget:
        """The budget that is written "3x4"."""
        return cls(*map(int, text.split("x")))
