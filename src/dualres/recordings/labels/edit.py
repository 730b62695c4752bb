"""Editing a labels.csv: one recording, or several at once. A new list begins with what the subfolders say.

One process of ours writes at a time. What programs that know no lock write meanwhile is taken in (`replace`). Who says
what was seen of a recording before the edit is told of what somebody else has changed there since.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dualres.errors import RecordingError
from dualres.recordings.labels.cells import CellTable, RowKey, can_be_listed, no_name
from dualres.recordings.labels.names import name_below
from dualres.recordings.labels.read import LabelRow
from dualres.recordings.labels.replace import content_at_rest, finish_what_was_left, removed, replaced
from dualres.recordings.labels.table import LABELS, refuse_unusual, text_in
from dualres.utils.folder_lock import LOCK, Turn, alone_in
from dualres.utils.progress import Progress, quiet

LONGEST = 200  # characters of a cell
STEP = 1000  # edits between two words of progress
TRIES = 50  # of an edit, while other programs change the list


class ListChange(NamedTuple):
    """A list as it was, "" if there was none, and as it is."""

    before: str
    after: str


class LabelConflictError(RecordingError):
    """Somebody else has changed the same cell since it was seen."""


@dataclass(frozen=True)
class CellEdit:
    """What somebody says of one recording. `seen` are cells as they were when that was thought of."""

    place: RowKey
    cells: Mapping[str, str]
    seen: Mapping[str, str] | None = None


def set_cells(
    folder: Path, place: RowKey, cells: Mapping[str, str], seen: Mapping[str, str] | None = None
) -> ListChange:
    """Write cells such as label, component or load of one recording.

    The file is replaced as a whole, once it is known to be readable. A LabelConflictError where a cell that is edited
    is another by now than was `seen`.
    """
    return set_cells_of_many(folder, [CellEdit(place, cells, seen)])


def set_cells_of_many(folder: Path, edits: Sequence[CellEdit], progress: Progress = quiet) -> ListChange:
    """As `set_cells`, of several recordings in one change: all of it is written, or nothing."""
    wanted = [(edit.place, _written(edit), edit.seen) for edit in edits]

    def put(table: CellTable) -> None:
        for done, (place, written, seen) in enumerate(wanted):
            if done % STEP == 0:
                progress("Write", done, len(wanted), "")
            number = table.find(place)
            for name in written if seen is not None else ():
                there, then = table.get(number, name) if number is not None else "", (seen or {}).get(name, "").strip()
                if there not in (then, written[name]):
                    raise LabelConflictError(
                        f"{place.file}: somebody else has changed {name} from {then!r} to {there!r}; nothing was "
                        "saved, look at it again"
                    )
            table.put(table.row_of(place), written)
        table.check([(place, written) for place, written, _ in wanted])
        progress("Write", len(wanted), len(wanted), "")

    return _edited(folder, put)


def _written(edit: CellEdit) -> dict[str, str]:
    """The cells of an edit as they will stand there."""
    for one in (*edit.cells, *edit.cells.values()):
        if len(one) > LONGEST or not one.isprintable():
            raise RecordingError(f"{one[:40]!r}: cannot stand in {LABELS}; use up to {LONGEST} printable characters")
    written = {name.strip().lower(): text.strip() for name, text in edit.cells.items()}
    if not all(written):
        raise RecordingError("a column needs a name; give one such as load")
    if "file" in written:
        raise RecordingError("the column file says which recording is meant; rename the file itself")
    if not can_be_listed(edit.place.file):
        raise no_name(edit.place.file)
    return written


def remove_part(folder: Path, place: RowKey) -> ListChange:
    """Take a part of a file off the list."""

    def take_away(table: CellTable) -> None:
        number = table.find(place)
        if place.whole or number is None:
            raise RecordingError(f"{folder / LABELS}: lists no such part of {place.file}; look at the folder again")
        table.take_away(number)
        if not table.rows_of(place.file):
            table.row_of(RowKey(place.file, place.channel))  # still a recording, without a label

    return _edited(folder, take_away)


def take_back(folder: Path, change: ListChange) -> None:
    """Make the list as it was before a change; an error where it is another since."""
    with _writing(folder) as (path, turn):
        known = content_at_rest(path)
        same = known is not None and text_in(path, known) == change.after
        turn.unfinished = True
        if same and known is not None:
            same = replaced(path, known, change.before.encode()) if change.before else removed(path, known)
        turn.unfinished = False
    if not same:
        raise changed_since()


def changed_since() -> RecordingError:
    return RecordingError(f"{LABELS} was changed by somebody else; nothing was taken back")


def finish_edits(folder: Path) -> None:
    """Bring in what came late when a writer was killed, if one was."""
    if (folder / LABELS).resolve().with_name(LOCK).exists():
        with _writing(folder):
            pass


def text_of(folder: Path) -> str:
    """The list as it is; "" without one."""
    path = folder / LABELS
    if not path.exists():
        return ""
    refuse_unusual(path)
    return text_in(path, path.read_bytes())


def _edited(folder: Path, change: Callable[[CellTable], None]) -> ListChange:
    """The list, changed as it is on the disk at the moment."""
    with _writing(folder) as (path, turn):
        for _ in range(TRIES):
            known = content_at_rest(path)
            before = text_in(path, known or b"")
            table = CellTable.of(folder, before)
            change(table)
            written = table.text()
            turn.unfinished = True
            done = replaced(path, known, written.encode())
            turn.unfinished = False
            if done:
                table.keep(written)
                return ListChange(before, written)
    raise RecordingError(f"{path}: another program keeps changing it, and nothing was saved; try again")


@contextmanager
def _writing(folder: Path) -> Iterator[tuple[Path, Turn]]:
    """The list, also where it is a link, and nobody else of ours who writes to it."""
    path = (folder / LABELS).resolve()
    with alone_in(path.parent) as turn:
        if turn.unfinished:
            finish_what_was_left(path)
            turn.unfinished = False
        if path.exists():
            refuse_unusual(path)
        yield path, turn


def place_of(row: LabelRow, folder: Path) -> RowKey:
    """Where the list tells of a row."""
    start_s, end_s = (row.part.start_s or None, row.part.end_s) if row.part else (None, None)
    return RowKey(name_below(folder, row.file), row.channel or "", start_s, end_s)
