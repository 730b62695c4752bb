"""Which files there are, or which parts of them, and what a labels.csv says of each."""

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from os.path import splitext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.formats.registry import suffixes
from dualres.recordings.formats.sandbox import SHARED, Guard
from dualres.recordings.labels.names import NamesBelow, name_below
from dualres.recordings.labels.table import ALIASES, LABELS, TableLine, lines_of
from dualres.recordings.readers import Channel, Usual, read, refuse_swapped
from dualres.recordings.recording import Recording, Segment
from dualres.utils.rates import exact_rate
from dualres.utils.special_files import is_own_link, there

if TYPE_CHECKING:
    from dualres.recordings.speed_sources import SpeedKnown

ABOVE = 2  # folders above a file's own in which a list may name it
NOT_CONDITIONS = {"file", "label", "component", "rate", "channel", "channels", "start_s", "end_s"}

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
    within: Path | None = field(default=None, compare=False)  # the folder, or of a link the file, that it must lead to
    problem: str = ""  # why the row cannot be used; its file is the list then
    real: str = field(default="", compare=False)  # the file without links, of a row of a list
    link: bool = field(default=False, compare=False)  # whether it leads out of the folder, to a file of the user's own

    @property
    def which(self) -> str:
        """What follows the file's name where the list picks a channel or a part of it."""
        return "".join(f" [{one}]" for one in (self.channel, self.part) if one)


def listed(
    folder: Path, labelled: bool = True, labels: Path | None = None, *, needed: bool = True, problems: bool = False
) -> Iterator[LabelRow]:
    """The rows of labels.csv, or of another list of files below the folder, without labels if they are not `labelled`.

    A row with an empty label is not labelled yet. Where labels are `needed`, a list in which no row has one is an
    error. So is a row that cannot be understood, unless `problems` are wanted: then it is a row that says so.
    """
    path = labels or folder / LABELS
    yield from rows_in(folder, path, lines_of(path), labelled=labelled, needed=needed, problems=problems)


def rows_in(
    folder: Path,
    path: Path,
    lines: Sequence[TableLine],
    *,
    labelled: bool = True,
    needed: bool = True,
    problems: bool = False,
) -> Iterator[LabelRow]:
    """As `listed`, of a list whose lines are known."""
    none = labelled and needed and not any(line.cells.get("label") for line in lines)
    columns = ("file", "label") if none else ("file",)
    said = "columns file and label are" if labelled and needed else "column file is"
    reader = RowReader(path, NamesBelow(folder), labelled, columns, f"the {said} needed, and must not be empty")
    for line in lines:
        yield reader.row_or_problem(line) if problems else reader.row(line)


@dataclass
class RowReader:
    """Reads the rows of a list one after the other, and remembers which files there were."""

    path: Path
    names: NamesBelow
    labelled: bool = True
    columns: Sequence[str] = ("file",)  # that no row may leave empty
    needed: str = "the column file is needed, and must not be empty"  # a sentence about these
    earlier: dict[tuple[str, str], list[Listing]] = field(default_factory=lambda: defaultdict(list))  # file and channel

    def row_or_problem(self, line: TableLine) -> LabelRow:
        """As `row`; of a line that cannot be understood, a row that says so."""
        try:
            return self.row(line)
        except RecordingError as error:
            said = str(error).removeprefix(f"{self.path}, line {line.number}: ")
            return LabelRow(self.path, listed_in=f"{self.path.name}, line {line.number}", problem=said)

    def forget(self, row: LabelRow, number: int) -> None:
        """Forget that a line has listed this row, which is to be read anew or was taken away."""
        if not row.problem:
            self.earlier[row.real, row.channel or ""].remove((row.part, number))

    def row(self, line: TableLine) -> LabelRow:
        values, where = line.cells, f"{self.path}, line {line.number}"
        if not all(values.get(name) for name in self.columns):
            missing = [name for name in self.columns if name not in values]
            found = f"; found: {', '.join(values)}; rename the one that holds the {missing[0]}" if missing else ""
            raise RecordingError(f"{where}: {self.needed}{found}")
        line.refuse_more_cells(self.path)
        part = interval_in(values, where)
        channel = channel_in(values, where)
        try:
            real = self.names.real(values["file"])
            file = self.names.file(values["file"], real)
            rate = exact_rate(values["rate"]) if values.get("rate") else None
        except (ConfigError, RecordingError) as error:
            raise RecordingError(f"{where}: {error}") from None
        others = self.earlier[real, channel or ""]
        _refuse_listed_twice(f"{where}: {values['file']}", part, others)
        others.append((part, line.number))
        link = not self.names.holds(real)
        within = Path(real) if link else self.names.root
        return LabelRow(file, self._known(values), rate, channel, part, where, within, real=real, link=link)

    def again(self, row: LabelRow, line: TableLine) -> LabelRow:
        """As `row` for a line that says something else of the same recording."""
        if row.problem or line.beyond or line.cells.get("rate") or row.rate:
            self.forget(row, line.number)
            return self.row_or_problem(line)
        return replace(row, known=self._known(line.cells))

    def _known(self, values: Mapping[str, str]) -> dict[str, Any]:
        # What stands beside a label as its fault or class says the label once more.
        hidden = NOT_CONDITIONS if self.labelled else NOT_CONDITIONS | set(ALIASES["label"])
        condition = {k: v for k, v in values.items() if v and k not in hidden}
        label = {"label": values["label"]} if self.labelled and values.get("label") else {}
        return {**label, "component": values.get("component") or None, "condition": condition}


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
    guard: Guard = SHARED,
) -> Recording:
    """The recording that a row names, or the part of it, under the component, condition and speed that are known of it.

    It has no label, for a recording is judged without. The arguments serve rows without a channel, a rate or a speed.
    """
    one = read(row.file, row.channel or channel, row.rate or rate, usual=usual, guard=guard)
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
    return sorted(Path(name) for name, _ in names_below(folder))


