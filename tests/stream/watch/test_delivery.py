import threading
import time
from http.client import BadStatusLine

import pytest

from dualres.stream.watch import delivery
from dualres.stream.watch.delivery import Delivery
from dualres.stream.watch.sinks.sink import ClosedError, Sink
from tests.stream.watch.agents import until
from tests.stream.watch.sinks.records import record


class Scripted(Sink):
    """Does one thing after the other: raises what is an exception, else delivers."""

    def __init__(self, *acts, at_once=1):
        super().__init__("scripted")
        self.acts, self.got, self.closed = list(acts), [], threading.Event()
        self.at_once = at_once

    def send(self, records):
        act = self.acts.pop(0) if self.acts else None
        if act:
            raise act
        self.got += [one.id for one in records]

    def close(self):
        self.closed.set()


def delivered(sink, records, done):
    said = []
    one = Delivery(sink, 0, lambda: None, said.append)
    one.hand_over(records)
    until(lambda: done(one))
    one.stop(time.monotonic() + 5)
    assert sink.closed.wait(5)
    return one, said


@pytest.fixture
def pauses(monkeypatch):
    """In seconds, those that were made; short ones."""
    made, wait_for = [], threading.Condition.wait_for
    monkeypatch.setattr(delivery, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(
        threading.Condition,
        "wait_for",
        lambda self, met, timeout=None: (made.append(timeout) if timeout else None, wait_for(self, met, timeout))[1],
    )
    return made


GONE = OSError("gone")


def test_it_is_tried_again_with_growing_pauses_and_told_once(pauses):
    sink = Scripted(GONE, GONE, GONE)
    one, said = delivered(sink, [record(0), record(1)], lambda one: one.idle)
    assert sink.got == [1, 2]
    assert one.position == 2
    assert pauses == pytest.approx([0.01, 0.02, 0.04])
    assert [("gone" in text, "again" in text) for text in said] == [(True, True), (False, True)]


def test_a_pause_belongs_to_the_verdict_that_failed(pauses):
    sink = Scripted(GONE, None, GONE, None, None, GONE, GONE)
    _, said = delivered(sink, [record(number) for number in range(5)], lambda one: one.idle)
    assert sink.got == [1, 2, 3, 4, 5]
    assert pauses == pytest.approx([0.01, 0.01, 0.01, 0.02])
    assert len(said) == 2, "a sink that fails now and then is not told of each time"


def test_what_arrived_counts_while_another_fails(pauses):
    sink = Scripted(None, None, *[GONE] * 1000)
    one, _ = delivered(sink, [record(number) for number in range(5)], lambda one: len(pauses) > 2)
    assert (one.position, sink.got) == (2, [1, 2])


def test_of_several_that_fail_together_each_is_tried_alone(pauses):
    sink = Scripted(GONE, GONE, None, GONE, at_once=4)
    delivered(sink, [record(number) for number in range(8)], lambda one: one.idle)
    assert sink.got == [1, 2, 3, 4, 5, 6, 7, 8], "in their order, and none twice"
    assert pauses == pytest.approx([0.01]), "several that fail say little, so the first of them is tried at once"


def test_no_error_ends_it(monkeypatch):
    monkeypatch.setattr(delivery, "FIRST_PAUSE_S", 0.01)
    sink = Scripted(ValueError(), BadStatusLine("no web server"))
    one, said = delivered(sink, [record(0)], lambda one: one.idle)
    assert (one.position, sink.got) == (1, [1])
    assert "(ValueError); it is tried again" in said[0]


def test_a_sink_that_is_closed_gets_no_more():
    sink = Scripted(ClosedError("head has seen enough"))
    one, _ = delivered(sink, [record(0)], lambda one: one.closed)
    assert (one.position, one.idle, sink.got) == (0, False, [])


def test_what_cannot_be_delivered_does_not_hold_up_a_stop():
    begin = time.monotonic()
    one, _ = delivered(Scripted(*[OSError("gone")] * 1000), [record(0)], lambda one: True)
    assert one.position == 0
    assert time.monotonic() - begin < 5
