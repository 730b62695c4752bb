"""Who writes a label waits for no picture."""

from threading import Event, Thread

import pytest

from dualres.web.precedence import WritersFirst


def test_what_draws_goes_on_once_nobody_writes() -> None:
    writers, drawn = WritersFirst(), Event()
    with writers.writing(), writers.writing():
        Thread(target=lambda: (writers.give_way(60), drawn.set())).start()
        assert not drawn.wait(0.02)
    assert drawn.wait(30)


def test_nobody_gives_way_for_ever() -> None:
    writers = WritersFirst()
    with writers.writing():
        writers.give_way(0.001)


def test_a_write_that_fails_lets_others_go_on() -> None:
    writers = WritersFirst()
    with pytest.raises(OSError, match="full"), writers.writing():
        raise OSError("full")
    writers.give_way(60)
