import pytest

from dualres.stream.watch import backlog as backlog_module
from dualres.stream.watch.backlog import TURN_S, Backlog
from dualres.stream.watch.records import StoredChunk

MANY = 1 << 30  # bytes


def waiting(*sent):
    """Chunks of machines, in this order: the name, seconds, and bytes of each."""
    backlog = Backlog()
    for id, (machine, seconds, size) in enumerate(sent, start=1):
        backlog.add(machine, StoredChunk(id, 1, 0, round(1000 * seconds), bytes(size), {}, 0.0, False), 1000.0)
    return backlog


def rounds(backlog, most=MANY):
    found = []
    while backlog:
        found.append(backlog.take(most))
    return found


def test_what_a_machine_sent_keeps_its_order_and_nothing_comes_twice():
    sent = [("ab"[number % 3 == 0], 1.5, 10) for number in range(5000)]
    found = [id for some in rounds(waiting(*sent)) for id in some]
    assert sorted(found) == list(range(1, 5001))
    for machine in "ab":
        of_it = [id for id in found if sent[id - 1][0] == machine]
        assert of_it == sorted(of_it)


def test_a_machine_waits_for_a_turn_of_others_and_not_for_all_they_sent():
    hog = [("hog", 4.0, 16)] * 1000
    assert 1001 in waiting(*hog, ("good", 0.1, 5000)).take(MANY)
    first, *_ = rounds(waiting(*hog, ("good", 0.1, 5000)))
    assert len(first) == 6, "five turns of a round, and the other's"


def test_turns_go_on_where_the_round_before_ended():
    machines = [f"m{number}" for number in range(20)]
    found = rounds(waiting(*((machine, TURN_S, 10) for _ in range(2) for machine in machines)))
    firsts = [id for some in found[:4] for id in some]
    assert firsts == list(range(1, 21)), "each once before any of them twice"


@pytest.mark.parametrize(("most", "count"), [(1, 1), (1000, 10), (MANY, 100)])
def test_a_round_takes_about_so_many_bytes(most, count):
    assert len(waiting(*[("a", 0.1, 36)] * 100).take(most)) == count


def test_no_more_chunks_than_can_be_asked_for(monkeypatch):
    monkeypatch.setattr(backlog_module, "MOST_CHUNKS", 7)
    assert len(waiting(*[("a", 0.0, 0)] * 5, *[("b", 0.0, 0)] * 5).take(MANY)) == 7


def test_late_is_who_has_sent_too_much_and_nobody_else():
    backlog = waiting(("hog", 1, 10_000), ("a", 1, 10), ("b", 1, 20))
    assert backlog.late(MANY) == frozenset()
    assert backlog.late(1000) == {"hog"}
    assert backlog.late(49) == {"hog", "b"}, "10 of each, and 10 more of two of them"
    assert backlog.late(29) == {"hog", "a", "b"}
    assert Backlog().late(0) == frozenset()
