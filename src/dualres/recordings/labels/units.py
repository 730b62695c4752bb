"""Speeds in a list that may be in another unit than they are taken for."""

from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import median

from dualres.recordings.speed import COLUMNS, speed_in

LEAST_RPM = 200  # of a number whose unit nobody states: hardly a shaft that is recorded turns more slowly
NEAR_60 = (40, 90)  # a factor within these may be that between rpm and revolutions per second


def doubtful_speeds(conditions: Iterable[Mapping[str, str]]) -> list[str]:
    """A sentence for each speed that may be in another unit, or is no speed, by what a list says of each recording.

    Few shafts turn below `LEAST_RPM`, so that a smaller number without a unit may be Hz. Within one list a factor near
    60 is more often a unit than a machine.
    """
    cells = Counter(cell for condition in conditions if (cell := _cell(condition)))
    rpm = {cell: known.rpm for cell in cells if (known := speed_in(dict([cell])))}
    usual = median([rpm[cell] for cell in cells.elements() if cell in rpm]) if rpm else 0.0
    return [sentence for cell in cells if (sentence := _doubt(cell, cells[cell], rpm.get(cell), usual))]


def _doubt(cell: tuple[str, str], count: int, rpm: float | None, usual: float) -> str:
    column, text = cell
    said = f'{column} "{text}" {"once" if count == 1 else f"{count} times"}'
    if rpm is None:
        return f"{said}: is no speed of a turning shaft, so none is known; write a number such as 1797rpm or 29.95Hz"
    least, most = NEAR_60
    taken = f"{said}, taken as {rpm:.5g} rpm"
    if least < max(rpm, usual) / min(rpm, usual) < most:
        return f"{taken}, and {usual:.5g} rpm is usual here: is it in another unit? Write 1797rpm or 29.95Hz"
    if rpm < LEAST_RPM and _bare(text) and column == "speed":
        return f"{taken}: is it in Hz? Write {text}Hz, or name the column speed_hz"
    return ""


def _cell(condition: Mapping[str, str]) -> tuple[str, str] | None:
    """The column and the text by which a list says the speed."""
    there = [(column, condition[column]) for column in COLUMNS if column in condition]
    return next((cell for cell in there if speed_in(dict([cell]))), there[0] if there else None)


def _bare(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
