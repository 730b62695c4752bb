"""Does anything get in with another machine's results? Adds up in a state file, see _tally.py.

    python stress/exchange.py 10000 --state exchange.json

A few published jobs are made a ledger, an export and a report. These are altered at random: keys that are paths, wrong
types, endless views in place of tables, duplicated and cut lines, links, single bytes. Some are sealed again, as
somebody who means harm would. `bench import` takes them in and `bench verify` checks them. A failure is

* an exception that a caller would not expect, a call that takes minutes, or text that steers a terminal,
* a file outside the given folder that was made or changed, or one within that is not whole,
* an altered job that is taken in although its hash is another,
* an altered folder that is verified without a complaint.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np

from _hostile import TEXTS, VALUES, commanded, gathered, laid_out, pick, seen, with_change
from _tally import ROOT, Attack, main
from dualres.bench.campaign.exchange.export import HEAD, JOBS, SHARED, export
from dualres.bench.campaign.exchange.ledger_folder import LEDGER
from dualres.bench.campaign.exchange.read_export import load_export
from dualres.bench.campaign.ledger import Ledger, digest_of
from dualres.bench.report.build import FIGURES, PAGE, TABLES
from dualres.bench.report.tables import Settings, all_tables, write_tables
from dualres.bench.verify.folder import verify_folder
from dualres.bench.verify.manifest import manifest_root, write_manifest
from dualres.utils.checksums import NAME as SUMS
from dualres.utils.checksums import write_sums
from fuzz_readers import damage

JOBS_TAKEN = 3
LONGEST_S, MOST_MB = 20.0, 1000.0
MEASUREMENT = "profile/cwru-dualres-cpu-1.json"
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
TRICKS = (
    f"ALTER TABLE jobs RENAME TO o; CREATE VIEW jobs AS {ENDLESS} SELECT 'k' || x AS key, plan, facts FROM o, c",
    f"ALTER TABLE scores RENAME TO o; CREATE VIEW scores AS {ENDLESS} SELECT o.* FROM o, c",
    "ALTER TABLE jobs RENAME TO o; CREATE VIEW jobs AS SELECT * FROM o",
    "ALTER TABLE jobs ADD COLUMN more TEXT AS (hex(zeroblob(300000000)))",
    "DROP TABLE jobs; CREATE TABLE jobs (key TEXT, plan TEXT AS (hex(zeroblob(300000000))), facts TEXT)",
    "CREATE TABLE o (key TEXT, plan TEXT, facts TEXT); INSERT INTO o SELECT * FROM jobs UNION ALL SELECT * FROM jobs;"
    "DROP TABLE jobs; ALTER TABLE o RENAME TO jobs",
    "CREATE TRIGGER t AFTER INSERT ON jobs BEGIN DELETE FROM scores; END",
    "DROP TABLE scores",
    "DROP TABLE steps",
    "DROP TABLE digests",
    "DELETE FROM scores",
    "DELETE FROM digests",
    "DELETE FROM jobs",
    "INSERT INTO digests SELECT 'nobody', sha256 FROM digests LIMIT 1",
    "UPDATE digests SET sha256 = upper(sha256)",
    "PRAGMA application_id = 0",
    "PRAGMA application_id = 1146244146",
    "PRAGMA user_version = 7",
)
COLUMNS = {
    "jobs": ("key", "plan", "facts"),
    "scores": ("key", "position", "recording", "truth", "windows", "scores"),
    "steps": ("key", "number", "loss", "rate"),
    "digests": ("key", "sha256"),
}


def intact(folder: Path) -> dict[str, dict[str, bytes]]:
    """A ledger with what lies beside it, its export, and an export with a report, as files by their names."""
    bench, text, results = folder / "bench", folder / "text", folder / "results"
    with load_export(ROOT / "results" / "repeated", folder / "all.sqlite") as every, Ledger(bench / LEDGER) as few:
        jobs = every.jobs()
        outcomes = sorted((len(every.outcome(key).recordings), key) for key in jobs)
        for _, key in outcomes[:JOBS_TAKEN]:
            few.record(jobs[key], every.outcome(key))
        keys = sorted(few.keys())
        laid_out({MEASUREMENT: (ROOT / "results" / MEASUREMENT).read_bytes()}, bench)
        laid_out({f"models/{key}.safetensors": key.encode() for key in keys[:2]}, bench)
        for place in (text, results):
            export(few, place)
        settings = Settings(("pilot",), device="cpu")
        write_tables(all_tables(few, settings), results / TABLES, settings)
    laid_out({f"{FIGURES}/one.svg": b"<svg/>\n", PAGE: b"<p>A page</p>\n", "pages/one.md": b"# One\n"}, results)
    write_sums(results / FIGURES, ["one.svg"])
    write_manifest(results)
    with closing(sqlite3.connect(bench / LEDGER)) as database:
        database.execute("PRAGMA journal_mode = DELETE")  # all in one file
    return {place.name: gathered(place) for place in (bench, text, results)}


# Imports


@contextmanager
def imports(
    alter: Callable[[Path, np.random.Generator], bool], form: str, folder: Path
) -> Iterator[Callable[[int], str]]:
    """Imports an altered ledger, or export, sometimes into a folder that has a job already."""
    origin = intact(folder / "origin")
    digests = digests_in(folder / "origin" / "bench" / LEDGER)
    first = min(digests)
    with Ledger(folder / "origin" / "bench" / LEDGER) as ledger, Ledger(folder / "one" / LEDGER) as one:
        one.record(ledger.jobs()[first], ledger.outcome(first))
    known = (folder / "one" / LEDGER).read_bytes()
    shutil.rmtree(folder / "one")
    place = folder / "deep" / "down"

    def attempt(seed: int) -> str:
        rng = np.random.default_rng([seed, len(form)])
        there, here = place / "there", place / "here"
        try:
            laid_out(origin[form], there)
            here.mkdir()
            if rng.random() < 0.5:
                (here / LEDGER).write_bytes(known)
            sealed = alter(there, rng)
            before = seen(folder, here, there / LEDGER)
            how = commanded("bench", "import", there / LEDGER if form == "bench" else there, "--dir", here)
            beside = {f"{there / LEDGER}{end}" for end in ("-wal", "-shm", "-journal")}
            after = {path: digest for path, digest in seen(folder, here, there / LEDGER).items() if path not in beside}
            assert after == before, "files outside the folder were touched"
            whole(here, None if sealed else digests)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return how

    yield attempt


def whole(folder: Path, digests: dict[str, str] | None) -> None:
    """All that a folder holds after an import is complete; jobs have these hashes, unless they are None."""
    for path in (path.relative_to(folder) for path in folder.rglob("*") if path.is_file()):
        name, above = path.name, path.parent.as_posix()
        hexadecimal = len(path.stem) == 64 and set(path.stem) <= set("0123456789abcdef")
        right = above == "models" and path.suffix == ".safetensors" and hexadecimal
        right |= above == "profile" and path.suffix == ".json" and not name.startswith(".")
        right |= above == "." and name.startswith(LEDGER)
        assert right, f"it left {path}"
    if not (folder / LEDGER).exists():
        return
    with Ledger(folder / LEDGER, create=False) as ledger:
        for key, job in ledger.jobs().items():
            assert key == job.key, "a key is not the hash of its plan"
            ledger.outcome(key)
    found = digests_in(folder / LEDGER)
    assert digests is None or found.items() <= digests.items(), "an altered job was taken in"


def digests_in(path: Path) -> dict[str, str]:
    """The hash of all that is stored of each job, computed again."""
    with closing(sqlite3.connect(path)) as database:
        return {key: digest_of(database, key) for (key,) in database.execute("SELECT key FROM jobs").fetchall()}


def altered_ledger(folder: Path, rng: np.random.Generator) -> bool:
    """Change the ledger in a folder; whether the hashes were made to fit again."""
    path, way = folder / LEDGER, rng.random()
    if way < 0.15:
        path.write_bytes(damage(path.read_bytes(), rng))
        return False
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        if rng.random() < 0.5:  # any value in any column
            database.executescript(
                "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, ') STRICT', ')');"
                "PRAGMA writable_schema = RESET"
            )
        if way < 0.35:
            script = pick(TRICKS, rng)
            with suppress(sqlite3.Error):
                database.executescript(script)
            return "digests" in script
        for _ in range(rng.integers(1, 4)):
            with suppress(sqlite3.Error, OverflowError, ValueError, TypeError):  # what cannot even be written
                altered_cell(database, folder, rng)
        return (rng.random() < 0.5 and sealed_again(database, rng)) or unhashed(database)


def altered_cell(database: sqlite3.Connection, folder: Path, rng: np.random.Generator) -> None:
    table = pick(list(COLUMNS), rng)
    column = pick(COLUMNS[table], rng)
    rows = database.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
    if not rows:
        return
    rowid, old = pick(rows, rng)
    new = pick(VALUES, rng)
    if column == "key":
        new = pick((*TEXTS, str(old).upper(), f"{old}\n", str(old)[:10], f"{old}/../x", old), rng)
        with suppress(OSError, ValueError):  # a model that such a name would lead to
            laid_out({f"models/{new}.safetensors": b"a model"}, folder)
    elif column in ("plan", "facts", "scores") and rng.random() < 0.8:
        new = json.dumps(with_change(json.loads(old), VALUES, rng))
    elif isinstance(new, list | dict):
        new = json.dumps(new).encode() if rng.random() < 0.5 else json.dumps(new)
    database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, rowid))
    if column == "key" and table == "jobs":
        for other in ("scores", "steps", "digests"):
            database.execute(f"UPDATE {other} SET key = ? WHERE key = ?", (new, old))


def sealed_again(database: sqlite3.Connection, rng: np.random.Generator) -> bool:
    """Make keys, where they can be made, and hashes those of what stands there now."""
    for key, plan in database.execute("SELECT key, plan FROM jobs").fetchall():
        with suppress(sqlite3.Error, ValueError, TypeError, RecursionError):
            if rng.random() < 0.8:
                canonical = json.dumps(json.loads(plan), sort_keys=True, separators=(",", ":"))
                new = sha256(canonical.encode()).hexdigest()
                for table in COLUMNS:
                    database.execute(f"UPDATE {table} SET key = ? WHERE key = ?", (new, key))
                key = new
            digest = digest_of(database, key)
            database.execute("UPDATE digests SET sha256 = ? WHERE key = ?", (digest, key))
    return True


def unhashed(database: sqlite3.Connection) -> bool:
    """Whether a job has no hash, as those that an earlier version recorded: then nothing tells that it was altered."""
    without = "SELECT 1 FROM jobs WHERE NOT EXISTS (SELECT 1 FROM digests WHERE digests.key IS jobs.key)"
    return database.execute(without).fetchone() is not None


def altered_export(folder: Path, rng: np.random.Generator) -> bool:
    """Change the files of an export; whether its list of hashes was made to fit again."""
    for _ in range(rng.integers(1, 3)):
        path = folder / pick(sorted(gathered(folder)), rng)
        altered_text(path, rng)
    if rng.random() < 0.25:
        return False
    names = sorted(set(gathered(folder)) - {SUMS})
    (folder / SUMS).unlink(missing_ok=True)  # it may have become a link
    write_sums(folder, names)
    if rng.random() < 0.1:
        listed = (folder / SUMS).read_text()
        name = pick(
            ("../../x", "/etc/hostname", "profile/../../x.json", "a\0b", "profile", "x" * 300, "", "\ud800"), rng
        )
        line = f"{sha256(b'').hexdigest()}  {name}\n"
        (folder / SUMS).write_text(listed + line, errors="replace")
    return True


def altered_text(path: Path, rng: np.random.Generator) -> None:
    if path.is_symlink():  # altered already, and leads elsewhere
        return
    content, way = path.read_bytes(), rng.random()
    lines = content.splitlines(keepends=True) or [b"\n"]
    number = int(rng.integers(len(lines)))
    if way < 0.5 and path.suffix in (".json", ".jsonl"):
        one = [content] if path.suffix == ".json" else lines[number : number + 1]
        try:
            changed = json.dumps(with_change(json.loads(one[0]), VALUES, rng)).encode() + b"\n"
        except (ValueError, RecursionError):  # changed before
            changed = b"\n"
        content = changed if path.suffix == ".json" else b"".join([*lines[:number], changed, *lines[number + 1 :]])
    elif way < 0.6:
        content = b"".join([*lines[:number], lines[number][: len(lines[number]) // 2]])
    elif way < 0.7:
        content = b"".join([*lines, lines[number]])
    elif way < 0.75:
        content = b"[" * 100_000 + b"\n"
    elif way < 0.8:
        content = pick(TEXTS, rng).encode(errors="replace")
    elif way < 0.85:
        path.unlink()
        target = pick(("/dev/zero", "/proc/self/maps", str(path), str(path.parent), "/nowhere"), rng)
        path.symlink_to(target)
        return
    else:
        content = damage(content, rng)
    path.write_bytes(content)


# Verifying


@contextmanager
def results(folder: Path) -> Iterator[Callable[[int], str]]:
    """Verifies an altered folder of results."""
    origin = intact(folder / "origin")["results"]
    place = folder / "results"
    laid_out(origin, place)
    found = verify_folder(place)
    assert not found.problems, found.problems[0]
    assert found.counts.jobs == JOBS_TAKEN
    root = manifest_root(place)
    shutil.rmtree(place)

    def attempt(seed: int) -> str:
        rng = np.random.default_rng([seed, 3])
        try:
            laid_out(origin, place)
            sealed = altered_results(place, rng)
            same = gathered(place) == origin and not any(path.is_symlink() for path in place.rglob("*"))
            words = ["--root", root] if sealed else []
            before = seen(folder, place)
            how = commanded("bench", "verify", place, *words)
            assert seen(folder, place) == before, "files outside the folder were touched"
            assert how == ("done" if same else "refused"), (
                f"{how}, though the folder is {'as it was' if same else 'altered'}"
            )
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return how

    yield attempt


def altered_results(folder: Path, rng: np.random.Generator) -> bool:
    """One byte, line or file changed, added or removed; True where all hashes were made to fit again, but the root."""
    names = sorted(gathered(folder))
    name, way = pick(names, rng), rng.random()
    path = folder / name
    content = path.read_bytes()
    if way < 0.4 and content:
        place = int(rng.integers(len(content)))
        path.write_bytes(content[:place] + bytes([content[place] ^ 1 << int(rng.integers(8))]) + content[place + 1 :])
    elif way < 0.5:
        path.unlink()
    elif way < 0.6:
        added = folder / pick(
            ("extra.md", "tables/extra.csv", "figures/extra.svg", "profile/extra.json", ".hidden", "a\nb"), rng
        )
        added.write_bytes(content)
    elif way < 0.7:
        path.rename(path.with_name(pick(("other.csv", "x", f"{path.name}~"), rng)))
    elif way < 0.8:
        altered_text(path, rng)
    elif way < 0.9:
        for part in (JOBS, "signals.tsv", *SHARED):
            (folder / part).write_bytes(b"")
        shutil.rmtree(folder / "profile")
        for part in (TABLES, FIGURES):
            if rng.random() < 0.5:
                shutil.rmtree(folder / part)
        write_sums(folder, [HEAD, JOBS, "signals.tsv", *SHARED])
        write_manifest(folder)
        return False  # nothing is left to check, which must be said without a root, too
    else:
        altered_text(path, rng)
        with suppress(OSError):
            for part in (folder, folder / TABLES, folder / FIGURES):
                if part.is_dir() and (part / SUMS).is_file():
                    listed = [
                        line.partition("  ")[2] for line in (part / SUMS).read_text(errors="replace").splitlines()
                    ]
                    write_sums(part, [one for one in listed if one and "\0" not in one and (part / one).is_file()])
            with suppress(Exception):  # a link, which no manifest lists
                write_manifest(folder)
        return True
    return False


ATTACKS = [
    Attack("ledgers", "hostile ledgers, imported", partial(imports, altered_ledger, "bench"), (), LONGEST_S, MOST_MB),
    Attack(
        "texts",
        "hostile exports of ledgers, imported",
        partial(imports, altered_export, "text"),
        (),
        LONGEST_S,
        MOST_MB,
    ),
    Attack("results", "altered results, verified", results, (), LONGEST_S, MOST_MB),
]

if __name__ == "__main__":
    main(__doc__, ATTACKS)
