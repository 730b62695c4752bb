"""Bars, lines, and what Ctrl-C leaves."""

import io
import itertools
import json
import re

import pytest
import typer
from rich.console import Console

from dualres.cli import console as screen
from dualres.cli.progress_display import BETWEEN_LINES_S, Bars, Lines, Remaining, displayed


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

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


def test_the_first_line_comes_after_two_seconds_and_the_next_ones_seldom():
    assert lines_of(1.9, 1000) == []
    lines = lines_of(60, 240)
    assert lines[0] == "Learn [all]: 8 of 240, about 58 s left, loss 0.5"
    assert lines[1] == "Learn [all]: 48 of 240, about 48 s left, loss 0.5"
    assert len(lines) <= 1 + 60 / BETWEEN_LINES_S
    assert 20 < len(lines_of(8 * 3600, 28_800)) < 90, "a night's work does not fill the screen"


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


def test_the_time_left_is_told_as_a_person_would():
    lines = Lines(a_console(terminal=False), Clock())
    words = {89: "89 s", 90: "1 min 30 s", 417: "7 min 00 s", 599.9: "10 min 00 s", 660: "11 min", 7300: "2 h 02 min"}
    for seconds, said in words.items():
        lines.expect({"Learn": seconds})
        assert lines.left == f"about {said} left"
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
    # What came at once after the first is not told.
    assert (last["done"], last["total"], last["remark"]) == (2, 2, "loss 2")


def foreseen(forecast):
    clock = Clock()
    remaining = Remaining(clock)
    remaining.expect(forecast)
    return clock, remaining


class Machine:
    """Does work that was foreseen in seconds, at another pace."""

    def __init__(self, forecast, steps=50):
        self.steps, self.forecast = steps, forecast
        self.clock, self.remaining = foreseen(forecast)

    def run(self, paces, setup=0.0, shares=None):
        """Seconds left as told after every step, with the moment; `paces` are seconds per second foreseen, and `shares`
        what each step takes of its stage, where they are not alike."""
        pace, told = iter(paces), []
        for stage, size in self.forecast.items():
            self.clock.now += setup * size
            for step in range(1, self.steps + 1):
                self.clock.now += next(pace) * size * (shares[step - 1] if shares else 1 / self.steps)
                self.remaining.tell(stage, step, self.steps)
                told.append((self.clock.now, self.remaining.left()))
        return told


FORECAST = {**{f"round {i}": 8.0 for i in range(5)}, "all": 10.0}


def off(told, share):
    """By what factor the time left was wrong, after that share of the run."""
    begin, end = 100.0, told[-1][0]
    moment, left = next((at, left) for at, left in told if at >= begin + share * (end - begin))
    true = end - moment
    return max(left / true, true / left)


@pytest.mark.parametrize("pace", [0.4, 1, 2, 3.5])
def test_after_a_tenth_it_is_right_whatever_the_machine_does_beside(pace):
    told = Machine(FORECAST).run(itertools.repeat(pace))
    assert off(told, 0.1) < 1.35
    assert off(told, 0.5) < 1.1
    assert told[-1][1] == 0


UNEVEN = (0.05, 0.6, 0.1, 0.05, 0.05, 0.05, 0.05, 0.05)  # as a fit in closed form: one head takes longest by far
ROUNDS = {**{f"round {i}": 2.0 for i in range(12)}, "all": 2.5}


@pytest.mark.parametrize("pace", [0.2, 1, 5])
def test_a_forecast_that_is_off_by_five_corrects_itself_within_a_tenth(pace):
    told = Machine(ROUNDS, steps=len(UNEVEN)).run(itertools.repeat(pace), shares=UNEVEN)
    assert max(off(told, share / 100) for share in range(10, 90)) < 1.35
    assert max(off(told, share / 100) for share in range(20, 90)) < 1.2


def test_one_long_step_says_little_of_a_stage_that_was_not_seen_before():
    told = Machine(ROUNDS, steps=len(UNEVEN)).run(itertools.repeat(1), shares=UNEVEN)
    assert max(off(told, share / 1000) for share in range(0, 100)) < 2.2


@pytest.mark.parametrize("setup", [0.5, 3.0])
def test_what_every_stage_does_before_its_first_step_counts(setup):
    told = Machine(FORECAST).run(itertools.repeat(2.0), setup=setup)
    assert off(told, 0.0) < 2, "the first step comes late, and is no slow one"
    assert off(told, 0.1) < 1.5
    assert off(told, 0.5) < 1.2


def test_a_machine_that_becomes_busy_is_noticed():
    told = Machine(FORECAST).run(itertools.chain(itertools.repeat(1.0, 100), itertools.repeat(3.0)))
    assert off(told, 0.15) > 2, "nobody could know"
    assert off(told, 0.4) < 1.3


def test_until_there_is_news_the_forecast_is_believed():
    machine = Machine(FORECAST)
    assert machine.remaining.left() == pytest.approx(50)
    machine.clock.now += 3
    assert machine.remaining.left() == pytest.approx(47)


def test_a_single_step_that_lasts_longer_than_foreseen_makes_the_rest_longer():
    clock, remaining = foreseen({"one": 10.0, "other": 30.0})
    remaining.tell("one", 0, 1)
    clock.now += 20
    assert remaining.left() == pytest.approx(60), "the first takes at least 20, so the other at least 60"


def test_what_follows_a_stage_is_no_long_step_of_it():
    machine = Machine({"one": 10.0, "other": 10.0})
    machine.forecast = {"one": 10.0}
    machine.run(itertools.repeat(1.0))
    machine.clock.now += 4
    assert machine.remaining.left() == pytest.approx(6, abs=0.25)


def test_a_later_stage_says_that_those_before_are_done():
    clock, remaining = foreseen({"one": 10.0, "other": 10.0})
    clock.now += 10
    remaining.tell("other", 1, 2)
    assert remaining.left() == pytest.approx(5)


def test_a_stage_that_was_not_foreseen_takes_time_and_no_more():
    clock, remaining = foreseen({"one": 10.0})
    remaining.tell("audit", 9, 9)
    clock.now += 1
    assert remaining.left() == pytest.approx(9)


def test_without_a_forecast_each_stage_is_taken_for_itself():
    clock = Clock()
    remaining = Remaining(clock)
    assert remaining.left() is None
    remaining.tell("read", 0, 10)
    assert remaining.left() is None
    clock.now += 4
    remaining.tell("read", 2, 10)
    assert remaining.left() == pytest.approx(16)
    remaining.tell("judge", 1, 3)
    assert remaining.left() is None, "nobody knows how long the first took"
    clock.now += 5
    remaining.tell("judge", 2, 3)
    assert remaining.left() == pytest.approx(5)
