"""What the rounds of an audit need not find out twice."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from dualres.audit.fingerprint import FrequencyGrid
from dualres.audit.screen import Piece, Rows, pieces_of
from dualres.audit.signals import Shelf, Traits, traits
from dualres.recordings.recording import Recording

_KEPT_BYTES = 2**28  # of spectra

Pairs = npt.NDArray[np.bool_]  # by the numbers of who is learned and who is judged: there are millions


@dataclass
class Memory:
    """Of recordings that go by their ids."""

    shelf: Shelf = field(default_factory=Shelf)
    traits: dict[str, Traits] = field(default_factory=dict)
    _pieces: dict[tuple[str, int], list[Piece]] = field(default_factory=dict)
    _bytes: int = 0
    _numbers: dict[str, int] = field(default_factory=dict)  # of recordings that were compared
    _unlike: Pairs = field(default_factory=lambda: np.zeros((0, 0), np.bool_))

    def traits_of(self, recording: Recording) -> Traits:
        if recording.id not in self.traits:
            self.traits[recording.id] = traits(self.shelf.signal(recording), float(recording.rate))
        return self.traits[recording.id]

    def pieces_of(self, recording: Recording, grid: FrequencyGrid) -> list[Piece]:
        """As `screen.pieces_of`."""
        key = (recording.id, grid.size)
        if key in self._pieces:
            return self._pieces[key]
        pieces = list(pieces_of(recording, self.shelf.signal(recording), grid))
        size = sum(piece.spectrum.nbytes for piece in pieces)
        if self._bytes + size <= _KEPT_BYTES:
            self._pieces[key] = pieces
            self._bytes += size
        return pieces

    def to_compare(self, pieces: Sequence[Piece], judged: Recording) -> tuple[Rows, Rows]:
        """The pieces that may yet be alike: as they were recorded, where it is the same who learns and who is judged,
        and at other speeds, where it is not."""
        one = self._number(judged.id)
        others = np.array([self._number(piece.recording.id) for piece in pieces], np.intp)
        otherwise = ~self._unlike[others, one] & (others != one)
        return np.flatnonzero(otherwise & ~self._unlike[one, others]), np.flatnonzero(otherwise)

    def found_unlike(self, learned: str, judged: str) -> None:
        self._unlike[self._number(learned), self._number(judged)] = True

    def _number(self, name: str) -> int:
        number = self._numbers.setdefault(name, len(self._numbers))
        if number >= len(self._unlike):
            more = max(16, len(self._unlike))
            self._unlike = np.pad(self._unlike, ((0, more), (0, more)))
        return number
