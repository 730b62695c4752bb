"""A file of verdicts that grows while an archive is judged, and can be gone on with after whatever ended that."""

import csv
import json
import os
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from dualres.errors import ConfigError, OutputError
from dualres.judge.files import JudgeSettings
from dualres.judge.model import Model
from dualres.recordings.labels.read import LabelRow
from dualres.recordings.labels.rows_to_judge import Entry
from dualres.recordings.recording import Segment
from dualres.utils.files import check_output
from dualres.utils.json_text import json_value
from dualres.utils.optional_imports import need
from dualres.utils.printable import table_cell

SUFFIXES = (".csv", ".jsonl", ".parquet")
PART = ".part"  # follows the name of a Parquet file that is not complete: lines of JSON, as it cannot be added to


def run_of(model: Model, how: JudgeSettings) -> str:
    """The same for verdicts by models that judge alike, with the same options."""
    options = [str(how.channel), str(how.rate), how.error, how.sure, repr(how.speed)]
    return sha256(json.dumps([model.fingerprint, *options]).encode()).hexdigest()[:12]


def check_results(path: Path, resume: bool) -> None:
    """An error now for a file that could not be written, or that holds what nobody wants to lose."""
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"{path}: name a file that ends in {', '.join(SUFFIXES)}")
    check_output(path)
    part = path.with_name(path.name + PART)
    if path.suffix.lower() == ".parquet":
        if path.exists():
            raise OutputError(f"{path}: is there already and complete; choose another name, or remove it")
        need(f"{path}: writing Parquet", "pyarrow")
    begun = part if path.suffix.lower() == ".parquet" else path
    if begun.exists() and not resume:
        raise OutputError(f"{begun}: is there already; go on with it by --resume, or choose another name")


class Results:
    """The file, open for what comes. Lines end up in it whole: one that a crash left torn is taken away."""

    def __init__(self, path: Path, head: str, run: str) -> None:
        self.path, self._run = path, run
        self._table = path.suffix.lower() == ".csv"
        self._parquet = path.suffix.lower() == ".parquet"
        self.written = path.with_name(path.name + PART) if self._parquet else path
        self.known = set[str]()  # names of files, with channels and parts, of which something stands in it
        self.failed = 0  # of these could not be judged
        self.torn = False  # whether the last line was
        self._file = self.written.open("ab+", buffering=0)
        try:
            self._lock()
            self._mend()
            self._read(head)
        except BaseException:
            self._file.close()
            raise

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # not on this system
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(f"{self.written}: is being written by another process; wait for it to end") from None

    def _mend(self) -> None:
        """Take away what follows the last end of a line."""
        size = end = self._file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - (1 << 16))
            self._file.seek(start)
            place = self._file.read(end - start).rfind(b"\n")
            if place >= 0:
                end = start + place + 1
                break
            end = start
        self.torn = end < size
        if self.torn:
            self._file.truncate(end)

    def _read(self, head: str) -> None:
        with self.written.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
            for key, failed, run in self._of_table(file, head) if self._table else self._of_objects(file):
                if run != self._run:
                    raise OutputError(
                        f"{self.written}: was begun with another model or other options; give those again, or another "
                        "name"
                    )
                self.known.add(key)
                self.failed += failed
        if self._table and self._file.seek(0, os.SEEK_END) == 0:
            self.append([head])

    def _of_table(self, file: IO[str], head: str) -> Iterator[tuple[str, bool, str]]:
        rows = csv.reader(file)
        first = next(rows, None)
        if first is None:
            return
        names = next(csv.reader([head]))
        if first != names:
            raise OutputError(f"{self.written}: has other columns than these verdicts; choose another name")
        for row in rows:
            if len(row) != len(names):
                raise self._strange(rows.line_num)
            cells = dict(zip(names, row, strict=True))
            yield cells["file"], not cells["verdict"], cells["run"]

    def _of_objects(self, file: IO[str]) -> Iterator[tuple[str, bool, str]]:
        for number, line in enumerate(file, start=1):
            try:
                said = json_value(line)
                yield _key_of_object(said), "verdict" not in said, said["run"]
            except (ValueError, KeyError, TypeError):
                raise self._strange(number) from None

    def _strange(self, line: int) -> OutputError:
        return OutputError(f"{self.written}, line {line}: is no verdict of this command; choose another name")

    def missing(self, entries: Iterable[tuple[Path | None, Entry]]) -> Iterator[tuple[Path | None, Entry]]:
        """Those of which nothing stands in the file."""
        for within, entry in entries:
            key = entry if isinstance(entry, str) else _key_of_row(entry)
            if (table_cell(key) if self._table else key) not in self.known:
                yield within, entry

    def append(self, lines: Iterable[str]) -> None:
        """Further lines, on their way to the disk at once."""
        end = "\r\n" if self._table else "\n"
        content = memoryview("".join(f"{line}{end}" for line in lines).encode("utf-8", "surrogateescape"))
        while content:
            content = content[self._file.write(content) :]

    def finish(self) -> None:
        """All is written; a Parquet file is made of it only now."""
        os.fsync(self._file.fileno())
        if self._parquet:
            from dualres.judge.archive.parquet import write_parquet

            write_parquet(self.written, self.path)
            self.written.unlink()

    def close(self) -> None:
        self._file.close()


def _key_of_row(row: LabelRow) -> str:
    return f"{row.file}{row.which}"


def _key_of_object(said: dict[str, Any]) -> str:
    part = Segment(said["start_s"], said["end_s"]) if "start_s" in said else None
    return f"{said['file']}{''.join(f' [{one}]' for one in (said.get('channel'), part) if one)}"
