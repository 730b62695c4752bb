"""The spool: one SQLite file that holds what came in and was not judged yet, and verdicts that were not delivered yet.

What is committed survives a killed process and a pulled plug (write-ahead log, synchronous FULL). Many chunks are
committed at once. Verdicts, the position of their stream and the dropping of chunks that are no longer needed are one
transaction, so a verdict is made exactly once, whenever the process dies.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from operator import attrgetter
from pathlib import Path
from typing import Any, Self, TypeVar

from dualres.errors import MISFIT, DualResError
from dualres.stream.monitor.chunk import Form
from dualres.stream.watch.privacy import keep_private
from dualres.stream.watch.records import StoredChunk, Stream, StreamProgress, VerdictRecord

SpoolItem = TypeVar("SpoolItem")
QUOTA = 2 << 30  # bytes
LONGEST_LOG = 16 << 20  # bytes of the write-ahead log; SQLite empties it at 4 MB, if all goes well
RECENT = 8 << 20  # bytes of samples that are kept in memory as well, for they are judged soon
LOCK_S = 2.0  # a process that was killed may take a moment to end
PAUSE_S = 1.0  # after which to try again to write to a full disk
MOST_RUNS = 1000  # of a stream that are remembered; as many messages may be sent again by a broker
WAITS = "waits for room on the disk; until then nothing is acknowledged"
STANDBY = "-standby"  # at the end of a spool's name: what it holds, others make again
NOT_ENDED, LATEST = "NOT ended", "id IN (SELECT max(id) FROM streams GROUP BY name)"  # which runs of streams
_MARK = 0x44525331  # SQLite's application id: "DRS1", a spool in its first form
_SCHEMA = """
CREATE TABLE IF NOT EXISTS streams (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, start TEXT NOT NULL, form TEXT NOT NULL, began INTEGER NOT NULL,
    position INTEGER NOT NULL, marker TEXT, ended INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX IF NOT EXISTS runs ON streams (name, start);
CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY, stream INTEGER NOT NULL REFERENCES streams, first INTEGER NOT NULL, count INTEGER NOT NULL,
    samples BLOB NOT NULL, side TEXT, at REAL NOT NULL, last INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS verdicts (id INTEGER PRIMARY KEY, key TEXT NOT NULL, record TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS sinks (name TEXT PRIMARY KEY, delivered INTEGER NOT NULL) STRICT;
"""
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)


class SpoolError(DualResError):
    """A spool that cannot be used."""


class SpoolFullError(SpoolError):
    """There is no room on the disk at the moment; nothing of the transaction was written."""


class Spool:
    """For one process and one thread; another process that opens the same file is refused."""

    def __init__(self, path: Path, quota: int = QUOTA) -> None:
        self.path, self.quota = path, quota
        self._log = path.with_name(f"{path.name}-wal")
        self._recent: dict[int, StoredChunk] = {}  # chunks that are committed and that nobody has asked for yet
        self._recent_bytes = 0
        try:
            keep_private(path)
            self._database = sqlite3.connect(path, isolation_level=None, timeout=LOCK_S)
        except (OSError, sqlite3.OperationalError) as error:
            raise SpoolError(f"{path.parent}: cannot be written ({error}); give another folder (--state)") from error
        try:
            self._prepare()
            self._read_counters()
        except SpoolError:
            self._database.close()
            raise
        except sqlite3.DatabaseError as error:
            self._database.close()
            if _code(error) in _FULL:
                raise SpoolFullError(f"{path}: cannot be opened ({error})") from error
            if _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                reason = "another dualres watch is using it; stop that one, or give another folder (--state)"
            else:
                reason = f"cannot be opened ({error}); move it away, or give another folder (--state)"
            raise SpoolError(f"{path}: {reason}") from error

    def _read_counters(self) -> None:
        self.next_chunk = 1 + self._number("SELECT max(id) FROM chunks")
        self._next_verdict = 1 + max(
            self._number("SELECT max(id) FROM verdicts"), self._number("SELECT max(delivered) FROM sinks")
        )
        self._page = self._number("PRAGMA page_size")  # bytes

    def _prepare(self) -> None:
        run = self._database.execute
        run("PRAGMA locking_mode=EXCLUSIVE")
        (tables,) = run("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and run("PRAGMA application_id").fetchone() != (_MARK,):
            raise sqlite3.DatabaseError("not a spool of this version")
        run("PRAGMA journal_mode=WAL")
        run("PRAGMA synchronous=FULL")
        run(f"PRAGMA journal_size_limit={LONGEST_LOG}")  # a log that was longer gives its room back
        run("PRAGMA secure_delete=OFF")  # Debian's SQLite overwrites all that is deleted: twice as much to write
        run("BEGIN IMMEDIATE")
        for statement in _SCHEMA.strip().split(";\n"):
            run(statement)
        run(f"PRAGMA application_id={_MARK}")
        run("COMMIT")

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def bytes(self) -> int:
        """Of the file's pages that hold something. The file itself never shrinks: the others are for what comes."""
        return self._page * (self._number("PRAGMA page_count") - self._number("PRAGMA freelist_count"))

    @property
    def full(self) -> bool:
        return self.bytes >= self.quota

    def streams(self, which: str = "TRUE") -> list[Stream]:
        """The runs that are remembered, oldest first: all, those that have not ended, or the latest of every stream."""
        return list(self._read(_stream_of, f"SELECT {_STREAM} FROM streams WHERE {which} ORDER BY id"))

    def was_judged(self, name: str, start: str, sample: int) -> bool:
        """Whether a sample of this index was judged in the run that began with `start`, wherever it was taken up."""
        # What follows the start behind an @ says where; "A" is the next letter behind @.
        query = "SELECT count(*) FROM streams WHERE name = ?1 AND began <= ?3 AND position > ?3 "
        query += "AND (start = ?2 OR (start > ?2 || '@' AND start < ?2 || 'A'))"
        return self._number(query, (name, start, sample)) > 0

    def has_run(self, name: str, start: str) -> bool:
        """Whether a run of this stream that began with `start` is remembered."""
        return self._number("SELECT count(*) FROM streams WHERE name = ? AND start = ?", (name, start)) > 0

    @property
    def sample_bytes(self) -> int:
        return self._number("SELECT sum(length(samples)) FROM chunks")

    @property
    def last_stream(self) -> int:
        return self._number("SELECT max(id) FROM streams")

    def chunks_by_id(self, ids: Sequence[int]) -> list[StoredChunk]:
        """In the order in which they came. Who asks again for the same ones may wait longer."""
        at_hand = [self._recent.pop(id) for id in ids if id in self._recent]
        self._recent_bytes -= sum(len(chunk.data) for chunk in at_hand)
        if len(at_hand) == len(ids):
            return sorted(at_hand, key=attrgetter("id"))
        known = {chunk.id for chunk in at_hand}
        others = [id for id in ids if id not in known]
        holes = ", ".join("?" * len(others))
        found = self._read(_chunk_of, f"SELECT {_CHUNK} FROM chunks WHERE id IN ({holes})", others)
        return sorted([*at_hand, *found], key=attrgetter("id"))

    def chunks(self) -> Iterator[StoredChunk]:
        return self._read(_chunk_of, f"SELECT {_CHUNK} FROM chunks ORDER BY id")

    def append(self, opened: Sequence[Stream], chunks: Sequence[StoredChunk]) -> None:
        """Commit new streams and chunks, all or none, and forget runs of these streams that were over long ago."""
        with self._writing():
            self._insert(opened, chunks)
            self._database.executemany(
                "DELETE FROM streams WHERE ended AND name = ?1 AND id <= "
                f"(SELECT id FROM streams WHERE name = ?1 ORDER BY id DESC LIMIT 1 OFFSET {MOST_RUNS})",
                {(one.name,) for one in opened},
            )
        for chunk in chunks:
            if self._recent_bytes + len(chunk.data) <= RECENT:
                self._recent[chunk.id] = chunk
                self._recent_bytes += len(chunk.data)

    def replace(self, streams: Sequence[Stream], chunks: Sequence[StoredChunk]) -> None:
        """Forget everything, and hold these instead, all or none: what another process has left."""
        with self._writing():
            for table in ("chunks", "streams", "verdicts", "sinks"):
                self._database.execute(f"DELETE FROM {table}")
            self._insert(streams, chunks)
        self._recent.clear()
        self._recent_bytes = 0
        self._read_counters()

    def _insert(self, streams: Sequence[Stream], chunks: Sequence[StoredChunk]) -> None:
        """Within a transaction."""
        self._database.executemany(
            f"INSERT INTO streams ({_STREAM}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(s.id, s.name, s.start, s.form.as_text(), s.began, s.position, _text(s.marker), s.ended) for s in streams],
        )
        self._database.executemany(
            f"INSERT INTO chunks ({_CHUNK}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(c.id, c.stream, c.first, c.count, c.data, _text(c.side), c.at, c.last) for c in chunks],
        )

    def new_chunk_id(self) -> int:
        self.next_chunk += 1
        return self.next_chunk - 1

    def record(
        self,
        progress: Iterable[StreamProgress],
        verdicts: Sequence[tuple[str, dict[str, Any]]],
        delivered: Mapping[str, int] | None = None,
    ) -> list[VerdictRecord]:
        """Commit verdicts, each a key and its content, with the positions that they brought and those of sinks."""
        records = [VerdictRecord(self._next_verdict + i, key, data) for i, (key, data) in enumerate(verdicts)]
        rows, steps = [(one.id, one.key, json.dumps(one.data)) for one in records], list(progress)
        dropped = [(chunk.id,) for one in steps for chunk in one.unneeded]
        with self._writing():
            self._database.executemany("INSERT INTO verdicts (id, key, record) VALUES (?, ?, ?)", rows)
            self._database.executemany(
                "UPDATE streams SET position = ?, marker = ?, ended = ? WHERE id = ?",
                [(s.position, _text(s.marker), s.ended, s.stream.id) for s in steps],
            )
            self._database.executemany("DELETE FROM chunks WHERE id = ?", dropped)
            self._drop(delivered or {})
        self._next_verdict += len(records)
        for one in steps:
            one.stream.position, one.stream.marker, one.stream.ended = one.position, one.marker, one.ended
        return records

    @property
    def last_verdict(self) -> int:
        """The id of the latest one; 0 if there was none yet."""
        return self._next_verdict - 1

    def register_sinks(self, names: Sequence[str]) -> tuple[dict[str, int], dict[str, int]]:
        """The last verdict that each sink has, and how many others never got; new sinks get what is still here."""
        oldest = self._number("SELECT min(id) FROM verdicts")  # they are counted from 1
        positions = dict(self._read(lambda row: (str(row[0]), int(row[1])), "SELECT name, delivered FROM sinks"))
        before = (oldest or self._next_verdict) - 1
        now = {name: positions.get(name, before) for name in names}
        with self._writing():
            self._database.execute("DELETE FROM sinks")
            self._database.executemany("INSERT INTO sinks VALUES (?, ?)", now.items())
        others = {name: self.waiting(done) for name, done in positions.items() if name not in now}
        return now, {name: count for name, count in others.items() if count}

    def outbox(self, after: int, most: int) -> list[VerdictRecord]:
        """The next verdicts, at most `most`, in the order in which they were made."""
        query = "SELECT id, key, record FROM verdicts WHERE id > ? ORDER BY id LIMIT ?"
        return list(self._read(lambda row: VerdictRecord(row[0], row[1], json.loads(row[2])), query, (after, most)))

    def waiting(self, after: int) -> int:
        """Verdicts that a sink that has all up to `after` does not have yet."""
        return max(0, self._next_verdict - 1 - after)

    def record_deliveries(self, positions: Mapping[str, int]) -> None:
        """Commit how far each sink is; what all of them have is dropped."""
        with self._writing():
            self._drop(positions)

    def _drop(self, positions: Mapping[str, int]) -> None:
        """Within a transaction."""
        done = min(positions.values(), default=0)
        self._database.executemany(
            "UPDATE sinks SET delivered = ? WHERE name = ?", [(done, name) for name, done in positions.items()]
        )
        self._database.execute("DELETE FROM verdicts WHERE id <= ?", (done,))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """All that is written within, or nothing of it."""
        try:
            self._shorten_log()
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            if _code(error) in _FULL:
                raise SpoolFullError(f"{self.path}: cannot be written ({error})") from error
            raise SpoolError(
                f"{self.path}: cannot be written ({error}); move it away, or give another --state"
            ) from error

    def _shorten_log(self) -> None:
        """Bring a long log into the file. SQLite tries that after a commit, but does not say when it cannot: then the
        log would grow beyond any quota. Here it is an error before anything is written."""
        if self._log.stat().st_size > LONGEST_LOG:
            try:
                self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.OperationalError as error:
                if _code(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):  # else at the next transaction
                    raise

    def _number(self, query: str, values: Sequence[str | int] = ()) -> int:
        """What a query of one number gives; 0 where there is none."""
        (number,) = self._read(lambda row: int(row[0] or 0), query, values)
        return number

    def _read(
        self, made_of: Callable[[tuple[Any, ...]], SpoolItem], query: str, values: Sequence[str | int] = ()
    ) -> Generator[SpoolItem, None, None]:
        """What is made of every row; a SpoolError where the file is damaged."""
        try:
            for row in self._database.execute(query, values):
                yield made_of(row)
        except (sqlite3.Error, *MISFIT) as error:
            raise SpoolError(
                f"{self.path}: cannot be read ({error}); move it away, or give another folder (--state)"
            ) from error


def patient_spool(path: Path, quota: int, say: Callable[[str], None]) -> Spool:
    """The spool, as soon as there is room on its disk."""
    reported = False
    while True:
        try:
            return Spool(path, quota)
        except SpoolFullError as error:
            if not reported:
                say(f"{error}: {WAITS}")
            reported = True
            time.sleep(PAUSE_S)


def undelivered_beside(path: Path) -> dict[Path, int]:
    """Verdicts in other spools of the folder that no agent is using: of another model, or of other blocks."""
    found = {}
    for other in sorted(path.parent.glob(f"*{path.suffix}")):
        if other != path and not other.stem.endswith(STANDBY):
            with (
                suppress(sqlite3.Error),
                closing(sqlite3.connect(f"{other.resolve().as_uri()}?mode=rw", timeout=0, uri=True)) as one,
            ):
                found[other] = int(one.execute("SELECT count(*) FROM verdicts").fetchone()[0])
    return {other: count for other, count in found.items() if count}


_STREAM = "id, name, start, form, began, position, marker, ended"
_CHUNK = "id, stream, first, count, samples, side, at, last"


def _stream_of(row: tuple[Any, ...]) -> Stream:
    id, name, start, form, began, position, marker, ended = row
    return Stream(id, name, start, Form.parsed(form), began, position, marker and json.loads(marker), bool(ended))


def _chunk_of(row: tuple[Any, ...]) -> StoredChunk:
    id, stream, first, count, samples, side, at, last = row
    return StoredChunk(id, stream, first, count, samples, json.loads(side) if side else {}, at, bool(last))


def _text(data: Mapping[str, Any] | None) -> str | None:
    return json.dumps(data) if data else None


def _code(error: sqlite3.Error) -> int:
    """What SQLite calls it; 0 where the error is not SQLite's."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
