"""When recordings were made: by a column of their list, by their names, or by their files."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dualres.errors import RecordingError
from dualres.recordings.labels.read import LabelRow

COLUMNS = ("time", "date", "datetime", "timestamp", "recorded")  # of a labels.csv; date and time are read together
WRITTEN = ("%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M", "%Y/%m/%d", "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%d.%m.%Y")
FIRST_SECOND = 1e8  # from which a bare number counts seconds since 1970
_NAMED = re.compile(
    r"(?<!\d)((?:19[7-9]|20)\d\d)([-_.]?)(\d\d)\2(\d\d)"
    r"(?:[-T_ .]?(\d\d)[-_.:hH]?([0-5]\d)(?:[-_.:mM]?([0-5]\d))?s?)?(?!\d)"
)
NAMED_SHARE = 0.8  # of the files whose names hold a date, from which these dates count
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class RecordingTimes:
    """When each recording was made."""

    seconds: tuple[float | None, ...]  # since 1970, or other numbers that only rise; None where nothing says it
    dated: bool  # whether they are moments in time
    source: str  # in words

    def text(self, number: int) -> str:
        """Of one recording, for people."""
        at = self.seconds[number]
        if at is None:
            return ""
        return time_text(at) if self.dated else f"{at:g}"


def time_text(seconds: float) -> str:
    """A moment to the second, in UTC unless somebody wrote another zone; without a time at midnight."""
    moment = datetime.fromtimestamp(seconds, UTC)
    if (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return f"{moment:%Y-%m-%d}"
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment.second else f"{moment:%Y-%m-%d %H:%M}"


def recording_times(rows: Sequence[LabelRow], column: str | None = None) -> RecordingTimes:
    """By the column of a list if there is one, then by dates in most file names, then by the times of the files.

    Files that were copied may all have the time of the copy: where the only number in their names that differs orders
    them otherwise, that number is used.
    """
    conditions = [row.known.get("condition", {}) for row in rows]
    names = (column.lower(),) if column else COLUMNS
    used = [name for name in names if any(condition.get(name) for condition in conditions)]
    if column and not used:
        raise RecordingError(f"no recording has a column {column}; name the one that says when it was made (--time)")
    if used:
        return _listed(rows, conditions, used)
    named = [_named(row.file) for row in rows]
    there = [(one, _part(row)) for one, row in zip(named, rows, strict=True) if one is not None]
    if len(there) >= max(1, NAMED_SHARE * len(rows)) and len(set(there)) == len(there):
        known = [None if one is None else one + _part(row) for one, row in zip(named, rows, strict=True)]
        return RecordingTimes(tuple(known), True, "the dates in file names")
    written = [_written(row) for row in rows]
    numbers = _numbers([row.file for row in rows])
    if numbers:
        order = sorted((number, at) for number, at in zip(numbers, written, strict=True) if at is not None)
        moments = [at for _, at in order]
        if moments != sorted(moments) or len(set(moments)) < len({number for number, _ in order}):
            counted = [number + _part(row) / 1e6 for number, row in zip(numbers, rows, strict=True)]
            return RecordingTimes(
                tuple(counted), False, "the numbers in file names, for file times do not rise with them"
            )
    return RecordingTimes(tuple(written), True, "the times at which files were last written")


def moment_of(text: str) -> float | None:
    """What is written in a list: seconds since 1970; None where it cannot be understood, or in more than one way."""
    text = text.strip()
    try:
        number = float(text)
    except ValueError:
        number = None
    if number is not None and re.fullmatch(r"(19|20)\d{6}", text) is None:
        return number
    for form in (None, *WRITTEN):
        try:
            moment = datetime.strptime(text, form) if form else datetime.fromisoformat(text)
        except ValueError:
            continue
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return None


def _listed(rows: Sequence[LabelRow], conditions: Sequence[Mapping[str, str]], used: list[str]) -> RecordingTimes:
    both = used[:2] if used[:2] == ["time", "date"] else used[:1]
    found: list[float | None] = []
    bad = ""
    for row, condition in zip(rows, conditions, strict=True):
        text = " ".join(condition.get(name, "") for name in reversed(both)).strip()
        at = moment_of(text) if text else None
        bad = bad or (f'{row.listed_in or row.file}: {both[0]} "{text}"' if text and at is None else "")
        found.append(None if at is None else at + _part(row))
    if bad:
        raise RecordingError(f"{bad} is no time that can be understood; write it as 2026-05-31 14:30")
    known = [at for at in found if at is not None]
    dated = min(known) >= FIRST_SECOND
    return RecordingTimes(tuple(found), dated, f"the column {' and '.join(reversed(both))}")


def _named(file: Path) -> float | None:
    """The one date in a file's name."""
    found = _NAMED.findall(file.stem)
    if len(found) != 1:
        return None
    year, _, month, day, *clock = found[0]
    try:
        return datetime(*map(int, (year, month, day, *(one or "0" for one in clock))), tzinfo=UTC).timestamp()  # type: ignore[arg-type, misc]
    except ValueError:
        return None


def _written(row: LabelRow) -> float | None:
    try:
        return row.file.stat().st_mtime + _part(row)
    except OSError:
        return None  # reading it will say why


def _part(row: LabelRow) -> float:
    return row.part.start_s if row.part else 0.0


def _numbers(files: Sequence[Path]) -> list[int] | None:
    """Of each file, the only number in its name by which it differs from the others."""
    texts = {_DIGITS.sub("#", file.stem) for file in files}
    groups = [list(map(int, _DIGITS.findall(file.stem))) for file in files]
    if len(texts) != 1 or not groups[0]:
        return None
    varying = [place for place, values in enumerate(zip(*groups, strict=True)) if len(set(values)) > 1]
    return [group[varying[0]] for group in groups] if len(varying) == 1 else None
