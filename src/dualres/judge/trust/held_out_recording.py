"""What a card keeps of each held-out recording: how surprising its truth was, what would have been named, its look."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from dualres.judge.trust.name_limits import HeldOutName
from dualres.judge.trust.novelty import NoveltyFeatures

LARGEST = 1e4  # of any number in a card: all of them are logarithms, but for the temperature
COLUMNS = ("label", "of", "new", "surprise", "look")
NAMES = ("verdict", "margin")  # columns that cards of earlier versions lack


@dataclass(frozen=True)
class HeldOutRecording:
    label: str
    unit: str  # which it is of
    new: bool  # whether the model had learned nothing of the unit
    surprise: float  # of the truth
    look: NoveltyFeatures
    verdict: str | None = None  # the class that came first; None where a card does not say
    margin: float | None = None  # nats by which the best other class lay behind; likewise

    @property
    def as_name(self) -> HeldOutName:
        """Of a wrong class nobody may have kept which it was. It was ahead of the truth by the surprise, and of the
        best other class by that at most."""
        if self.verdict is None or self.margin is None:
            right = self.surprise < 0
            return HeldOutName(self.unit, self.label if right else None, right, abs(self.surprise))
        return HeldOutName(self.unit, self.verdict, self.verdict == self.label, self.margin)


def as_columns(held: Sequence[HeldOutRecording], classes: Sequence[str]) -> dict[str, list[Any]]:
    """For a card."""
    names = [(classes.index(o.verdict), round(o.margin, 4)) for o in held if o.verdict and o.margin is not None]
    return {
        "label": [classes.index(one.label) for one in held],
        "of": [one.unit for one in held],
        "new": [int(one.new) for one in held],
        "surprise": [round(one.surprise, 4) for one in held],
        "look": [one.look.rounded() for one in held],
        **(dict(zip(NAMES, map(list, zip(*names, strict=True)), strict=True)) if len(names) == len(held) else {}),
    }


def parsed_columns(data: Mapping[str, Any], classes: Sequence[str]) -> tuple[HeldOutRecording, ...]:
    """As they stand in a card; an error for what no recordings have."""
    names = NAMES if any(name in data for name in NAMES) else ()
    columns = zip(*(data[name] for name in (*COLUMNS, *names)), strict=True)
    held = tuple(
        HeldOutRecording(_at(label, classes), str(of), bool(new), float(truth), _look(look), *_named(said, classes))
        for label, of, new, truth, look, *said in columns
    )
    if not held:
        raise ValueError("nothing was held out")
    numbers = [number for one in held for number in (one.surprise, one.margin or 0.0, *astuple(one.look))]
    if not (all(abs(number) < LARGEST for number in numbers) and all((one.margin or 0.0) >= 0 for one in held)):
        raise ValueError("its numbers are not those of recordings")
    return held


def _at(number: Any, classes: Sequence[str]) -> str:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(classes):
        raise ValueError(f"{number!r} is the position of no class")
    return classes[number]


def _look(numbers: Sequence[Any]) -> NoveltyFeatures:
    return NoveltyFeatures(*map(float, numbers))


def _named(said: Sequence[Any], classes: Sequence[str]) -> tuple[str | None, float | None]:
    """Which class came first, and by how much; Nones where a card says neither."""
    return (_at(said[0], classes), float(said[1])) if said else (None, None)
