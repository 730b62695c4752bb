import contextlib
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from dualres.stream.monitor.chunk import Form
from dualres.stream.watch import spool as spool_module
from dualres.stream.watch.records import StoredChunk, Stream, StreamProgress
from dualres.stream.watch.spool import Spool, SpoolError, SpoolFullError, patient_spool, undelivered_beside

FORM = Form.of(8000, "i16")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "spool.sqlite"


def stream(id=1):
    return Stream(id, "pump", "now", FORM, 0, 0, None)


def chunk(spool, first=0, data=b"abcd", of=1):
    return StoredChunk(spool.new_chunk_id(), of, first, len(data) // 2, data, {"load": "3"}, 1.5, False)


def test_what_was_appended_is_there_after_opening_it_again(path):
    with Spool(path) as spool:
        chunks = [chunk(spool), chunk(spool, 2)]
        spool.append([stream()], chunks)
    with Spool(path) as spool:
        assert list(spool.chunks()) == chunks
        assert spool.chunks_by_id([one.id for one in reversed(chunks[1:])]) == chunks[1:]
        assert spool.streams() == [stream()]
        assert spool.new_chunk_id() == 3


def test_verdicts_come_with_the_position_and_unneeded_chunks_go(path):
    with Spool(path) as spool:
        chunks = [chunk(spool), chunk(spool, 2)]
        spool.append([one := stream()], chunks)
        made = spool.record(
            [StreamProgress(one, 2, {"at": 2}, [chunks[0].without_samples()])], [("a", {"n": 1}), ("b", {"n": 2})]
        )
        assert [record.key for record in made] == ["a", "b"]
    with Spool(path) as spool:
        assert list(spool.chunks()) == chunks[1:]
        (again,) = spool.streams()
        assert (again.position, again.marker, again.ended) == (2, {"at": 2}, False)
        assert spool.outbox(0, 10) == made


@pytest.mark.parametrize("kept", [0, 6, 1000])
def test_chunks_are_the_same_from_memory_and_from_the_disk(path, monkeypatch, kept):
    monkeypatch.setattr(spool_module, "RECENT", kept)
    with Spool(path) as spool:
        chunks = [chunk(spool, 2 * i) for i in range(4)]
        spool.append([stream()], chunks[:2])
        spool.append([], chunks[2:])
        ids = [one.id for one in chunks]
        assert spool.chunks_by_id(ids[3:0:-1]) == chunks[1:]
        assert spool.chunks_by_id(ids) == chunks
        spool.append([], more := [chunk(spool, 8)])  # what was asked for made room
        assert spool.chunks_by_id([ids[0], more[0].id]) == [chunks[0], *more]
        spool.append([], gone := [chunk(spool, 10)])
        spool.replace([stream()], chunks)
        assert spool.chunks_by_id([*ids, gone[0].id]) == chunks


def test_ids_are_never_used_again(path):
    with Spool(path) as spool:
        empty = spool.bytes
        spool.append([one := stream()], [c := chunk(spool, 0, bytes(100_000))])
        assert 90_000 < spool.bytes - empty < 120_000
        spool.record([StreamProgress(one, 2, None, [c.without_samples()], True)], [("a", {})])
        spool.register_sinks(["-"])
        spool.record_deliveries({"-": 1})
        assert spool.bytes == empty
    with Spool(path) as spool:
        spool.append([stream(2)], [chunk(spool, of=2)])
        assert [r.id for r in spool.record([], [("b", {})])] == [2]
        assert spool.register_sinks(["-"]) == ({"-": 1}, {})
        assert [r.key for r in spool.outbox(1, 10)] == ["b"]


def test_a_verdict_stays_until_every_sink_has_it(path):
    with Spool(path) as spool:
        spool.register_sinks(["-", "x.csv"])
        spool.record([], [("a", {}), ("b", {})])
        spool.record_deliveries({"-": 2, "x.csv": 1})
        assert [r.key for r in spool.outbox(0, 10)] == ["b"]
        assert (spool.waiting(2), spool.waiting(1)) == (0, 1)
    with Spool(path) as spool:
        assert spool.register_sinks(["-"]) == ({"-": 2}, {"x.csv": 1}), "what another sink never got is told"


@pytest.mark.subprocess
def test_a_second_process_is_refused(path):
    with Spool(path):
        code = (
            "from pathlib import Path; from dualres.stream.watch import spool;"
            f"spool.LOCK_S = 0.1; spool.Spool(Path({str(path)!r}))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "another dualres watch is using it" in done.stderr


def test_the_lock_of_a_killed_process_is_gone(path):
    code = (
        "import os, signal; from pathlib import Path; from dualres.stream.watch.spool import Spool;"
        f"spool = Spool(Path({str(path)!r})); spool.record([], [('a', {{}})]); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == -signal.SIGKILL
    with Spool(path) as spool:
        assert [r.key for r in spool.outbox(0, 10)] == ["a"]


def test_a_full_disk_changes_nothing_and_passes(path):
    with Spool(path) as spool:
        spool.append([stream()], [chunk(spool)])
        spool._database.execute("PRAGMA max_page_count = 10")
        before, large = spool.bytes, chunk(spool, 2, bytes(200_000))
        with pytest.raises(SpoolFullError, match="full"):
            spool.append([], [large])
        assert spool.bytes == before
        assert len(list(spool.chunks())) == 1
        spool._database.execute("PRAGMA max_page_count = 1000000")
        spool.append([], [large])
        assert len(list(spool.chunks())) == 2


def test_a_disk_that_is_full_at_the_start_is_waited_for(path, monkeypatch):
    tries, said, prepare = [], [], Spool._prepare

    def full_at_first(self):
        tries.append(path)
        if len(tries) < 3:
            self._database.execute("PRAGMA max_page_count = 1")
        prepare(self)

    monkeypatch.setattr(Spool, "_prepare", full_at_first)
    monkeypatch.setattr("dualres.stream.watch.spool.PAUSE_S", 0.01)
    with patient_spool(path, 1000, said.append) as spool:
        assert spool.quota == 1000
    assert len(tries) == 3
    assert len(said) == 1
    assert "waits for room" in said[0]


def test_the_quota_counts_what_chunks_and_verdicts_take_in_the_file(path):
    with Spool(path, quota=200_000) as spool:
        some = [chunk(spool, 0, bytes(2600)) for _ in range(40)]  # no two of which fit into one page
        spool.append([one := stream()], some)
        assert not spool.full
        assert spool.bytes > 40 * 4096
        spool.record([], [("a", {"text": "x" * 20_000})])
        assert spool.full
        spool.record([StreamProgress(one, 450, None, [one.without_samples() for one in some], True)], [])
        assert not spool.full
    assert path.stat().st_size < 300_000
    with Spool(path, quota=10_000) as spool:
        assert spool.full


def test_runs_that_are_long_over_are_forgotten(path, monkeypatch):
    monkeypatch.setattr("dualres.stream.watch.spool.MOST_RUNS", 2)
    with Spool(path) as spool:
        for id in range(1, 5):
            spool.append([one := Stream(id, "pump", f"{id}", FORM, 0, 0, None)], [])
            spool.append([Stream(100 + id, f"other {id}", "1", FORM, 0, 0, None)], [])
            if id != 2:
                spool.record([StreamProgress(one, 2, None, [], True)], [])
        assert [one.start for one in spool.streams() if one.name == "pump"] == ["2", "3", "4"], "2 has not ended"
        assert [one.start for one in spool.streams(spool_module.LATEST) if one.name == "pump"] == ["4"]
        assert len(spool.streams(spool_module.NOT_ENDED)) == 5


@pytest.mark.parametrize(
    ("start", "sample", "known"),
    [("7", 0, True), ("7", 99, True), ("7", 100, False), ("8", 150, True), ("8", 200, False), ("", 0, False)],
)
def test_samples_of_runs_that_are_over_are_known(path, start, sample, known):
    with Spool(path) as spool:
        spool.append([Stream(1, "pump", "7", FORM, 0, 100, None), Stream(2, "pump", "8@120", FORM, 120, 200, None)], [])
        assert spool.was_judged("pump", start, sample) == known
        assert not spool.was_judged("other", start, sample)


def test_a_log_that_grew_is_short_again(path, monkeypatch):
    """It grows while something is read that SQLite must not change under the reader."""
    monkeypatch.setattr(spool_module, "LONGEST_LOG", 1 << 20)
    log = path.with_name(f"{path.name}-wal")
    with Spool(path) as spool:
        spool.append([stream()], [chunk(spool, i) for i in range(2)])
        reading = spool._database.execute("SELECT id FROM chunks")
        assert reading.fetchone() == (1,)
        for i in range(30):
            spool.append([], [chunk(spool, 1000 * i, bytes(200_000))])
        assert log.stat().st_size > 5 << 20
        reading.close()
        spool.append([], [chunk(spool, 40_000)])
        assert log.stat().st_size <= 1 << 20
        assert len(list(spool.chunks())) == 33


WHILE_THE_FILE_CANNOT_GROW = """
import resource, sys
from pathlib import Path
from dualres.stream.watch import spool as module
from dualres.stream.monitor.chunk import Form
from dualres.stream.watch.spool import Spool, SpoolFullError
from dualres.stream.watch.records import StoredChunk, Stream
module.LONGEST_LOG = 6 << 20
path = Path(sys.argv[1])
log = path.with_name(f"{path.name}-wal")
with Spool(path) as spool:
    spool.append([Stream(1, "pump", "now", Form.of(8000, "i16"), 0, 0, None)], [])
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (20 << 20, allowed))
    kept = 0
    try:
        for i in range(400):
            id = spool.new_chunk_id()
            spool.append([], [StoredChunk(id, 1, 50_000 * i, 50_000, bytes(100_000), {}, 1.0, False)])
            kept += 1
    except SpoolFullError:
        print(log.stat().st_size >> 20, kept, len(list(spool.chunks())))
    resource.setrlimit(resource.RLIMIT_FSIZE, (allowed, allowed))
    spool.append([], [StoredChunk(id, 1, 50_000 * i, 50_000, bytes(100_000), {}, 1.0, False)])
    print(log.stat().st_size >> 20, len(list(spool.chunks())))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are a matter of POSIX")
def test_where_the_file_cannot_grow_the_log_does_not_grow_instead(path):
    words = [sys.executable, "-c", WHILE_THE_FILE_CANNOT_GROW, str(path)]
    then, after = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    log, kept, found = map(int, then.split())
    assert log < 10, "megabytes"
    assert 150 < kept == found, "what was committed is there"
    assert list(map(int, after.split())) == [0, kept + 1]


def test_every_commit_is_forced_to_the_disk_and_nothing_is_written_twice(path):
    with Spool(path) as spool:
        assert spool._database.execute("PRAGMA secure_delete").fetchone() == (0,)
        assert spool._database.execute("PRAGMA synchronous").fetchone() == (2,)
        assert spool._database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may write anywhere")
def test_a_folder_that_must_not_be_written_is_told(path):
    path.parent.chmod(0o500)
    with pytest.raises(SpoolError, match="give another folder"):
        Spool(path)


@pytest.mark.parametrize("content", [b"something else entirely" * 100, None])
def test_another_file_is_refused(path, content):
    if content:
        path.write_bytes(content)
    else:
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE mine (x)")
        database.close()
    before = path.read_bytes()
    with pytest.raises(SpoolError, match="cannot be opened"):
        Spool(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("page", range(1, 8))
def test_a_damaged_file_is_told_in_a_sentence(path, page):
    with Spool(path) as spool:
        spool.append([stream()], [chunk(spool, data=b"ab" * 9000)])
        spool.record([StreamProgress(stream(), 1, {"monitor": {}}, [])], [(f"pump/{n}", {"n": n}) for n in range(100)])
    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[16:18], "big")  # of a page
    assert len(content) > 8 * size
    content[page * size : (page + 1) * size] = bytes(7 * byte % 256 for byte in range(size))
    path.write_bytes(content)

    with contextlib.suppress(SpoolError), Spool(path) as spool:  # no other error; some pages hold samples alone
        spool.streams(), list(spool.chunks()), spool.chunks_by_id(range(9)), spool.outbox(0, 1000)


def test_content_that_makes_no_sense_is_told(path):
    with Spool(path) as spool:
        spool.append([stream()], [])
        spool._database.execute("UPDATE streams SET form = 'nonsense'")
        with pytest.raises(SpoolError, match="cannot be read"):
            spool.streams()


def test_verdicts_that_wait_in_another_spool_of_the_folder_are_found(path):
    other, used = path.with_name("other.sqlite"), path.with_name("used.sqlite")
    path.with_name("broken.sqlite").write_bytes(b"no database" * 100)
    for one in (path, other, path.with_name("one-standby.sqlite")):
        with Spool(one) as spool:
            spool.record([], [("pump/1", {}), ("pump/2", {})])
    with Spool(used) as spool:
        spool.record([], [("pump/1", {})])
        assert undelivered_beside(path) == {other: 2}
    assert not [*path.parent.glob("*-wal"), *path.parent.glob("*-shm")]


def test_nobody_else_may_read_it(tmp_path):
    path = tmp_path / "state" / "spool.sqlite"
    spool = Spool(path)
    try:
        assert path.parent.stat().st_mode & 0o777 == 0o700
        for one in path.parent.iterdir():
            assert one.stat().st_mode & 0o777 == 0o600, one.name
    finally:
        spool.close()
