"""Which files there are, or which parts of them, and what a labels.csv says of each."""

import csv
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from pathlib import Path
from posixpath import normpath
from typing import TYPE_CHECKING, Any

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.formats.registry import suffixes
from dualres.recordings.readers import Channel, Usual, read, refuse_swapped
from dualres.recordings.recording import Recording, Segment
from dualres.utils.rates import exact_rate
from dualres.utils.special_files import there, unusual

if TYPE_CHECKING:
    from dualres.recordings.speed_sources import SpeedKnown

LABELS = "labels.csv"
LARGEST = 16 << 20  # bytes of a list; 200,000 lines of 80 characters
ABOVE = 2  # folders above a file's own in which a list may name it
_NOT_CONDITIONS = {"file", "label", "component", "rate", "channel", "channels", "start_s", "end_s"}

# What people call the two columns that are needed; understood where the column itself is missing.
ALIASES = {
    "file": ("filename", "file_name", "file name", "filepath", "file_path", "file path", "path"),
    "label": ("labels", "class", "class_name", "fault", "state"),
}

Listing = tuple[Segment | None, int]  # a part, None for the whole file, and the line that lists it


@dataclass(frozen=True)
class LabelRow:
    """A recording to read, with what a list says of it."""

    file: Path
    known: Mapping[str, Any] = field(default_factory=dict)  # label, component and condition
    rate: Fraction | None = None
    channel: str | None = None  # or several, as "x,y,z"
    part: Segment | None = None  # None for the whole file
    listed_in: str = ""  # the list and the line
    within: Path | None = field(default=None, compare=False)  # the folder that a listed file must not lead out of

    @property
    def which(self) -> str:
        """What follows the file's name where the list picks a channel or a part of it."""
        return "".join(f" [{one}]" for one in (self.channel, self.part) if one)


def listed(
    folder: Path, labelled: bool = True, labels: Path | None = None, *, needed: bool = True
) -> Iterator[LabelRow]:
    """The rows of labels.csv, or of another list of files below the folder, without labels if they are not `labelled`.

    A row with an empty label is not labelled yet. Where labels are `needed`, a list in which no row has one is an
    error.
    """
    path = labels or folder / LABELS
    cells = cells_of(path)
    none = labelled and needed and not any(values.get("label") for _, values in cells)
    earlier: dict[tuple[str, str], list[Listing]] = defaultdict(list)  # of a file and channel
    for number, values in cells:
        where = f"{path}, line {number}"
        columns_needed = ("file", "label") if none else ("file",)
        if not all(values.get(name) for name in columns_needed):
            columns = "columns file and label are" if labelled and needed else "column file is"
            missing = [name for name in columns_needed if name not in values]
            found = f"; found: {', '.join(values)}; rename the one that holds the {missing[0]}" if missing else ""
            raise RecordingError(f"{where}: the {columns} needed, and must not be empty{found}")
        part = interval_in(values, where)
        channel = channel_in(values, where)
        others = earlier[normpath(values["file"]), channel or ""]
        _refuse_listed_twice(f"{where}: {values['file']}", part, others)
        others.append((part, number))
        try:
            file = (folder / values["file"]).resolve()
        except (OSError, ValueError, RuntimeError) as error:  # a NUL within the name, links in a circle
            name = str(folder / values["file"])
            raise RecordingError(f"{where}: {name!r} cannot be a file ({error}); correct the name") from error
        if not file.is_relative_to(folder.resolve()):
            raise RecordingError(f"{where}: {values['file']} lies outside the folder {folder}; give one above it")
        try:
            rate = exact_rate(values["rate"]) if values.get("rate") else None
        except ConfigError as error:
            raise RecordingError(f"{where}: {error}") from None
        # What stands beside a label as its fault or class says the label once more.
        hidden = _NOT_CONDITIONS if labelled else _NOT_CONDITIONS | set(ALIASES["label"])
        condition = {k: v for k, v in values.items() if k not in hidden and v}
        label = {"label": values["label"]} if labelled and values.get("label") else {}
        known = {**label, "component": values.get("component") or None, "condition": condition}
        yield LabelRow(folder / values["file"], known, rate, channel, part, where, folder.resolve())


def cells_of(path: Path) -> list[tuple[int, dict[str, str]]]:
    """The rows of a table with a header: each with its line and its cells by column, in lower case."""
    if strange := unusual(path):
        raise RecordingError(f"{path}: cannot be read: it {strange}")
    try:
        if path.stat().st_size > LARGEST:
            raise csv.Error(f"it has more than {LARGEST >> 20} MiB")
        with path.open(newline="", encoding="utf-8-sig") as lines:
            delimiter = delimiter_of(lines.readline())
            lines.seek(0)
            table = csv.DictReader(lines, delimiter=delimiter, skipinitialspace=True)
            rows = [(table.line_num, cells) for cells in table]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise RecordingError(
            f"{path}: cannot be read ({reason}); save it as a comma-separated file in UTF-8"
        ) from error
    return [
        (number, _renamed({k.strip().lower(): (v or "").strip() for k, v in cells.items() if isinstance(k, str)}, path))
        for number, cells in rows
    ]


def delimiter_of(header: str) -> str:
    """What stands between the cells of a table with this first line."""
    return ";" if ";" in header and "," not in header else ","


def _renamed(values: dict[str, str], path: Path) -> dict[str, str]:
    for name, aliases in ALIASES.items():
        found = [alias for alias in aliases if alias in values]
        if name in values or not found:
            continue
        if len(found) > 1:
            raise RecordingError(
                f"{path}: the columns {' and '.join(found)} could each be the {name}; rename the one that is to {name}"
            )
        values = {name if key == found[0] else key: value for key, value in values.items()}
    return values


