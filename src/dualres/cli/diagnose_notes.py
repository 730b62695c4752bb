"""What `dualres diagnose` says once of all its verdicts: what files do not state, and what was taken in its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dualres.judge.files import FileVerdict


class VerdictNotes:
    """Gathers while verdicts are written."""

    def __init__(self) -> None:
        self._rates: dict[Path, float] = {}  # Hz that were taken, by the file that does not say its own
        self._assumed: dict[str, set[Path]] = defaultdict(set)  # files that do not state a condition, by its name

    def add(self, one: FileVerdict) -> None:
        if not one.verdict:
            return
        for each in one.verdict.differences:
            if each.here is None:
                self._rates[one.path] = float(each.learned[0])
        for name in one.verdict.answer.assumed if one.verdict.answer else ():
            self._assumed[name].add(one.path)

    def sentences(self) -> Iterator[str]:
        if self._rates:
            some = "1 file does" if len(self._rates) == 1 else f"{len(self._rates)} files do"
            (rate,) = set(self._rates.values())
            yield f"{some} not say the rate: taken as {rate:g} Hz, as learned"
        if self._assumed:
            names = ", ".join(f"{name} of {len(files)}" for name, files in sorted(self._assumed.items()))
            only = "What is promised of them holds for conditions like the labelled ones only"
            yield f"not stated: {names} files. {only}"