def names_below(folder: Path) -> Iterator[tuple[str, bool]]:
    """The same in no order, each with whether it is a plain file: neither a link nor a folder."""
    readable, places = suffixes(), ["" if folder == Path() else f"{folder}"]
    while places:
        place = places.pop()
        try:
            if not os.access(place or os.curdir, os.X_OK):
                yield place or os.curdir, False
                continue
            with os.scandir(place or os.curdir) as entries:
                for entry in entries:
                    name = os.path.join(place, entry.name)  # noqa: PTH118 - a hundred thousand of them
                    if entry.is_dir(follow_symlinks=False):
                        places.append(name)
                    elif is_recording(entry.name, readable) and entry.is_file():
                        yield name, not entry.is_symlink()
        except OSError:
            yield place or os.curdir, False


def is_recording(name: str, readable: Collection[str]) -> bool:
    """By the name of a file; `readable` are suffixes."""
    return splitext(name)[1].lower() in readable and not name.startswith(".") and name != LABELS  # noqa: PTH122


def expanded(paths: Iterable[Path]) -> Iterator[Path]:
    """Files as given; a folder as the recordings below it."""
    for path in paths:
        below = files_below(path) if there(path, Path.is_dir) else [path]
        if not below:
            raise RecordingError(f"{path}: there are no recordings in this folder")
        yield from below


def row_of(file: Path) -> LabelRow:
    """What the labels.csv in the file's folder, or in one above it, says of a file besides its label."""
    return rows_of(file, {})[0]


def rows_of(file: Path, lists: dict[Path, Mapping[Path, list[LabelRow]]]) -> list[LabelRow]:
    """As `row_of`, of every part of it that is listed; `lists` keeps what was read of each folder's list, by file."""
    real = file.resolve()
    for folder in file.absolute().parents[: ABOVE + 1]:
        if folder not in lists:
            known = listed(folder, labelled=False, problems=True) if there(folder / LABELS) else ()
            lists[folder] = _by_file(known)
        if rows := lists[folder].get(real):
            return [replace(row, file=file) for row in rows]
    return [LabelRow(file)]


def unlisted(file: Path, folder: Path, names: NamesBelow, known: Mapping[str, Any] | None = None) -> LabelRow:
    """A file below a folder that no list names; a link is followed where one in a list is."""
    real = names.real(name_below(folder, file))
    link = not names.holds(real) and is_own_link(file)
    return LabelRow(file, known or {}, within=Path(real) if link else names.root, link=link)


def told_of_links(rows: Iterable[LabelRow]) -> str:
    """A sentence about files that lie elsewhere; empty without any."""
    some = [row.file for row in rows if row.link]
    if not some:
        return ""
    said = "1 recording is a link" if len(some) == 1 else f"{len(some)} recordings are links"
    more = ", and so on" if len(some) > 1 else ""
    return f"{said} of yours to files of yours elsewhere: {some[0].name} leads to {some[0].resolve()}{more}"


def _by_file(rows: Iterable[LabelRow]) -> dict[Path, list[LabelRow]]:
    found = defaultdict(list)
    for row in rows:
        found[row.file.resolve()].append(row)
    return found


def to_judge(paths: Iterable[Path]) -> Iterator[LabelRow]:
    """Files and the recordings below folders, with what a labels.csv says of them besides labels."""
    lists: dict[Path, Mapping[Path, list[LabelRow]]] = {}
    for path in paths:
        if not there(path, Path.is_dir):
            yield from rows_of(path, lists)
            continue
        rows = _by_file(listed(path, labelled=False)) if there(path / LABELS) else {}
        below = files_below(path) if rows else expanded([path])
        names = NamesBelow(path)
        for file in below:
            yield from rows.pop(file.resolve(), ()) or [unlisted(file, path, names)]
        yield from chain.from_iterable(rows.values())  # listed, and not there


def rows_below(
    folder: Path,
    labels: Path | None = None,
    unlabelled: bool = False,
    *,
    problems: bool = False,
    files: Sequence[Path] | None = None,
) -> list[LabelRow]:
    """What a list names, with or without a label, or what lies in subfolders; with `unlabelled`, all other files, and
    with `problems`, rows of the list that cannot be understood. `files` are those below the folder, if known."""
    if labels is None and not (folder / LABELS).exists():
        below = files_below(folder) if files is None else files
        placed = [(file, *name_below(folder, file).partition("/")) for file in below]
        names = NamesBelow(folder)
        loose = [unlisted(file, folder, names) for file, _, slash, _ in placed if not slash] if unlabelled else []
        inside = ((file, first) for file, first, slash, _ in placed if slash)
        classes = ((file, first) for file, first in inside if not first.startswith((".", "__")))
        return [*(unlisted(file, folder, names, {"label": first}) for file, first in classes), *loose]
    known = list(listed(folder, labels=labels, needed=not unlabelled, problems=problems))
    if not unlabelled:
        return known
    names = NamesBelow(folder)
    reals = {row.real for row in known}
    below = files_below(folder) if files is None else files
    others = (file for file in below if names.real(name_below(folder, file)) not in reals)
    return [*known, *(unlisted(file, folder, names) for file in others)]
