"""The time left, with a clock that the tests move."""

import itertools

import pytest

from dualres.cli.eta import Remaining


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Machine:
    """Does work that was foreseen in seconds, at another pace."""

    def __init__(self, forecast, steps=50):
        self.clock, self.steps, self.forecast = Clock(), steps, forecast
        self.remaining = Remaining(self.clock)
        self.remaining.expect(forecast)

    def run(self, paces, setup=0.0):
        """Seconds left as told after every step, with the moment; `paces` are seconds per second foreseen."""
        pace, told = iter(paces), []
        for stage, size in self.forecast.items():
            self.clock.now += setup * size
            for step in range(1, self.steps + 1):
                self.clock.now += next(pace) * size / self.steps
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
    clock = Clock()
    remaining = Remaining(clock)
    remaining.expect({"one": 10.0, "other": 30.0})
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
    clock = Clock()
    remaining = Remaining(clock)
    remaining.expect({"one": 10.0, "other": 10.0})
    clock.now += 10
    remaining.tell("other", 1, 2)
    assert remaining.left() == pytest.approx(5)


def test_a_stage_that_was_not_foreseen_takes_time_and_no_more():
    clock = Clock()
    remaining = Remaining(clock)
    remaining.expect({"one": 10.0})
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
