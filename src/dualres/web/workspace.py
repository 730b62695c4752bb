"""The folder that the page shows: its recordings by id, what is known of each, and its list of labels."""

import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from threading import Lock
from typing import Any

from dualres.errors import DualResError, RecordingError
from dualres.recordings.formats.contents import choose_several
from dualres.recordings.labels.cells import RowKey
from dualres.recordings.labels.edit import (
    CellEdit,
    ListChange,
    finish_edits,
    remove_part,
    set_cells,
    set_cells_of_many,
    take_back,
    text_of,
)
from dualres.recordings.labels.read import LabelRow
from dualres.recordings.labels.reversal import Reversal
from dualres.recordings.preview import SignalPreview, previews_of
from dualres.recordings.readers import refuse_outside
from dualres.recordings.recording import FileStamp
from dualres.recordings.speed import Speed, speed_in
from dualres.recordings.speed_sources import SpeedKnown, SpeedSources
from dualres.utils.progress import Progress, quiet
from dualres.web.index import MODELS, FileEntry, FolderIndex, entry_of
from dualres.web.precedence import WritersFirst
from dualres.web.pyramid import Pyramid
from dualres.web.words import plain

CAMPAIGN = ("ledger.sqlite", "jobs.jsonl")  # what the folder of a campaign holds: a ledger, or its export
UNDO = 100  # changes of the list that can be taken back
UNDO_LENGTH = 32 << 20  # characters of all of these
SIGNALS = 10_000  # recordings whose axes are remembered
FILES = 200_000  # files of which facts are remembered
PYRAMIDS = 64 << 20  # bytes of extremes that are kept


def is_campaign(folder: Path) -> bool:
    return any((folder / name).is_file() for name in CAMPAIGN)


@dataclass(frozen=True)
class FileFacts:
    seconds: float | None = None
    rate: float | None = None  # Hz
    axes: tuple[str, ...] = ()
    problem: str = ""
    speed_rpm: float | None = None  # of the shaft, its mean


@dataclass(frozen=True)
class _KnownFacts:
    """Of a file in the state of its stamp, and at the speed that its row in the list says."""

    listed: LabelRow
    read: tuple[object, ...]  # what of the file is meant, and how it is read
    stamp: FileStamp | None  # None where there is no such file
    facts: FileFacts


