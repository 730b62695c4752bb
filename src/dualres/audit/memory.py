"""What the rounds of an audit need not find out twice."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dualres.audit.fingerprint import FrequencyGrid
from dualres.audit.screen import Piece, Rows, pieces_of
from dualres.audit.signals import Shelf, Traits, traits
from dualres.recordings.recording import Recording

_KEPT_BYTES = 2**28  # of spectra


@dataclass
class Memory:
    """Of recordings that go by their ids."""

    shelf: Shelf = field(default_factory=Shelf)
    traits: dict[str, Traits] = field(default_factory=dict)
    _pieces: dict[tuple[str, int], list[Piece]] = field(default_factory=dict)
    _bytes: int = 0
    _unlike: set[frozenset[str]] = field(default_factory=set)
    _unlike_otherwise: set[tuple[str, str]] = field(default_factory=set)

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
        others = [(i, piece.recording.id) for i, piece in enumerate(pieces) if piece.recording.id != judged.id]
        plain = [i for i, name in others if frozenset((name, judged.id)) not in self._unlike]
        otherwise = [i for i, name in others if (name, judged.id) not in self._unlike_otherwise]
        return np.array(plain, np.intp), np.array(otherwise, np.intp)

    def found_unlike(self, learned: str, judged: str) -> None:
        self._unlike.add(frozenset((learned, judged)))
        self._unlike_otherwise.add((learned, judged))