def channel_in(values: Mapping[str, str], where: str) -> str | None:
    """What the column channel says, or channels, which names several."""
    channel, channels = values.get("channel"), values.get("channels")
    if channel and channels:
        raise RecordingError(
            f"{where}: {values['file']}: channel {channel!r} and channels {channels!r} are both given; leave one empty"
        )
    return channel or channels or None


def interval_in(values: Mapping[str, str], where: str) -> Segment | None:
    """The part that start_s and end_s describe; an empty cell is the file's start or its end."""
    start_s, end_s = (_seconds(values, name, where) for name in ("start_s", "end_s"))
    if start_s is None and end_s is None:
        return None
    part = Segment(start_s or 0.0, end_s)
    if end_s is not None and end_s <= part.start_s:
        raise RecordingError(
            f"{where}: {values['file']}: end_s {end_s:g} is not after start_s {part.start_s:g}; correct one of them"
        )
    return part


def _seconds(values: Mapping[str, str], name: str, where: str) -> float | None:
    text = values.get(name)
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise RecordingError(
            f"{where}: {values['file']}: {name} {text!r} is no number of seconds; write one such as 2.5, or nothing"
        )
    return seconds


def _refuse_listed_twice(where: str, part: Segment | None, others: list[Listing]) -> None:
    for other, line in others:
        if part is None and other is None:
            raise RecordingError(f"{where} is already listed in line {line}")
        if (part or Segment()).overlaps(other or Segment()):
            raise RecordingError(
                f"{where}, {part or 'the whole'}: overlaps with line {line}, {other or 'the whole'}; "
                "list each second of a file once"
            )


def read_row(
    row: LabelRow,
    channel: Channel = None,
    rate: Fraction | None = None,
    usual: Usual | None = None,
    *,
    speed: "SpeedKnown" = None,
) -> Recording:
    """The recording that a row names, or the part of it, under the component, condition and speed that are known of it.

    It has no label, for a recording is judged without. The arguments serve rows without a channel, a rate or a speed.
    """
    one = read(row.file, row.channel or channel, row.rate or rate, usual=usual)
    refuse_swapped(one, row.within)  # it was looked at when the list was read, which may be long ago
    one = replace(one, component=row.known.get("component"), condition=row.known.get("condition", {}))
    if speed is not None or one.condition or one.speed:  # else nothing says it, and nothing is imported for it
        from dualres.recordings.speed_sources import SpeedSources

        return SpeedSources.of(speed).known(one, lambda whole: _part_of(whole, row.part))
    return _part_of(one, row.part)


def _part_of(whole: Recording, part: Segment | None) -> Recording:
    if part is None:
        return whole
    from dualres.recordings.segment import segment_of

    return segment_of(whole, part)


def files_below(folder: Path) -> list[Path]:
    """Files of a kind that can hold a recording; hidden ones and the list of labels are none. Folders that nobody may
    look into are among them, so that whoever reads them says why nothing of them is."""
    readable, closed = suffixes(), list[Path]()
    found = list[Path]()
    for place, _, names in os.walk(folder, onerror=lambda error: closed.append(Path(error.filename))):
        if not os.access(place, os.X_OK):
            closed.append(Path(place))
            continue
        files = (Path(place, n) for n in names if not n.startswith(".") and n != LABELS)
        found += [file for file in files if file.suffix.lower() in readable and file.is_file()]
    return sorted(found + closed)


def expanded(paths: Iterable[Path]) -> Iterator[Path]:
    """Files as given; a folder as the recordings below it."""
    for path in paths:
        below = files_below(path) if there(path, Path.is_dir) else [path]
        if not below:
            raise RecordingError(f"{path}: there are no recordings in this folder")
        yield from below


def row_of(file: Path) -> LabelRow:
    """What the labels.csv in the file's folder, or in one above it, says of a file besides its label."""
    for folder in file.absolute().parents[: ABOVE + 1]:
        if (folder / LABELS).exists():
            rows = [row for row in listed(folder, labelled=False) if row.file.resolve() == file.resolve()]
            if rows:
                return rows[0]
    return LabelRow(file)


def to_judge(paths: Iterable[Path]) -> Iterator[LabelRow]:
    """Files as given; a folder as the recordings below it, with what its labels.csv says of them besides labels."""
    for path in paths:
        known = list(listed(path, labelled=False)) if there(path / LABELS) else []
        rows = defaultdict(list)
        for row in known:
            rows[row.file.resolve()].append(row)
        below = files_below(path) if known else expanded([path])
        yield from chain.from_iterable(rows.pop(file.resolve(), [LabelRow(file)]) for file in below)
        yield from chain.from_iterable(rows.values())  # listed, and not there


def rows_below(folder: Path, labels: Path | None = None, unlabelled: bool = False) -> list[LabelRow]:
    """What a list names, with or without a label, or what lies in subfolders; with `unlabelled`, all other files."""
    if labels is None and not (folder / LABELS).exists():
        loose = [LabelRow(file) for file in files_below(folder) if file.parent == folder] if unlabelled else []
        subfolders = sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith((".", "__")))
        inside = [LabelRow(file, {"label": one.name}) for one in subfolders for file in files_below(one)]
        return [*inside, *loose]
    known = list(listed(folder, labels=labels, needed=not unlabelled))
    there = {row.file.resolve() for row in known}
    others = [LabelRow(file) for file in files_below(folder) if file.resolve() not in there] if unlabelled else []
    return [*known, *others]
