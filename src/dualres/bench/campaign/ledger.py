"""The ledger: one SQLite file with a row for every finished job, from which every table can be made again."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from dualres.bench.campaign.job import Job, read_job
from dualres.bench.campaign.ledger_schema import check_facts, check_scores
from dualres.errors import MISFIT, DualResError, reason_of
from dualres.learn.trained.task import Step
from dualres.metrics import Evaluation
from dualres.utils.files import compact_json
from dualres.utils.json_text import json_value
from dualres.utils.special_files import unusual

_MARK = 0x44524C31  # SQLite's application id: "DRL1", a ledger in its first form
_OF_ANY_FORM = _MARK >> 8  # "DRL"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (key TEXT PRIMARY KEY, plan TEXT NOT NULL, facts TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS scores (
    key TEXT NOT NULL REFERENCES jobs, position INTEGER NOT NULL, recording TEXT NOT NULL, truth INTEGER NOT NULL,
    windows INTEGER NOT NULL, scores TEXT NOT NULL, PRIMARY KEY (key, position)) STRICT;
CREATE TABLE IF NOT EXISTS steps (
    key TEXT NOT NULL REFERENCES jobs, number INTEGER NOT NULL, loss REAL NOT NULL, rate REAL NOT NULL,
    PRIMARY KEY (key, number)) STRICT;
CREATE TABLE IF NOT EXISTS digests (key TEXT PRIMARY KEY REFERENCES jobs, sha256 TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS failures (key TEXT PRIMARY KEY, plan TEXT NOT NULL, reason TEXT NOT NULL) STRICT;
"""

AGREEMENT = 1.5e-6  # largest difference between scores of the same job: one unit of the last decimal that is kept


class LedgerError(DualResError):
    """A ledger that cannot be used, or two that contradict each other."""


@dataclass(frozen=True)
class Outcome(Evaluation):
    """What a job found out: its evaluation, and how it came about."""

    history: tuple[Step, ...]
    facts: dict[str, Any]  # see run_job.py: support, labelled seconds, hashes, cost, versions, machine, times

    @property
    def labelled_s(self) -> float:
        """Unique labelled seconds of the class that has most."""
        return float(max(self.facts["labelled_s"].values()))


@dataclass(frozen=True)
class Merge:
    taken: int
    known: int
    clashes: tuple[str, ...] = ()  # keys of jobs whose scores differ


def digest_of(database: sqlite3.Connection, key: str) -> str:
    """SHA-256 of all that is stored of a job, to the last digit of every time, loss and score."""
    rows = [
        database.execute(f"SELECT {columns} FROM {table} WHERE key = ? ORDER BY {columns}", (key,)).fetchall()
        for table, columns in (
            ("jobs", "plan, facts"),
            ("scores", "position, recording, truth, windows, scores"),
            ("steps", "number, loss, rate"),
        )
    ]
    return sha256(compact_json(rows).encode()).hexdigest()


def schema(database: sqlite3.Connection) -> dict[str, tuple[str, ...]]:
    """The columns of every table, and of whatever else a file holds, by its name."""
    names = database.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchall()
    columns = "SELECT name || ' ' || type FROM pragma_table_info(?) ORDER BY cid"
    return {name: tuple(column for (column,) in database.execute(columns, (name,))) for (name,) in names}


