from dataclasses import replace

import pytest

from dualres.errors import ConfigError
from dualres.stream.monitor.chunk import Form
from dualres.stream.watch.failover import checkpoint
from dualres.stream.watch.failover.checkpoint import Checkpoints, pack, unpack
from dualres.stream.watch.records import StoredChunk, Stream
from dualres.stream.watch.spool import Spool

FORM = Form.of(12_800, "i16")


def stream(id=1, name="pump", **more):
    return Stream(id, name, str(id), FORM, 0, 0, None, **more)


def stored(id, stream=1, data=b"\1\2\3\4", **more):
    return StoredChunk(id, stream, 10 * id, len(data) // 2, data, {"load": "3"}, 1.5, False, **more)


@pytest.fixture
def spool(tmp_path):
    with Spool(tmp_path / "a.sqlite") as spool:
        yield spool


def test_what_is_left_is_what_the_next_one_finds(spool, tmp_path):
    going = replace(stream(2, "fan"), position=7, marker={"monitor": {"needed_from": 3}})
    over = replace(stream(3, "fan"), ended=True)
    spool.append([stream(), going, over], [stored(1), stored(2, 2, b""), stored(3, 2)])
    spool.record([], [("key", {})])
    with Spool(tmp_path / "elsewhere" / "a.sqlite") as other:
        other.append([stream(9, "of before")], [stored(1, 9)])
        other.record([], [("of before", {})])
        left = unpack(pack(spool, "me"), other)
        other.replace(left.streams, left.chunks)
        assert left.by == "me"
        assert other.streams() == [stream(), going, over]
        assert list(other.chunks()) == list(spool.chunks())
        assert (other.last_verdict, other.next_chunk) == (0, 4)


def test_of_runs_that_are_over_only_the_latest_are_left(spool, monkeypatch):
    monkeypatch.setattr(checkpoint, "RUNS", 10)
    spool.append([stream(i, ended=True) for i in range(1, 30)], [])
    left = unpack(pack(spool, "me"), spool)
    assert [one.id for one in left.streams] == [*range(20, 30)]


def test_damage_and_another_model_are_told(spool, tmp_path):
    spool.append([stream()], [stored(1)])
    data = pack(spool, "me")
    for bad in (b"", data[:5], data[:-1], data + b"x", b"\xff" * 100, data[:8] + b"[" * (len(data) - 8)):
        with pytest.raises(ConfigError, match="cannot be understood"):
            unpack(bad, spool)
    with Spool(tmp_path / "b.sqlite") as other, pytest.raises(ConfigError, match="another model"):
        unpack(data, other)


def test_chunks_are_acknowledged_when_sinks_and_broker_have_all_that_came_of_them(spool, monkeypatch):
    monkeypatch.setattr(checkpoint, "EVERY_S", 0.0)
    left, safe, acknowledged = [], [], []
    checkpoints = Checkpoints(spool, "me", lambda data: left.append(data) or (lambda: bool(safe)))
    spool.append([stream()], [stored(1)])
    spool.record([], [("first", {}), ("second", {})])
    checkpoints.add([lambda: acknowledged.append(1)])
    checkpoints.advance(delivered=1, quiet=False)
    assert not left, "a sink has only one of two verdicts"
    spool.append([], [stored(2)])
    checkpoints.add([lambda: acknowledged.append(2)])
    checkpoints.advance(delivered=2, quiet=False)
    assert [one.id for one in unpack(left[0], spool).chunks] == [1], "as it was when the verdicts were made"
    assert not acknowledged, "the broker does not have it yet"
    safe.append(True)
    checkpoints.advance(delivered=2, quiet=False)
    assert acknowledged == [1]
    checkpoints.advance(delivered=2, quiet=False)
    assert acknowledged == [1, 2]
    checkpoints.advance(delivered=2, quiet=False)
    assert len(left) == 2, "there is nothing new"


def test_a_checkpoint_is_due_after_a_while_or_many_chunks_and_sooner_where_nothing_comes(spool, monkeypatch):
    left, clock = [], [100.0]
    monkeypatch.setattr(checkpoint.time, "monotonic", lambda: clock[0])
    checkpoints = Checkpoints(spool, "me", lambda data: left.append(data) or (lambda: True))

    def left_after(seconds, chunks=1, quiet=False):
        clock[0] += seconds
        checkpoints.add([lambda: None] * chunks)
        before = len(left)
        checkpoints.advance(0, quiet)
        return len(left) > before

    assert not left_after(checkpoint.EVERY_S - 0.1)
    assert left_after(0.2)
    assert not left_after(checkpoint.LEAST_S + 0.1)
    assert left_after(0.0, quiet=True)
    assert not left_after(0.0, checkpoint.MOST - 1)
    assert left_after(0.0)
