import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.stream.monitor.chunk import Chunk, Form
from dualres.stream.watch.records import StreamProgress
from dualres.stream.watch.sequencing import SequencedChunks, Streams
from dualres.stream.watch.spool import Spool

FORM = Form.of(8000, "i16")


@pytest.fixture
def spool(tmp_path):
    with Spool(tmp_path / "spool.sqlite") as spool:
        yield spool


def data(*samples):
    return np.array(samples, "<i2").tobytes()


def placed(places, *chunks):
    into = SequencedChunks()
    for chunk in chunks:
        places.place(chunk, into)
    return into


def found(into):
    return [(one.stream, one.first, one.count, one.last) for one in into.chunks]


def of(spool, axes=1):
    return Streams(spool, axes, lambda form: None)


def over(spool, places, whole):
    """The run of a chunk that ends it, judged to its end."""
    into = placed(places, whole)
    spool.append(into.streams, into.chunks)
    (stream,) = into.streams
    spool.record([StreamProgress(stream, 2, None, [one.without_samples() for one in into.chunks], True)], [])
    places.close(stream)
    return stream


def test_chunks_without_an_index_follow_each_other(spool):
    into = placed(
        of(spool), Chunk("a", FORM, data(1, 2)), Chunk("b", FORM, data(3)), Chunk("a", FORM, data(4), missing=5)
    )
    assert found(into) == [(1, 0, 2, False), (2, 0, 1, False), (1, 7, 1, False)]


def test_what_came_before_is_left_out(spool):
    some = [Chunk("a", FORM, data(*range(3)), first, start="7") for first in (0, 3, 3, 0, 5, 10)]
    into = placed(of(spool), *some)
    assert [(one.first, one.count) for one in into.chunks] == [(0, 3), (3, 3), (6, 2), (10, 3)]
    assert into.duplicates == 7
    assert into.chunks[2].data == data(1, 2)


def test_it_goes_on_after_a_restart(spool):
    into = placed(of(spool), Chunk("a", FORM, data(1, 2)), Chunk("b", FORM, data(1), last=True))
    spool.append(into.streams, into.chunks)
    again = of(spool)
    assert found(placed(again, Chunk("a", FORM, data(3), at=5.0))) == [(1, 2, 1, False)]
    known = again.positions()
    assert (known["a"].stop, known["a"].ended, known["a"].at) == (3, False, 5.0)
    assert known["b"].ended


def test_a_new_start_is_a_new_run(spool):
    places = of(spool)
    into = placed(
        places,
        Chunk("a", FORM, data(1, 2), 0, start="7"),
        Chunk("a", FORM, data(1, 2), 0, start="8"),
        Chunk("a", FORM, data(9), 1, start="7"),  # sent again by the broker
    )
    assert found(into) == [(1, 0, 2, False), (1, 2, 0, True), (2, 0, 2, False)]
    assert [one.key for one in into.streams] == ["a/7", "a/8"]
    assert into.duplicates == 1


def test_a_run_that_is_taken_up_later_says_where_and_another_form_is_another_run(spool):
    into = placed(of(spool), Chunk("a", FORM, data(1, 2), 100, start="7"))
    assert [(one.key, one.began) for one in into.streams] == [("a/7@100", 100)]
    into = placed(of(spool), Chunk("a", FORM, data(1)), Chunk("a", Form.of(9000, "i16"), data(2)))
    assert found(into) == [(1, 0, 1, False), (1, 1, 0, True), (2, 0, 1, False)]


def test_runs_that_open_at_one_moment_are_told_apart(spool):
    other = Form.of(9000, "i16")
    some = [Chunk("a", form, data(1, 2), at=1e9) for form in (FORM, other, FORM)]
    some += [Chunk("b", FORM, data(1), at=1e9), Chunk("b", FORM, data(1), last=True, at=1e9)]
    into = placed(of(spool), *some, Chunk("b", FORM, data(2), at=1e9))
    assert len({one.key for one in into.streams}) == len(into.streams) == 5
    assert into.streams[0].key == "a/20010909T014640.000000"


def test_a_run_that_is_over_is_told_apart_from_one_that_opens_when_the_clock_was_put_back(spool):
    places, whole = of(spool), Chunk("a", FORM, data(1, 2), last=True, at=1e9)
    before = over(spool, places, whole)
    (after,) = placed(places, whole).streams
    assert after.key != before.key