def empty_schema() -> dict[str, tuple[str, ...]]:
    """The schema of a ledger as this version makes it."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(_SCHEMA)
        return schema(database)


def writable(path: Path) -> bool:
    """Whether a database can be written to: SQLite needs the file and, for what it keeps beside it, the folder."""
    return not path.exists() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def connect(path: Path) -> sqlite3.Connection:
    """The database at `path`; where it cannot be written to, for reading only."""
    if writable(path):
        return sqlite3.connect(path, isolation_level=None)
    # What was written last may still lie in the log beside the file, which "immutable" would not look at. Without a
    # log nobody has the file open.
    logged = path.with_name(path.name + "-wal").exists()
    where = f"{path.absolute().as_uri()}?{'mode=ro' if logged else 'immutable=1'}"
    return sqlite3.connect(where, uri=True, isolation_level=None)


class Ledger(AbstractContextManager["Ledger"]):
    """An open ledger: several may read it, from a read-only file system too, while only a run's coordinator writes."""

    def __init__(self, path: Path | str, *, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.exists():
            raise LedgerError(f"{self.path}: there is no ledger; `dualres bench run` makes one")
        if reason := unusual(self.path):
            raise LedgerError(f"{self.path}: not a ledger that can be used: it {reason}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = connect(self.path)
            self._check_mark()
            self._check_contents()
            if writable(self.path):
                self._database.execute("PRAGMA journal_mode = WAL")
                self._database.execute("PRAGMA synchronous = FULL")  # a finished job survives a power cut, too
                self._database.executescript(_SCHEMA)
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:  # the last of what SQLite says of damaged names
            raise LedgerError(f"{self.path}: not a ledger that can be used ({error})") from error

    def _check_mark(self) -> None:
        """Mark an empty file as a ledger, and refuse other programs' files untouched."""
        try:
            (mark,) = self._database.execute("PRAGMA application_id").fetchone()
            (tables,) = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            if writable(self.path):
                raise
            remedy = "copy it, with the files beside it, to a folder that can be written to"
            raise LedgerError(f"{self.path}: cannot be read where it is ({error}); {remedy}") from error
        if mark == 0 and tables == 0:
            self._database.execute(f"PRAGMA application_id = {_MARK}")
        elif mark > _MARK and mark >> 8 == _OF_ANY_FORM:
            form, ours = (chr(each & 0xFF) for each in (mark, _MARK))
            reads = f"this version reads {ours!r}; update DualRes"
            raise LedgerError(f"{self.path}: a ledger in form {form!r}, written by a newer version, and {reads}")
        elif mark != _MARK:
            raise LedgerError(f"{self.path}: an SQLite file, but not a ledger")

    def _check_contents(self) -> None:
        """Refuse what computes instead of storing: reading a view, or a generated column, could take forever."""
        computing = """
            SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL%'
            UNION ALL SELECT 'generated column', master.name || '.' || info.name
            FROM sqlite_master AS master, pragma_table_xinfo(master.name) AS info
            WHERE master.type = 'table' AND info.hidden != 0"""
        for kind, name in self._database.execute(computing):
            raise LedgerError(f"{self.path}: holds the {kind} {name[:64]!r}, which no ledger has; it is not read")

    @contextmanager
    def filled_at_once(self) -> Iterator[None]:
        """For a new ledger that can be made again: jobs are forced to the disk together at the end, not one by one."""
        self._database.execute("PRAGMA synchronous = OFF")
        yield
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self._database.close()

    def __exit__(self, *error: object) -> None:
        self.close()

    def record(self, job: Job, outcome: Outcome) -> None:
        """Enter a finished job, whole or not at all; an earlier failure of it is forgotten."""
        key = job.key
        with self._writing():
            self._database.execute("DELETE FROM failures WHERE key = ?", (key,))
            facts = {"classes": outcome.classes, **outcome.facts}
            row = (key, compact_json(job.plan()), compact_json(facts))
            self._database.execute("INSERT INTO jobs VALUES (?, ?, ?)", row)
            scores = map(compact_json, outcome.scores)
            judged = enumerate(zip(outcome.recordings, outcome.truth, outcome.windows, scores, strict=True))
            rows = ((key, position, *row) for position, row in judged)
            self._database.executemany("INSERT INTO scores VALUES (?, ?, ?, ?, ?, ?)", rows)
            steps = ((key, step.update, step.loss, step.learning_rate) for step in outcome.history)
            self._database.executemany("INSERT INTO steps VALUES (?, ?, ?, ?)", steps)
            digest = digest_of(self._database, key)  # as it stands in the file, which may hold 1 as 1.0
            self._database.execute("INSERT OR REPLACE INTO digests VALUES (?, ?)", (key, digest))

    def fail(self, job: Job, reason: str) -> None:
        """Remember why a job failed; it stays missing."""
        row = (job.key, compact_json(job.plan()), reason)
        with self._writing():
            self._database.execute("INSERT OR REPLACE INTO failures VALUES (?, ?, ?)", row)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """All that is written within, or nothing of it."""
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            raise LedgerError(f"{self.path}: cannot be written to ({error})") from error

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, *MISFIT) as error:
            what = f"{self.path}: damaged ({reason_of(error)})"
            raise LedgerError(f"{what}; take a copy of it from elsewhere") from error

    def keys(self) -> set[str]:
        with self._reading():
            return {key for (key,) in self._database.execute("SELECT key FROM jobs")}

    def failures(self) -> dict[str, tuple[Job, str]]:
        with self._reading():
            rows = self._database.execute("SELECT key, plan, reason FROM failures ORDER BY key")
            return {key: (read_job(json_value(plan)), reason) for key, plan, reason in rows}

    def jobs(self) -> dict[str, Job]:
        """All finished jobs by key."""
        with self._reading():
            rows = self._database.execute("SELECT key, plan FROM jobs ORDER BY key")
            return {key: read_job(json_value(plan)) for key, plan in rows}

    def outcome(self, key: str) -> Outcome:
        """What a finished job found out."""
        found = "SELECT recording, truth, windows, scores FROM scores WHERE key = ? ORDER BY position"
        history = "SELECT number, loss, rate FROM steps WHERE key = ? ORDER BY number"
        with self._reading():
            row = self._database.execute("SELECT facts FROM jobs WHERE key = ?", (key,)).fetchone()
            if row is None:
                raise LedgerError(f"{self.path}: holds no job {key[:16]}")
            facts, judged = json_value(row[0]), self._database.execute(found, (key,)).fetchall()
            check_facts(facts)
            classes, truth = tuple(facts.pop("classes")), tuple(truth for _, truth, *_ in judged)
            scores = [json_value(text) for *_, text in judged]
            check_scores(len(classes), truth, scores)
            return Outcome(
                classes=classes,
                recordings=tuple(name for name, *_ in judged),
                truth=truth,
                windows=tuple(windows for *_, windows, _ in judged),
                scores=tuple(map(tuple, scores)),
                history=tuple(Step(*step) for step in self._database.execute(history, (key,))),
                facts=facts,
            )

    def altered(self) -> list[str]:
        """Keys of jobs of which something was changed since they were recorded."""
        with self._reading():
            if "digests" not in schema(self._database):  # an earlier version's, where nothing can be written
                return []
            rows = self._database.execute("SELECT key, sha256 FROM digests ORDER BY key").fetchall()
            return [key for key, recorded in rows if recorded != digest_of(self._database, key)]

    def merge(self, other: "Ledger") -> Merge:
        """Take over the other ledger's jobs; what both know must agree, and what does not is left as it is here."""
        mine, theirs = self.keys(), other.jobs()
        for key in [key for key in theirs if key not in mine]:
            self.record(theirs[key], other.outcome(key))
        both = [key for key in theirs if key in mine]
        clashes = tuple(key for key in both if not _agree(self.outcome(key), other.outcome(key)))
        return Merge(len(theirs) - len(both), len(both) - len(clashes), clashes)


def _agree(one: Outcome, other: Outcome) -> bool:
    """Whether both saw and found the same: times and machines may differ, scores only by their last digits."""

    def seen(outcome: Outcome) -> list[Any]:
        facts = (outcome.facts[name] for name in ("inputs", "labelled_s"))
        return [outcome.classes, outcome.recordings, outcome.truth, outcome.windows, *facts]

    return seen(one) == seen(other) and np.allclose(one.scores, other.scores, rtol=0, atol=AGREEMENT)
