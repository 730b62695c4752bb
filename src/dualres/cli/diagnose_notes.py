"""What `dualres diagnose` says once of all its verdicts: what files do not state, and what was taken in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dualres.judge.archive.line import VerdictLine


class VerdictNotes:
    """Gathers while verdicts are written."""

    def __init__(self) -> None:
        self._rates = Counter[float]()  # Hz that were taken for files that do not say their own
        self._assumed = Counter[str]()  # files that do not state a condition, by its name
        self._file = ""  # the last one; parts of a file follow each other

    def add(self, one: VerdictLine) -> None:
        if one.file == self._file:
            return
        self._file = one.file if one.judged else self._file
        if one.assumed_hz is not None:
            self._rates[one.assumed_hz] += 1
        self._assumed.update(one.assumed)

    def sentences(self) -> Iterator[str]:
        if self._rates:
            ((rate, files),) = self._rates.items()
            some = "1 file does" if files == 1 else f"{files} files do"
            yield f"{some} not say the rate: taken as {rate:g} Hz, as learned"
        if self._assumed:
            names = ", ".join(f"{name} of {files}" for name, files in sorted(self._assumed.items()))
            only = "What is promised of them holds for conditions like the labelled ones only"
            yield f"not stated: {names} files. {only}"
