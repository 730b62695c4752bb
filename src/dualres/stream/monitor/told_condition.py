"""Under what conditions a streamed machine runs, as it is told now and then beside the samples."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dualres.judge.model import Model


class ToldCondition:
    """What was told of a stream, as far back as blocks to come depend on it: names that promises depend on."""

    def __init__(self, model: Model, told: Iterable[Sequence[Any]] = ()) -> None:
        questions = model.calibration.questions if model.calibration else ()
        self._names = {name for one in questions for name in (one.unit, *one.conditions)}
        self.restore(told)

    def restore(self, told: Iterable[Sequence[Any]]) -> None:
        """Know what another one knew, by its marker."""
        self._told: list[tuple[int, dict[str, str]]] = [(at, dict(condition)) for at, condition in told]

    def tell(self, condition: Mapping[str, str], at: int) -> None:
        """From sample `at` on, in place of all that was told before."""
        known = {name: str(value) for name, value in condition.items() if name in self._names}
        while self._told and self._told[-1][0] >= at:
            self._told.pop()
        if known != (self._told[-1][1] if self._told else {}):
            self._told.append((at, known))

    def between(self, start: int, stop: int) -> list[Mapping[str, str]]:
        """Every condition from one sample to another, the first one first; an empty one where nothing was told."""
        first = next((i for i in reversed(range(len(self._told))) if self._told[i][0] <= start), None)
        before: list[Mapping[str, str]] = [] if first is not None else [{}]
        return [*before, *(known for at, known in self._told[first or 0 :] if at < stop)]

    def forget(self, before: int) -> None:
        """What no block that begins at that sample or later depends on."""
        while len(self._told) > 1 and self._told[1][0] <= before:
            self._told.pop(0)

    def marker(self) -> list[Sequence[Any]]:
        return [[at, condition] for at, condition in self._told]
