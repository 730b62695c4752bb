import contextlib
import dataclasses
import os
import shutil
import sqlite3
import subprocess
import sys

import numpy as np
import pytest

from dualres.bench.campaign.ledger import Ledger, LedgerError
from dualres.bench.campaign.studies import jobs, study
from dualres.bench.verify.ledger import verify
from tests.bench.campaign.synthetic import synthetic_outcome

JOBS = jobs(study("pilot"), ["phm2009"])


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as opened:
        yield opened


def test_what_is_recorded_comes_back(ledger):
    outcome = synthetic_outcome(JOBS[0])
    ledger.record(JOBS[0], outcome)
    found = ledger.outcome(JOBS[0].key)
    assert found.scores == outcome.scores  # to the last bit
    assert (found.recordings, found.truth, found.windows) == (outcome.recordings, outcome.truth, outcome.windows)
    assert found.history == outcome.history
    assert found.macro_f1 == outcome.macro_f1
    assert found.labelled_s == 6.144
    assert ledger.jobs() == {JOBS[0].key: JOBS[0]}


def test_a_job_enters_whole_or_not_at_all(ledger):
    broken = dataclasses.replace(synthetic_outcome(JOBS[0]), truth=(0,))
    with pytest.raises(ValueError, match="zip"):
        ledger.record(JOBS[0], broken)
    assert ledger.keys() == set()
    ledger.record(JOBS[0], synthetic_outcome(JOBS[0]))
    with pytest.raises(LedgerError, match="cannot be written to"):
        ledger.record(JOBS[0], synthetic_outcome(JOBS[0]))
    assert len(ledger.outcome(JOBS[0].key).recordings) == 140


def test_a_failure_is_remembered_until_the_job_is_done(ledger):
    ledger.fail(JOBS[0], "no such file")
    ledger.fail(JOBS[0], "no memory")
    assert ledger.failures() == {JOBS[0].key: (JOBS[0], "no memory")}
    assert ledger.keys() == set()
    ledger.record(JOBS[0], synthetic_outcome(JOBS[0]))
    assert ledger.failures() == {}


def test_merging_takes_what_is_new_and_compares_what_is_known(ledger, tmp_path):
    mine, shared, theirs = JOBS[:3]
    other = Ledger(tmp_path / "other")
    for job in (mine, shared):
        ledger.record(job, synthetic_outcome(job))
    elsewhere = synthetic_outcome(shared)
    other.record(shared, dataclasses.replace(elsewhere, facts=elsewhere.facts | {"wall_s": 99.0}))
    other.record(theirs, synthetic_outcome(theirs))
    merged = ledger.merge(other)
    assert (merged.taken, merged.known, merged.clashes) == (1, 1, ())
    assert ledger.keys() == {job.key for job in (mine, shared, theirs)}


def other_scores(outcome):
    scores = np.array(outcome.scores)
    scores[3, 1] += 1e-3
    return dataclasses.replace(outcome, scores=tuple(map(tuple, scores.tolist())))


def other_signals(outcome):
    inputs = dict.fromkeys(outcome.facts["inputs"], "f" * 64)
    return dataclasses.replace(outcome, facts=outcome.facts | {"inputs": inputs})


@pytest.mark.parametrize("changed", [other_scores, other_signals])
def test_a_contradiction_is_named_and_changes_nothing(ledger, tmp_path, changed):
    job, outcome = JOBS[0], synthetic_outcome(JOBS[0])
    ledger.record(job, outcome)
    other = Ledger(tmp_path / "other")
    other.record(job, changed(outcome))
    assert ledger.merge(other).clashes == (job.key,)
    assert ledger.outcome(job.key) == outcome


def test_what_is_no_ledger_is_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"hello" * 1000)
    with pytest.raises(LedgerError, match="not a ledger"):
        Ledger(tmp_path / "x")
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger(tmp_path / "nowhere", create=False)
    with pytest.raises(LedgerError, match="holds no job"):
        Ledger(tmp_path / "new").outcome("0" * 64)


def test_another_program_s_database_is_refused_and_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "notes") as database:
        database.execute("CREATE TABLE notes (text)")
    before = (tmp_path / "notes").read_bytes()
    with pytest.raises(LedgerError, match="not a ledger"):
        Ledger(tmp_path / "notes")
    assert (tmp_path / "notes").read_bytes() == before


def test_a_ledger_of_a_newer_version_says_so(tmp_path):
    with sqlite3.connect(tmp_path / "l") as database:
        database.execute(f"PRAGMA application_id = {0x44524C32}")
        database.execute("CREATE TABLE jobs (key TEXT)")
    with pytest.raises(LedgerError, match=r"a ledger in form '2', written by a newer version.*update DualRes"):
        Ledger(tmp_path / "l")


