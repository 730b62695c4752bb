"""A user's folder: one subfolder per class, or a `labels.csv`."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path

from dualres.config import ModelConfig
from dualres.errors import RecordingError
from dualres.recordings.axis_cache import Axis
from dualres.recordings.formats.registry import suffixes
from dualres.recordings.labels.read import LABELS, LabelRow, listed
from dualres.recordings.labels.selection import Selection, select
from dualres.recordings.readers import Channel, Usual, load, read
from dualres.recordings.recording import Blockwise, Recording, Samples
from dualres.recordings.segment import Cut, PartError, part_of
from dualres.recordings.windows import samples_for, shortage
from dualres.utils.progress import Progress, quiet

__all__ = [
    "LABELS",
    "Folder",
    "LabelRow",
    "expanded",
    "files_below",
    "read_folder",
    "read_row",
    "rows_below",
    "to_judge",
]

EVERYTHING = Selection()


@dataclass(frozen=True)
class Folder:
    """What was understood of a folder."""

    recordings: tuple[Recording, ...]
    seconds: Mapping[str, float]  # of each recording
    left_out: tuple[tuple[str, str], ...] = ()  # file and reason
    same: tuple[tuple[str, ...], ...] = ()  # recordings with identical content under different names
    not_chosen: Mapping[str, int] = field(default_factory=dict)  # how many a selection leaves out, by reason

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(sorted({r.label for r in self.recordings if r.label is not None}))


def read_folder(
    folder: Path,
    channel: Channel = None,
    rate: Fraction | None = None,
    progress: Progress = quiet,
    *,
    labels: Path | None = None,
    selection: Selection = EVERYTHING,
    unlabelled: bool = False,
) -> Folder:
    """Every labelled recording below a folder; a file that cannot be used is left out with the reason.

    A row of labels.csv may bring its own channel, or several, and rate; the arguments serve the others. `labels` is a
    list to use in place of the folder's own; its files are named relative to the folder. What `selection` leaves out is
    not read. With `unlabelled`, also what nobody has labelled yet: rows with an empty label, files that the list does
    not name, and without a list those that lie in no subfolder.
    """
    if not folder.is_dir():
        raise RecordingError(f"{folder}: there is no such folder")
    rows, not_chosen = select(rows_below(folder, labels, unlabelled), folder, selection)
    if not unlabelled:
        named = [row for row in rows if "label" in row.known]
        if len(named) < len(rows):
            not_chosen = {**not_chosen, "an empty label": len(rows) - len(named)}
        rows = named
    if not rows:
        raise RecordingError(
            f"{folder}: no recordings found; put the files into one subfolder per class, or list them in {LABELS} "
            "with the columns file and label"
        )
    config, recordings, left_out = ModelConfig(), [], []
    contents: dict[str | None, list[str]] = defaultdict(list)
    seconds = {}
    for done, row in enumerate(rows):
        name = row.file.relative_to(folder).as_posix() + row.which
        progress("Read", done, len(rows), name)
        try:
            one = read_row(row, channel, rate)
            digest = one.origin.sha256
        except PartError as error:
            raise RecordingError(f"{row.listed_in}: {error}") from None
        except RecordingError as error:
            left_out.append((name, str(error).removeprefix(f"{row.file}: ")))
            continue
        window = samples_for(config.window, config.rate, one.rate)
        if one.length < window:
            left_out.append((name, f"{shortage(one.length, window, one.rate)}; record longer"))
            continue
        seconds[name] = float(one.length / one.rate)
        if not row.part:
            contents[digest].append(name)
        recordings.append(replace(_read_again(one, row.file), id=name, **row.known))
    progress("Read", len(rows), len(rows), "")
    same = tuple(tuple(names) for names in contents.values() if len(names) > 1)
    return Folder(tuple(recordings), seconds, tuple(left_out), same, not_chosen)


def read_row(
    row: LabelRow, channel: Channel = None, rate: Fraction | None = None, usual: Usual | None = None
) -> Recording:
    """The recording that a row names, or the part of it; the arguments serve rows without a channel or a rate."""
    whole = read(row.file, row.channel or channel, row.rate or rate, usual=usual)
    return part_of(whole, row.part) if row.part else whole


def _read_again(one: Recording, file: Path) -> Recording:
    """The same recording, its samples read when they are needed: a folder may be larger than the memory."""
    if one.axes:
        axes = (_again(axis, Axis(file, one.channels, str(axis.origin.channel), one.rate)) for axis in one.axes)
        return replace(one, axes=tuple(axes))
    return _again(one, partial(load, file, one.origin.channel, one.rate))


def _again(one: Recording, again: Callable[[], Samples]) -> Recording:
    if isinstance(one.load, Blockwise):
        return one
    return replace(one, load=replace(one.load, whole=again) if isinstance(one.load, Cut) else again)


def files_below(folder: Path) -> list[Path]:
    """Files of a kind that can hold a recording; hidden ones and the list of labels are none."""
    readable = suffixes()
    return sorted(
        p
        for p in folder.rglob("*")
        if p.suffix.lower() in readable and not p.name.startswith(".") and p.name != LABELS and p.is_file()
    )


def expanded(paths: Iterable[Path]) -> Iterator[Path]:
    """Files as given; a folder as the recordings below it."""
    for path in paths:
        below = files_below(path) if path.is_dir() else [path]
        if not below:
            raise RecordingError(f"{path}: there are no recordings in this folder")
        yield from below


def to_judge(paths: Iterable[Path]) -> Iterator[LabelRow]:
    """Files as given; a folder as the recordings below it, with what its labels.csv says of them.

    The list need not name every file, and nobody needs to know the labels: they are not looked at.
    """
    for path in paths:
        known = list(listed(path, labelled=False)) if (path / LABELS).exists() else []
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
        return [*_sorted_into_subfolders(folder), *loose]
    known = list(listed(folder, labels=labels, needed=not unlabelled))
    there = {row.file.resolve() for row in known}
    others = [LabelRow(file) for file in files_below(folder) if file.resolve() not in there] if unlabelled else []
    return [*known, *others]


def _sorted_into_subfolders(folder: Path) -> Iterator[LabelRow]:
    for subfolder in sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith((".", "__"))):
        for file in files_below(subfolder):
            yield LabelRow(file, {"label": subfolder.name})