class Workspace:
    """All that the page knows of a folder; nothing of it is kept anywhere but in the folder."""

    def __init__(
        self, folder: Path, channel: str | None = None, rate: Fraction | None = None, *, speed: SpeedKnown = None
    ) -> None:
        if not folder.is_dir():
            raise RecordingError(f"{folder}: there is no such folder")
        self.folder, self.channel, self.rate = folder.resolve(), channel, rate
        self.sources = SpeedSources.of(speed)
        self.models = self.folder / MODELS
        with suppress(DualResError):  # the next edit says it
            finish_edits(self.folder)
        self.index = FolderIndex(self.folder)
        self.writers = WritersFirst()
        self._lock = Lock()  # of the list
        self._undo: list[Reversal] = []  # of the last changes of the list
        self._signals: dict[tuple[object, ...], list[SignalPreview]] = {}
        self._speeds: dict[tuple[object, ...], tuple[Speed | None, Speed | None]] = {}
        self._facts: dict[str, _KnownFacts] = {}  # by the entry's id
        self._pyramids: OrderedDict[tuple[object, ...], Pyramid] = OrderedDict()

    def entries(self) -> Sequence[FileEntry]:
        """Everything that can be looked at or labelled, in the order of the names."""
        if is_campaign(self.folder):
            return []  # its tables are no recordings
        return self.index.entries()

    def entry(self, id: str) -> FileEntry:
        found = None if is_campaign(self.folder) else self.index.entry(id)
        if found is None:
            raise RecordingError("there is no such recording any more; look at the folder again")
        if found.row.problem:
            raise RecordingError(f"{found.name}: {found.row.problem}")
        return found

    def unlisted(self, file: Path) -> FileEntry:
        """A file that has just come, before anything is known of it."""
        return entry_of(LabelRow(file), self.folder)

    def facts(self, entry: FileEntry) -> FileFacts:
        """Length, rate, axes and speed, or why they are not known; a file is read once for every state of it."""
        if entry.row.problem:
            return FileFacts(problem=entry.row.problem)
        try:
            stamp, known = _stamp(entry), self._facts.get(entry.id)
            if known is None or known.stamp != stamp or known.read != _reading(entry):
                known = self._keep_facts(entry, stamp, self._facts_of_file(entry))
            return self._with_speed(entry, known)
        except RecordingError as error:
            found = FileFacts(problem=_problem(entry, error))
            self._facts[entry.id] = _KnownFacts(entry.row, _reading(entry), None, found)
            return found

    def known_facts(self, entry: FileEntry) -> FileFacts | None:
        """As they were when the file was read last; None if it was not."""
        if entry.row.problem:
            return FileFacts(problem=entry.row.problem)
        known = self._facts.get(entry.id)
        return self._with_speed(entry, known) if known and known.read == _reading(entry) else None

    def _with_speed(self, entry: FileEntry, known: "_KnownFacts") -> FileFacts:
        """The list may say another speed by now."""
        if known.listed is not entry.row and known.listed.known.get("condition") != entry.row.known.get("condition"):
            return self._keep_facts(entry, known.stamp, known.facts).facts
        return known.facts

    def _keep_facts(self, entry: FileEntry, stamp: FileStamp | None, facts: FileFacts) -> "_KnownFacts":
        speed = self.speed(entry)
        known = _KnownFacts(entry.row, _reading(entry), stamp, replace(facts, speed_rpm=speed.rpm if speed else None))
        self._facts[entry.id] = known
        _forget_first(self._facts, FILES)
        return known

    def speed(self, entry: FileEntry) -> Speed | None:
        """As it is for a verdict: measured beside the signal, by the list, by the file, or as the command was told."""
        if not self.sources.used:
            return None
        listed = speed_in(entry.row.known.get("condition") or {})
        measured, own = self._speed_in_file(entry)
        return measured or listed or own or self.sources.stated

    def _speed_in_file(self, entry: FileEntry) -> tuple[Speed | None, Speed | None]:
        """What a channel measures, and what the file states; neither where that cannot be read."""
        try:
            key = self._key(entry)
            if key not in self._speeds:
                first = self.signals(entry)[0]
                rate = first.rate or entry.row.rate or self.rate
                stated = Speed((first.listed.speed_hz,)) if first.listed.speed_hz else None
                self._speeds[key] = self.sources.measured(entry.row.file, rate), stated
                _forget_first(self._speeds, FILES)
            measured, own = self._speeds[key]
        except RecordingError:
            return None, None
        part = entry.row.part
        return measured.between(part.start_s, part.end_s) if measured and part else measured, own

    def _facts_of_file(self, entry: FileEntry) -> FileFacts:
        try:
            axes = self.signals(entry)
            rate = self._rate(entry, axes[0])
            first, last = self._bounds(entry, axes[0], rate)
            return FileFacts((last - first) / rate, rate, tuple(one.name for one in axes))
        except RecordingError as error:
            return FileFacts(problem=_problem(entry, error))

    def signals(self, entry: FileEntry) -> list[SignalPreview]:
        """The axes of a recording: those that the list or the command names, or all that the file holds."""
        key = self._key(entry)
        if key not in self._signals:
            self._signals[key] = self._chosen(entry)
            _forget_first(self._signals, SIGNALS)
        return self._signals[key]

    def _chosen(self, entry: FileEntry) -> list[SignalPreview]:
        refuse_outside(entry.row.file, entry.row.within)
        there, channel = previews_of(entry.row.file), entry.row.channel or self.channel
        if channel is None:
            return there
        try:
            chosen = choose_several([one.listed for one in there], channel)
        except ValueError as error:
            raise RecordingError(f"{entry.row.file}: {error}") from None
        return [one for one in there if one.listed in chosen]

    def signal(self, entry: FileEntry, axis: int) -> "SignalView":
        axes = self.signals(entry)
        if not 0 <= axis < len(axes):
            raise RecordingError(f"{entry.name}: has {len(axes)} axes, counted from 0; ask for one of them")
        rate = self._rate(entry, axes[axis])
        first, last = self._bounds(entry, axes[axis], rate)
        key = (*self._key(entry), axis)
        with self._lock:
            if key not in self._pyramids:
                read = axes[axis].samples
                self._pyramids[key] = Pyramid(last - first, lambda start, stop: read(first + start, first + stop))
            self._pyramids.move_to_end(key)
            while sum(one.nbytes for one in self._pyramids.values()) > PYRAMIDS and len(self._pyramids) > 1:
                self._pyramids.popitem(last=False)
            return SignalView(rate, self._pyramids[key])

    def label(
        self,
        entry: FileEntry,
        cells: Mapping[str, str],
        part: tuple[float, float] | None = None,
        seen: Mapping[str, str] | None = None,
    ) -> None:
        """Write what somebody says of a recording, or of a part of it, to the list; `seen` as for `set_cells`."""
        start_s, end_s = part or (entry.place.start_s, entry.place.end_s)
        place = RowKey(entry.place.file, entry.place.channel, start_s or None, end_s)
        self.write([CellEdit(place, cells, seen)])

    def write(self, edits: Sequence[CellEdit], progress: Progress = quiet) -> None:
        """All of these edits, as one change that can be taken back."""
        with self._lock:
            self._done(set_cells_of_many(self.folder, edits, progress))

    def list_file(self, file: Path) -> None:
        """A recording without a label; that cannot be taken back."""
        with self._lock:
            set_cells(self.folder, RowKey(file.relative_to(self.folder).as_posix()), {"label": ""})

    def unlist_part(self, entry: FileEntry) -> None:
        with self._lock:
            self._done(remove_part(self.folder, entry.place))

    def undo(self) -> bool:
        """Take the last change back, unless somebody else has changed the list since; whether there was one."""
        with self._lock:
            if not self._undo:
                return False
            try:
                take_back(self.folder, self._undo.pop().change(text_of(self.folder)))
            except RecordingError:
                self._undo.clear()
                raise
            return True

    def _done(self, change: ListChange) -> None:
        self._undo = [*self._undo, Reversal.of(change)][-UNDO:]
        while sum(len(one.before) for one in self._undo) > UNDO_LENGTH and len(self._undo) > 1:
            del self._undo[0]

    @staticmethod
    def _key(entry: FileEntry) -> tuple[object, ...]:
        return entry.name, entry.row.rate, _stamp(entry)

    def _rate(self, entry: FileEntry, axis: SignalPreview) -> float:
        rate = axis.rate or entry.row.rate or self.rate
        if rate is None:
            raise RecordingError(f"{entry.row.file}: the file does not say its rate; name it in the column rate")
        return float(rate)

    @staticmethod
    def _bounds(entry: FileEntry, axis: SignalPreview, rate: float) -> tuple[int, int]:
        part = entry.row.part
        if part is None:
            return 0, axis.length
        last = axis.length if part.end_s is None else min(axis.length, round(part.end_s * rate))
        return min(round(part.start_s * rate), last), last


@dataclass(frozen=True)
class SignalView:
    """One axis of a recording, at any magnification."""

    rate: float
    pyramid: Pyramid

    def stretch(self, start_s: float, end_s: float) -> tuple[int, int]:
        """Two seconds as samples, within the signal and in order."""
        length = self.pyramid.length
        first = min(max(0, round(start_s * self.rate)), length - 1)
        return first, min(max(first + 1, round(end_s * self.rate)), length)


def _stamp(entry: FileEntry) -> FileStamp:
    try:
        return FileStamp.of(os.stat(entry.row.file))  # noqa: PTH116 - of thousands of files, at every look
    except OSError as error:
        raise RecordingError(f"{entry.row.file}: cannot be read ({error.strerror})") from error


def _reading(entry: FileEntry) -> tuple[object, ...]:
    row = entry.row
    return row.channel, row.rate, row.part


def _forget_first(known: dict[Any, Any], most: int) -> None:
    while len(known) > most:
        known.pop(next(iter(known)))


def _problem(entry: FileEntry, error: RecordingError) -> str:
    """Of a recording whose name stands beside it."""
    return plain(str(error).removeprefix(f"{entry.row.file}: "))