@pytest.fixture
def read_only(tmp_path, monkeypatch):
    """A folder with a finished job that the system says cannot be written to."""
    folder = tmp_path / "read only"
    with Ledger(folder / "ledger.sqlite") as opened:
        opened.record(JOBS[0], synthetic_outcome(JOBS[0]))
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and access(path, mode))
    return folder


def test_a_ledger_that_cannot_be_written_to_is_read(read_only):
    with Ledger(read_only / "ledger.sqlite", create=False) as ledger:
        assert ledger.outcome(JOBS[0].key).scores == synthetic_outcome(JOBS[0]).scores
        assert verify(ledger) == []
        assert [path.name for path in read_only.iterdir()] == ["ledger.sqlite"]  # no log was made beside it
        with pytest.raises(LedgerError, match="cannot be written to"):
            ledger.record(JOBS[1], synthetic_outcome(JOBS[1]))


def test_what_still_lies_in_the_log_is_read_too(tmp_path, monkeypatch):
    writing = Ledger(tmp_path / "l")
    writing.record(JOBS[0], synthetic_outcome(JOBS[0]))
    assert (tmp_path / "l-wal").stat().st_size  # nothing of it is in the file yet
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert Ledger(tmp_path / "l", create=False).keys() == {JOBS[0].key}


READS_A_MOUNT = """
mount --bind -o ro "$1" "$1" && mount -o remount,bind,ro "$1" || exit 77
exec "$2" -c 'import sys
from pathlib import Path
from dualres.bench.campaign.ledger import Ledger
print(len(Ledger(Path(sys.argv[1]) / "ledger.sqlite", create=False).keys()))' "$1"
"""


@pytest.mark.subprocess
@pytest.mark.parametrize("logged", [False, True])
def test_a_ledger_on_a_read_only_file_system_is_read(tmp_path, logged):
    if not shutil.which("unshare") or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("file systems cannot be mounted here")
    writing = Ledger(tmp_path / "ledger.sqlite")
    writing.record(JOBS[0], synthetic_outcome(JOBS[0]))
    if not logged:
        writing.close()
    command = ["unshare", "-m", "sh", "-c", READS_A_MOUNT, "sh", tmp_path, sys.executable]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip("file systems cannot be mounted here")
    assert done.stdout == "1\n", done.stderr


@pytest.mark.parametrize("damage", ["UPDATE jobs SET facts = '{'", "UPDATE jobs SET plan = '[]'", "DROP TABLE scores"])
def test_damage_is_told_and_not_thrown(ledger, damage):
    ledger.record(JOBS[0], synthetic_outcome(JOBS[0]))
    with sqlite3.connect(ledger.path) as database:
        database.execute(damage)
    with pytest.raises(LedgerError, match="damaged"):
        (ledger.jobs(), ledger.outcome(JOBS[0].key))


def test_a_reader_sees_what_a_writer_has_finished(tmp_path):
    writer = Ledger(tmp_path / "l")
    reader = Ledger(tmp_path / "l")
    writer.record(JOBS[0], synthetic_outcome(JOBS[0]))
    assert reader.keys() == {JOBS[0].key}


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        (
            "ALTER TABLE jobs RENAME TO stored; CREATE VIEW jobs AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT "
            "x + 1 FROM c) SELECT x AS key, plan, facts FROM stored, c",
            "view 'jobs'",
        ),
        ("CREATE TABLE more (a TEXT, b TEXT AS (hex(zeroblob(300000000))))", r"generated column 'more\.b'"),
        ("CREATE TRIGGER t AFTER INSERT ON jobs BEGIN DELETE FROM scores; END", "trigger 't'"),
    ],
)
def test_what_computes_instead_of_storing_is_not_read(ledger, statement, kind):
    ledger.record(JOBS[0], synthetic_outcome(JOBS[0]))
    ledger.close()
    with contextlib.closing(sqlite3.connect(ledger.path)) as database:
        database.executescript(statement)
    with pytest.raises(LedgerError, match=f"holds the {kind}, which no ledger has"):
        Ledger(ledger.path)


def test_altered_jobs_are_told_by_their_hashes(ledger):
    for job in JOBS[:2]:
        ledger.record(job, synthetic_outcome(job))
    assert ledger.altered() == []
    with contextlib.closing(sqlite3.connect(ledger.path)) as database, database:
        database.execute("UPDATE scores SET windows = windows + 1 WHERE key = ?", (JOBS[1].key,))
    assert ledger.altered() == [JOBS[1].key]


def test_a_ledger_whose_schema_is_no_text_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "ledger.sqlite"
    Ledger(path).close()
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = DELETE")  # all in one file
    content = path.read_bytes()
    assert b") STRICT" in content
    path.write_bytes(content.replace(b") STRICT", b") \xccTRICT"))
    with pytest.raises(LedgerError, match="not a ledger that can be used"):
        Ledger(path, create=False)
