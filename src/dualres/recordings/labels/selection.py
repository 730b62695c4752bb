"""Which of the recordings that a list names are used, by what it says of them or by their names."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from dualres.errors import ConfigError
from dualres.recordings.labels.read import LabelRow


@dataclass(frozen=True)
class Selection:
    """Recordings whose columns have one of some values, without those of some names."""

    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # column -> the values that are wanted
    exclude: tuple[str, ...] = ()  # names of files relative to the folder, or patterns such as "old/*"

    @classmethod
    def parsed(cls, where: Iterable[str] = (), exclude: Iterable[str] = ()) -> "Selection":
        """From texts such as "load=0|1,speed=1800"; all of them must hold."""
        wanted: dict[str, tuple[str, ...]] = {}
        for text in (one for several in where for one in several.split(",")):
            column, equals, values = (part.strip() for part in text.partition("="))
            if not (column and equals and values):
                raise ConfigError(f"--where {text}: write a column and a value, such as load=0, or several, load=0|1")
            if column.lower() in wanted:
                raise ConfigError(f"--where {text}: {column} is already given; write several values as {column}=0|1")
            wanted[column.lower()] = tuple(value.strip() for value in values.split("|"))
        return cls(wanted, tuple(exclude))


def select(rows: Sequence[LabelRow], folder: Path, selection: Selection) -> tuple[list[LabelRow], dict[str, int]]:
    """The rows that are chosen, and how many are not for which reason; an error for what occurs nowhere."""
    columns = [_columns(row) for row in rows]
    names = [row.file.relative_to(folder).as_posix() for row in rows]
    _check_where(columns, selection.where)
    for pattern in selection.exclude:
        if not any(_matches(name, pattern) for name in names):
            raise ConfigError(
                f"--exclude {pattern}: no file in {folder} is called or matches that; "
                f"names are relative to the folder, such as {names[0]}"
            )
    chosen, left = [], Counter[str]()
    for row, its, name in zip(rows, columns, names, strict=True):
        reason = _reason(its, name, selection)
        if reason:
            left[reason] += 1
        else:
            chosen.append(row)
    if rows and not chosen:
        raise ConfigError(f"{folder}: --where and --exclude leave none of its {len(rows)} recordings; ask for less")
    return chosen, dict(left)


def _columns(row: LabelRow) -> dict[str, str]:
    known = {"label": row.known.get("label"), "component": row.known.get("component"), "channel": row.channel}
    return {**row.known.get("condition", {}), **{name: value for name, value in known.items() if value}}


def _check_where(columns: Sequence[Mapping[str, str]], where: Mapping[str, tuple[str, ...]]) -> None:
    there = sorted({name for its in columns for name in its})
    for column, values in where.items():
        if column not in there:
            raise ConfigError(f"--where {column}=...: no recording has a {column}; there is {', '.join(there)}")
        found = sorted({its[column] for its in columns if column in its})
        for value in values:
            if not any(_equal(value, one) for one in found):
                raise ConfigError(f"--where {column}={value}: no recording has that; there is {', '.join(found)}")


def _reason(its: Mapping[str, str], name: str, selection: Selection) -> str | None:
    for column, values in selection.where.items():
        if column not in its or not any(_equal(value, its[column]) for value in values):
            return f"--where {column}={'|'.join(values)}"
    return next((f"--exclude {pattern}" for pattern in selection.exclude if _matches(name, pattern)), None)


def _equal(one: str, other: str) -> bool:
    if one.casefold() == other.casefold():
        return True
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def _matches(name: str, pattern: str) -> bool:
    wanted = PurePosixPath(pattern.replace("\\", "/")).as_posix()
    return any(one == wanted or fnmatchcase(one, wanted) for one in (name, PurePosixPath(name).name))
