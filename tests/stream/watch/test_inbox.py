import threading

from dualres.stream.monitor.chunk import Chunk, Form
from dualres.stream.watch.inbox import Intake

FORM = Form.of(8000, "i16")


def chunk(samples=10, stream="pump"):
    return Chunk(stream, FORM, bytes(2 * samples))


def test_chunks_come_out_in_order_and_no_more_than_asked_for_but_one_at_least():
    intake = Intake()
    some = [chunk(1000), chunk(2000), chunk(3000)]
    for one in some:
        intake.put_waiting(one)
    assert intake.take(0, 1) == some[:1]
    assert intake.take(0, 100_000) == some[1:]
    intake.put_waiting(some[0])
    assert intake.take(0) == some[:1], "the room of what was taken is free again"
    assert intake.take(0) == []
    assert intake.empty


def test_small_chunks_take_room_as_well():
    intake = Intake(room=100_000)
    for _ in range(1000):
        intake.put_or_drop(chunk(1))
    assert 700 < intake.lost_samples < 900


def test_who_can_wait_waits_for_room():
    intake = Intake(room=20)
    intake.put_waiting(chunk())
    waiting = threading.Thread(target=intake.put_waiting, args=(chunk(5),))
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    assert [c.count for c in intake.take(0)] == [10]
    waiting.join(5)
    assert [c.count for c in intake.take(0)] == [5]


def test_who_can_wait_leaves_room_for_who_cannot():
    intake = Intake(room=4000)
    waiting = threading.Thread(target=lambda: [intake.put_waiting(chunk(200)) for _ in range(10)], daemon=True)
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()
    intake.put_or_drop(chunk(200, "fan"))
    assert intake.lost_samples == 0
    assert [c.stream for c in intake.take(0)] == ["pump", "pump", "pump", "fan"]
    intake.close()


def test_what_cannot_wait_is_missing_and_the_next_chunk_says_so():
    intake = Intake(room=510)  # bytes: for one chunk of ten samples, or two of one
    intake.put_or_drop(chunk())
    intake.put_or_drop(chunk(7))
    intake.put_or_drop(chunk(5))
    intake.put_or_drop(chunk(6, "fan"))
    assert intake.lost_samples == 18
    intake.take(0)
    intake.put_or_drop(chunk(1))
    intake.put_or_drop(chunk(1))
    assert [c.missing for c in intake.take(0)] == [12, 0]


def test_closing_lets_everybody_go():
    intake = Intake(room=1)
    intake.put_waiting(chunk())
    waiting = threading.Thread(target=intake.put_waiting, args=(chunk(5),))
    waiting.start()
    intake.close()
    waiting.join(5)
    assert not waiting.is_alive()
    assert len(intake.take(0)) == 1


def test_of_a_late_stream_nothing_is_taken_in_and_others_pass_it():
    intake = Intake()
    intake.put_waiting(chunk(10, "hog"))
    intake.put_waiting(chunk(20, "pump"))
    intake.late = lambda stream: stream == "hog"
    intake.put_or_drop(chunk(30, "hog"))
    intake.put_or_drop(chunk(40, "fan"))
    assert [c.count for c in intake.take(0)] == [20, 40]
    assert intake.lost_samples == 30, "of what cannot wait"
    intake.late = lambda stream: False
    assert [c.count for c in intake.take(0)] == [10], "what can wait is only held back"
    assert intake.empty
