"""All that is to be judged, kept as names: a hundred thousand rows of a list would take a hundred megabytes."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from dualres.errors import RecordingError
from dualres.recordings.labels.names import NamesBelow
from dualres.recordings.labels.read import LabelRow, names_below, to_judge, unlisted
from dualres.recordings.labels.table import LABELS
from dualres.utils.special_files import there

Entry = str | LabelRow  # the name of a plain file below a folder, or a row that says more of one


class RowsToJudge:
    """As `to_judge`, with their number; may be walked through many times."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._groups: list[tuple[Path | None, list[Entry]]] = []  # the folder that plain files must lie in
        for path in paths:
            plain = there(path, Path.is_dir) and not there(path / LABELS)
            self._groups.append(_below(path) if plain else (None, list(to_judge([path]))))

    def __len__(self) -> int:
        return sum(len(entries) for _, entries in self._groups)

    def __iter__(self) -> Iterator[LabelRow]:
        return (row_of_entry(within, one) for within, one in self.entries())

    def entries(self) -> Iterator[tuple[Path | None, Entry]]:
        """Each with the folder that it must lie in, for `row_of_entry`."""
        return ((within, one) for within, entries in self._groups for one in entries)

    @property
    def told(self) -> list[LabelRow]:
        """Those of which more is known than a name."""
        return [one for _, entries in self._groups for one in entries if isinstance(one, LabelRow)]


def row_of_entry(within: Path | None, entry: Entry) -> LabelRow:
    return LabelRow(Path(entry), within=within) if isinstance(entry, str) else entry


def _below(folder: Path) -> tuple[Path, list[Entry]]:
    found = sorted(names_below(folder), key=lambda one: Path(one[0]))
    if not found:
        raise RecordingError(f"{folder}: there are no recordings in this folder")
    names = NamesBelow(folder)
    return names.root, [name if plain else unlisted(Path(name), folder, names) for name, plain in found]
