"""A user's folder: one subfolder per class, or a `labels.csv`."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from pathlib import Path

from dualres.config import ModelConfig
from dualres.errors import RecordingError
from dualres.recordings.labels.read import LabelRow, read_row, rows_below, told_of_links
from dualres.recordings.labels.selection import Selection, select
from dualres.recordings.labels.table import LABELS
from dualres.recordings.readers import Channel, load_again, read_again
from dualres.recordings.recording import Blockwise, FileDigest, FileStamp, Recording, Samples
from dualres.recordings.segment import SegmentError, SegmentInMemory
from dualres.recordings.speed_sources import SpeedError, SpeedKnown, SpeedSources
from dualres.recordings.windows import samples_for, shortage
from dualres.utils.progress import Progress, quiet

EVERYTHING = Selection()
_Key = tuple[Path, FileStamp | None, tuple[str, ...], Fraction]
# Axes of the last file, read at once: those beside the one that is needed are kept until they are, or another file is.
_kept: tuple[_Key | None, dict[str, Samples]] = (None, {})
RowReader = Callable[[LabelRow, Channel, Fraction | None], tuple[Recording, int]]


@dataclass(frozen=True)
class Folder:
    """What was understood of a folder."""

    recordings: tuple[Recording, ...]
    seconds: Mapping[str, float]  # of each recording
    left_out: tuple[tuple[str, str], ...] = ()  # file and reason
    same: tuple[tuple[str, ...], ...] = ()  # recordings with identical content under different names
    links: str = ""  # a sentence about links to files elsewhere, if there are any
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
    reader: RowReader | None = None,
    speed: SpeedKnown = None,
) -> Folder:
    """Every labelled recording below a folder; a file that cannot be used is left out with the reason.

    A row of labels.csv may bring its own channel, or several, and rate; the arguments serve the others. `labels` is a
    list to use in place of the folder's own; its files are named relative to the folder. What `selection` leaves out is
    not read. With `unlabelled`, also what nobody has labelled yet: rows with an empty label, files that the list does
    not name, and without a list those that lie in no subfolder. `reader` reads a row, by default as `read_light`.
    `speed`, such as 1797 rpm or "29.95Hz", is of recordings that state none; "none" is for no speed at all.
    """
    reader = reader or partial(read_light, speed=SpeedSources.of(speed))
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
    config, recordings, left_out = ModelConfig(), list[Recording](), list[tuple[str, str]]()
    contents: dict[str | None, list[str]] = defaultdict(list)
    seconds = {}
    for done, row in enumerate(rows):
        name = row.file.relative_to(folder).as_posix() + row.which
        progress("Read", done, len(rows), name)
        try:
            one, length = reader(row, channel, rate)
            digest = one.origin.sha256
        except (SegmentError, SpeedError) as error:
            raise RecordingError(f"{row.listed_in}: {error}".removeprefix(": ")) from None
        except RecordingError as error:
            left_out.append((name, str(error).removeprefix(f"{row.file}: ")))
            continue
        window = samples_for(config.window, config.rate, one.rate)
        if length < window:
            left_out.append((name, f"{shortage(length, window, one.rate)}; record longer"))
            continue
        seconds[name] = float(length / one.rate)
        if not row.part:
            contents[digest].append(name)
        recordings.append(replace(one, id=name, **row.known))
    progress("Read", len(rows), len(rows), "")
    same = tuple(tuple(names) for names in contents.values() if len(names) > 1)
    return Folder(tuple(recordings), seconds, tuple(left_out), same, told_of_links(rows), not_chosen)


def read_light(
    row: LabelRow, channel: Channel = None, rate: Fraction | None = None, *, speed: SpeedKnown = None
) -> tuple[Recording, int]:
    """As `read_row`, and its samples: they are read again when they are needed, for a folder may exceed the memory."""
    one, file = read_row(row, channel, rate, speed=speed), row.file
    length = one.length
    _ = one.origin.sha256  # of the file that was checked
    before = one.origin.digest if isinstance(one.origin.digest, FileDigest) else None
    if one.axes:
        axes = (_again(a, Axis(file, one.channels, str(a.origin.channel), one.rate, before)) for a in one.axes)
        return replace(one, axes=tuple(axes)), length
    return _again(one, partial(load_again, file, one.origin.channel, one.rate, before)), length


def _again(one: Recording, again: Callable[[], Samples]) -> Recording:
    if isinstance(one.load, Blockwise):
        return one
    return replace(one, load=replace(one.load, whole=again) if isinstance(one.load, SegmentInMemory) else again)


@dataclass(frozen=True)
class Axis:
    """Loads the samples of an axis, and with them those of the others: most who need one need the next one, too."""

    path: Path
    channels: tuple[str, ...]
    channel: str  # one of them
    rate: Fraction
    before: FileDigest | None = None  # of the file that was checked

    def __call__(self) -> Samples:
        global _kept
        stamp = FileStamp.of(self.path.stat()) if self.path.exists() else None  # `read` says what is wrong then
        key = (self.path, stamp, self.channels, self.rate)
        last, others = _kept
        found = others.pop(self.channel, None) if last == key else None
        if found is None:
            whole = read_again(self.path, self.channels, self.rate, before=self.before)
            others = {axis.origin.channel or "": axis.signal for axis in whole.axes}
            found = others.pop(self.channel)
            _kept = key, others
        return found
