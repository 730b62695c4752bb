"""Bars, lines, and what Ctrl-C leaves."""

import io
import json
import re

import pytest
import typer
from rich.console import Console

from dualres.cli import console as screen
from dualres.cli.progress_display import BETWEEN_LINES_S, Bars, Lines, displayed


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def a_console(*, terminal: bool) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=120, color_system=None)


def lines_of(seconds: float, steps: int, forecast=None) -> list[str]:
    """What work of that many seconds in equal steps prints."""
    console, clock = a_console(terminal=False), Clock()
    lines = Lines(console, clock)
    if forecast:
        lines.expect(forecast)
    for step in range(steps):
        lines("Learn [all]", step, steps, "loss 0.5" if step else "")
        clock.now += seconds / steps
    lines("Learn [all]", steps, steps, "")
    return console.file.getvalue().splitlines()


def test_quick_work_prints_nothing():
    assert lines_of(1.9, 1000) == []


def test_the_first_line_comes_after_two_seconds_and_the_next_ones_seldom():
    lines = lines_of(60, 240)
    assert lines[0] == "Learn [all]: 8 of 240, about 58 s left, loss 0.5"
    assert lines[1] == "Learn [all]: 48 of 240, about 48 s left, loss 0.5"
    assert len(lines) <= 1 + 60 / BETWEEN_LINES_S


def test_a_night_s_work_does_not_fill_the_screen():
    assert 20 < len(lines_of(8 * 3600, 28_800)) < 90


def test_the_time_left_is_that_of_all_stages_where_they_were_foreseen():
    """After 12 of 20 seconds for what should take 10, there are 8 left, and 46 for what should take 23."""
    second = lines_of(20, 200, {"Learn [all]": 10.0, "Judge": 23.0})[1]
    assert 48 < int(re.search(r"about (\d+) s left", second)[1]) < 56


def test_a_log_gets_lines_and_a_terminal_bars():
    with displayed(a_console(terminal=False)) as display:
        assert isinstance(display, Lines)
    console = a_console(terminal=True)
    with displayed(console) as display:
        assert isinstance(display, Bars)
        display.expect({"Round [1]": 3600.0, "All": 3600.0})
        display("Round [1]", 3, 4, "loss 0.5")
        assert display.left.endswith(" min left")
        display("All", 0, 1, "")
    drawn = [line for line in console.file.getvalue().splitlines() if "/" in line]
    first, second = drawn[-2:]
    assert ("Round [1]" in first, "3/4" in first) == (True, True)
    assert ("left" in first, "left" in second) == (False, True), "it stands at the stage at hand"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (89, "89 s"),
        (90, "1 min 30 s"),
        (417, "7 min 00 s"),
        (599.9, "10 min 00 s"),
        (660, "11 min"),
        (7300, "2 h 02 min"),
    ],
)
def test_the_time_left_is_told_as_a_person_would(seconds, words):
    lines = Lines(a_console(terminal=False), Clock())
    lines.expect({"Learn": seconds})
    assert lines.left == f"about {words} left"
    lines.expect({"Learn": 0.4})
    assert lines.left == ""


@pytest.mark.parametrize("terminal", [True, False])
def test_ctrl_c_ends_in_one_line_with_the_exit_status_of_a_shell(terminal, monkeypatch):
    console = a_console(terminal=terminal)
    monkeypatch.setattr(screen, "errors", console)
    with pytest.raises(typer.Exit) as left, screen.progress("Nothing was written."):
        raise KeyboardInterrupt
    assert left.value.exit_code == 130
    assert console.file.getvalue().splitlines()[-1].endswith("Stopped. Nothing was written.")


def test_a_program_that_asks_for_it_gets_objects(monkeypatch):
    monkeypatch.setenv("DUALRES_PROGRESS", "json")
    console = a_console(terminal=True)
    with displayed(console) as display:
        for done in range(3):
            display("Learn", done, 2, f"loss {done}")
    first, last = (json.loads(line) for line in console.file.getvalue().splitlines())
    assert first == {"stage": "Learn", "done": 0, "total": 2, "remark": "loss 0", "left_s": None}
    assert (last["done"], last["total"], last["remark"]) == (
        2,
        2,
        "loss 2",
    )  # what came at once after the first is not told
