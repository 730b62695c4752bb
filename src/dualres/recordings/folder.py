"""A user's folder: one subfolder per class, or a `labels.csv`."""

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from dualres.config import ModelConfig
from dualres.errors import ConfigError, RecordingError
from dualres.machinery.progress import Progress, quiet
from dualres.machinery.rates import exact_rate
from dualres.recordings.formats import suffixes
from dualres.recordings.readers import load, read
from dualres.recordings.recording import Blockwise, Recording
from dualres.recordings.windows import samples_for, shortage

LABELS = "labels.csv"
_NOT_CONDITIONS = {"file", "label", "component", "rate", "channel"}


@dataclass(frozen=True)
class Folder:
    """What was understood of a folder."""

    recordings: tuple[Recording, ...]
    seconds: Mapping[str, float]  # of each recording
    left_out: tuple[tuple[str, str], ...] = ()  # file and reason
    same: tuple[tuple[str, ...], ...] = ()  # recordings with identical content under different names

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(sorted({str(r.label) for r in self.recordings}))


@dataclass(frozen=True)
class Row:
    """A recording to read, with what a list says of it."""

    file: Path
    known: Mapping[str, Any] = field(default_factory=dict)  # label, component and condition
    rate: Fraction | None = None
    channel: str | None = None


def read_folder(
    folder: Path, channel: str | None = None, rate: Fraction | None = None, progress: Progress = quiet
) -> Folder:
    """Every labelled recording below a folder; a file that cannot be used is left out with the reason.

    A row of labels.csv may bring its own channel and rate; the arguments serve the others.
    """
    if not folder.is_dir():
        raise RecordingError(f"{folder}: there is no such folder")
    rows = list(_listed(folder) if (folder / LABELS).exists() else _sorted_into_subfolders(folder))
    if not rows:
        raise RecordingError(
            f"{folder}: no recordings found; put the files into one subfolder per class, or list them in {LABELS} "
            "with the columns file and label"
        )
    config, recordings, left_out = ModelConfig(), [], []
    contents: dict[str | None, list[str]] = defaultdict(list)
    seconds = {}
    for done, row in enumerate(rows):
        name = row.file.relative_to(folder).as_posix() + (f" [{row.channel}]" if row.channel else "")
        progress("Read", done, len(rows), name)
        try:
            one = read(row.file, row.channel or channel, row.rate or rate)
        except RecordingError as error:
            left_out.append((name, str(error).removeprefix(f"{row.file}: ")))
            continue
        window = samples_for(config.window, config.rate, one.rate)
        if one.length < window:
            left_out.append((name, f"{shortage(one.length, window, one.rate)}; record longer"))
            continue
        seconds[name] = float(one.length / one.rate)
        contents[one.origin.sha256].append(name)
        # Read again when it is needed: a folder may be larger than the memory.
        again = one.load if isinstance(one.load, Blockwise) else partial(load, row.file, one.origin.channel, one.rate)
        recordings.append(replace(one, id=name, load=again, **row.known))
    progress("Read", len(rows), len(rows), "")
    same = tuple(tuple(names) for names in contents.values() if len(names) > 1)
    return Folder(tuple(recordings), seconds, tuple(left_out), same)


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


def to_judge(paths: Iterable[Path]) -> Iterator[Row]:
    """Files as given; a folder as the recordings below it, with what its labels.csv says of them.

    The list need not name every file, and nobody needs to know the labels: they are not looked at.
    """
    for path in paths:
        listed = list(_listed(path, labelled=False)) if (path / LABELS).exists() else []
        rows = defaultdict(list)
        for row in listed:
            rows[row.file.resolve()].append(row)
        below = files_below(path) if listed else expanded([path])
        yield from chain.from_iterable(rows.pop(file.resolve(), [Row(file)]) for file in below)
        yield from chain.from_iterable(rows.values())  # listed, and not there


def _sorted_into_subfolders(folder: Path) -> Iterator[Row]:
    for subfolder in sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith((".", "__"))):
        for file in files_below(subfolder):
            yield Row(file, {"label": subfolder.name})


def _listed(folder: Path, labelled: bool = True) -> Iterator[Row]:
    """The rows of labels.csv; where they need not be labelled, labels are left out."""
    path = folder / LABELS
    try:
        with path.open(newline="", encoding="utf-8-sig") as lines:
            header = lines.readline()
            lines.seek(0)
            delimiter = ";" if ";" in header and "," not in header else ","
            table = csv.DictReader(lines, delimiter=delimiter, skipinitialspace=True)
            rows = [(table.line_num, cells) for cells in table]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RecordingError(f"{path}: cannot be read ({error}); save it as a comma-separated file in UTF-8") from error
    listed: dict[tuple[str, str], int] = {}  # file and channel -> line
    for number, cells in rows:
        values = {k.strip().lower(): (v or "").strip() for k, v in cells.items() if isinstance(k, str)}
        if not values.get("file") or (labelled and not values.get("label")):
            columns = "columns file and label are" if labelled else "column file is"
            raise RecordingError(f"{path}, line {number}: the {columns} needed, and must not be empty")
        earlier = listed.setdefault((values["file"], values.get("channel", "")), number)
        if earlier != number:
            raise RecordingError(f"{path}, line {number}: {values['file']} is already listed in line {earlier}")
        file = (folder / values["file"]).resolve()
        if not file.is_relative_to(folder.resolve()):
            raise RecordingError(f"{path}, line {number}: {values['file']} lies outside the folder")
        try:
            rate = exact_rate(values["rate"]) if values.get("rate") else None
        except ConfigError as error:
            raise RecordingError(f"{path}, line {number}: {error}") from None
        condition = {k: v for k, v in values.items() if k not in _NOT_CONDITIONS and v}
        label = {"label": values["label"]} if labelled else {}
        known = {**label, "component": values.get("component") or None, "condition": condition}
        yield Row(folder / values["file"], known, rate, values.get("channel") or None)
