import pytest

from dualres.judge.archive.chunk_sizes import FIRST, MOST, ChunkSizes
from dualres.judge.archive.frames import LARGEST, SIZE, framed, take_frames
from dualres.judge.archive.line import VerdictLine

LINES = [
    VerdictLine("a.wav", '{"file": "a.wav"}', True),
    VerdictLine("b.wav", "", False, "b.wav: two\nlines"),
    VerdictLine("c\udc80.wav", "c", True, "", 12800.5, ("load", "speed of the shaft")),
]


@pytest.mark.parametrize("line", LINES)
def test_a_line_comes_through_as_it_was(line):
    sent = line.sent()
    assert "\n" not in sent
    assert VerdictLine.received(sent) == line


@pytest.mark.parametrize(
    "sent", ["", "a\x1fb", "a\x1fb\rc\x1f\x1f\x1f", "a\x1fb\x1ec\x1f\x1f\x1f", "a\x1fb\x1f\x1f\x1fx"]
)
def test_what_is_no_line_is_refused(sent):
    with pytest.raises(ValueError, match=r"."):
        VerdictLine.received(sent)


def test_messages_come_in_pieces_of_any_size():
    sent, received, found = framed(b"one") + framed(b"") + framed(b"three"), bytearray(), []
    for place in range(0, len(sent), 5):
        received += sent[place : place + 5]
        found += take_frames(received)
    assert (found, received) == ([b"one", b"", b"three"], bytearray())
    with pytest.raises(ValueError, match="none of ours"):
        take_frames(bytearray(SIZE.pack(LARGEST + 1)))


def test_chunks_take_a_quarter_of_a_second():
    now = [0.0]
    sizes = ChunkSizes(2, lambda: now[0])
    assert sizes.size == FIRST
    for _ in range(10):
        sizes.add(FIRST)
        now[0] += 0.05
    assert sizes.size == 10  # of 40 files in half a second by two
    now[0] += 1000
    assert sizes.size == 1
    sizes.add(10**9)
    assert sizes.size == MOST