def test_a_whole_message_that_comes_twice_is_one_run(spool):
    one = Chunk("a", FORM, data(1, 2), 0, start="digest", last=True)
    assert found(placed(of(spool), one, one)) == [(1, 0, 2, False), (1, 2, 0, True)]


def test_a_run_that_is_over_is_remembered_by_the_spool_alone(spool):
    places, whole = of(spool), Chunk("a", FORM, data(1, 2), 0, start="7", last=True)
    over(spool, places, whole)
    assert places.by_id == {}
    assert places.open_streams() == []
    again = placed(places, whole, Chunk("a", FORM, data(1), 0, start="8"))
    assert (again.duplicates, [one.key for one in again.streams]) == (2, ["a/8"])
    assert [one.id for one in again.streams] == [2]
    known = of(spool).positions()["a"]
    assert (known.start, known.stop, known.ended) == ("7", 2, True)


def test_each_channel_is_a_stream_where_the_model_judges_one(spool):
    into = placed(of(spool), Chunk("a", Form.of(8000, "i16", 2), data(1, 2, 3, 4)))
    assert [one.name for one in into.streams] == ["a[1]", "a[2]"]
    assert [one.data for one in into.chunks] == [data(1, 3), data(2, 4)]


def test_axes_stay_together_and_others_are_refused(spool):
    places = of(spool, axes=2)
    into = placed(places, Chunk("a", Form.of(8000, "i16", 2), data(1, 2, 3, 4)))
    assert found(into) == [(1, 0, 2, False)]
    with pytest.raises(ConfigError, match="2 axes"):
        placed(places, Chunk("b", Form.of(8000, "i16", 3), data(1, 2, 3)))


HOUR = 3600 * 8000  # samples
FAR = 1 << 61


def stamped(first, at, *samples, start="7"):
    return Chunk("a", FORM, data(*samples or (1, 2)), first, start=start, at=at)


def test_an_index_that_the_clock_does_not_allow_silences_nobody(spool):
    places = of(spool)
    into = placed(places, stamped(HOUR, 1e6))
    for wrong in (FAR, 2 * HOUR, HOUR + 8000 * 61):
        with pytest.raises(ConfigError, match="less time went by"):
            placed(places, stamped(wrong, 1e6 + 0.1))
    spool.append(into.streams, into.chunks)
    for again in (places, of(spool)):  # also after a restart
        with pytest.raises(ConfigError, match="less time went by"):
            placed(again, stamped(FAR, 1e6 + 0.2))
        assert found(placed(again, stamped(HOUR + 2, 1e6 + 0.3)))[-1][1:] == (HOUR + 2, 2, False)


def test_samples_that_really_are_missing_are_told_however_late_they_come(spool):
    places = of(spool)
    placed(places, stamped(0, 1e6), stamped(2, 1e6 + 3600), stamped(4, 1e6 + 3600))
    # A broker collected an hour's samples, lost half of them, and hands over the others all at once.
    assert found(placed(places, stamped(HOUR // 2, 1e6 + 3600), stamped(HOUR, 1e6 + 3600.1))) == [
        (1, HOUR // 2, 2, False),
        (1, HOUR, 2, False),
    ]
    assert found(placed(places, stamped(HOUR + 10, 1e6))), "the clock was put back"


def test_a_sender_that_is_first_heard_by_a_forged_index_is_heard_by_its_own(spool):
    places = of(spool)
    into = placed(places, stamped(FAR, 1e6))
    spool.append(into.streams, into.chunks)
    into = placed(places, *(stamped(at, 1e6 + at / 8000) for at in (5, 7, 9)))
    assert [(one.first, one.count) for one in into.chunks if one.count] == [(5, 2), (7, 2), (9, 2)]
    assert [one.key for one in into.streams] == ["a/7@5"]


def test_a_small_message_that_is_hours_of_signal_is_divided(spool):
    slow = Form.of(1, "i16")
    into = placed(of(spool), Chunk("a", slow, data(*range(10)), 5, start="1", side={"load": "3"}))
    assert [(one.first, one.count, one.side) for one in into.chunks] == [
        (5, 4, {"load": "3"}),
        (9, 4, {"load": "3"}),
        (13, 2, {"load": "3"}),
    ]
    assert b"".join(one.data for one in into.chunks) == data(*range(10))
    assert [one.count for one in placed(of(spool), Chunk("b", Form.of("1/9", "i16"), data(1, 2))).chunks] == [1, 1]
