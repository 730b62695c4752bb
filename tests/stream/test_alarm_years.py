"""The simulation of years in stress/ bets as an alarm does."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("numba")

from dualres.stream.alarm.alarm import Alarm
from dualres.stream.alarm.e_values import LIFTS, EValues

sys.path.insert(0, str(Path(__file__).parents[2] / "stress"))
from alarm_healthy import CASES
from alarm_years import (
    HEALTHY,
    HEAVY,
    NORMAL,
    POWER,
    SKEWED,
    Healthy,
    alarms_of,
    autoregression,
    false_alarms,
    steady,
    table,
)
from dualres.stream.alarm.promise import LONG
from healthy_machines import ALIKE, BURSTS, CLUSTERED, KINDS, LONG_MEMORY, SWINGING_SPREAD, of_its_own, steps


def test_bets_pay_what_those_of_the_twin_pay_however_narrow_the_cells_are():
    """Skewed news crowd at their lower end, where a rounded one would have a much higher rank."""
    rng = np.random.default_rng(5)
    for correlation, noise in ((0.9, SKEWED), (0.0, HEAVY), (0.5, NORMAL)):
        healthy = Healthy(correlation, False, "", steady(6000), noise)
        e_values = EValues.fit(healthy.reference(healthy, rng), 0.9, 1e6)
        looked_up = table(e_values)
        scores, now, wealth = healthy.scores(rng, 2000), np.zeros(3), np.zeros(len(LIFTS))
        expected, before = np.zeros(len(LIFTS)), 0.0
        for score in scores:
            begins, goes_on = np.exp(e_values.log_e_values(score - e_values.carried * before))
            expected, before = expected * goes_on + begins, score
        false_alarms(scores, 1, e_values.carried, *looked_up, np.inf, now, wealth)
        assert wealth == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_a_machine_is_alarmed_when_its_twin_would_be(correlation):
    rng, between = np.random.default_rng(1), 1000.0
    healthy = Healthy(correlation, False, "", steady(15_000))
    for _ in range(5):
        reference = healthy.reference(healthy, rng)
        alarm = Alarm.learned(reference, blocks_between_false_alarms=between)
        e_values = EValues.fit(reference, 0.9, between)
        given = healthy.scores(rng, 600)
        given[200:] += 4
        first = next(block for block, score in enumerate(given) if alarm.update(score).raised)
        looked_up = table(e_values)

        def found(blocks, e_values=e_values, looked_up=looked_up, given=given):
            now, wealth = np.array([given[0], 0.0, 0.0]), np.zeros(len(LIFTS))
            return false_alarms(given[1:blocks], 1, e_values.carried, *looked_up, between, now, wealth)

        assert found(first + 1) == 1
        assert found(first) == 0


def test_a_bet_in_the_making_goes_on_with_the_next_blocks():
    rng = np.random.default_rng(2)
    e_values = EValues.fit([rng.standard_normal(500)], 0.9, 100.0)
    scores, looked_up = rng.standard_normal(1000) + 0.5, table(e_values)
    ends = []
    for parts in ([scores], np.split(scores, [7, 300, 301])):
        now, wealth = np.zeros(3), np.zeros(len(LIFTS))
        alarms = sum(false_alarms(part, 3, e_values.carried, *looked_up, 50.0, now, wealth) for part in parts)
        ends.append([alarms, *now, *wealth])
    assert ends[0] == ends[1]
    assert ends[0][0] > 0


@pytest.mark.parametrize("noise", [NORMAL, HEAVY, SKEWED, POWER])
def test_scores_have_the_correlation_and_spread_that_are_stated(noise):
    scores = Healthy(0.9, False, "", steady(1), noise).scores(np.random.default_rng(3), 200_000)
    assert scores.std() == pytest.approx(1, abs=0.1)
    assert np.corrcoef(scores[1:], scores[:-1])[0, 1] == pytest.approx(0.9, abs=0.02)


def test_an_autoregression_is_what_it_says():
    found = np.empty(3)
    autoregression(np.array([1.0, 0.0, 2.0], np.float32), 0.5, found)
    assert found.tolist() == [1.0, 0.5, 2.25]


def test_references_are_of_the_length_that_is_stated():
    rng = np.random.default_rng(4)
    for healthy in HEALTHY:
        blocks = sum(map(len, healthy.reference(healthy, rng)))
        hours = {"5 minutes": 1 / 12, "an hour": 1, "3 hours": 3, "12 hours": 12, "a day": 24, "2 days": 48}
        hours |= {"2 hours at each of 5 loads": 10, "2 hours at each of the lower 3": 6}
        assert blocks * 5 == 3600 * hours[healthy.recorded]


@pytest.mark.parametrize("scores", [BURSTS.scores, SWINGING_SPREAD.scores, of_its_own])
def test_the_fast_twin_raises_as_many_alarms_as_alarms_do(scores):
    rng = np.random.default_rng(6)
    drawn = scores(rng, 3000)
    learned = Alarm.learned(drawn[:2000], blocks_between_false_alarms=100)
    alarm, raised = learned.another(), 0
    for score in drawn[2000:]:
        if alarm.update(score).raised:
            raised, alarm = raised + 1, learned.another({"before": alarm.progress["before"]})
    assert alarms_of(learned, drawn[2000:], learned.state.threshold) == raised
    assert alarms_of(learned, drawn[2000:], 0.5) > raised


@pytest.mark.parametrize("machine", [CLUSTERED, SWINGING_SPREAD])
def test_machines_whose_spread_changes_are_alarmed_as_rarely_as_promised(machine):
    rng, between, expected, counts = np.random.default_rng(7), 20_000, 0, np.zeros(2, int)
    for _ in range(3):
        drawn = machine.scores(rng, LONG + 5 * between)
        alarm = Alarm.learned(drawn[:LONG], blocks_between_false_alarms=between)
        assert "also where the spread of scores changes" in alarm.state.promise
        expected += 5
        counts += [alarms_of(alarm, drawn[LONG:], nats) for nats in (alarm.state.threshold, alarm.state.clears)]
    assert counts[0] <= expected
    assert counts[1] > 2 * expected, "bets alone would break the promise"


def test_healthy_machines_are_what_they_are_called():
    rng, blocks = np.random.default_rng(8), 200_000

    def alike(values, lag=1):
        return np.corrcoef(values[lag:], values[:-lag])[0, 1]

    assert alike(ALIKE.scores(rng, blocks)) == pytest.approx(0.4, abs=0.02)
    clustered = CLUSTERED.scores(rng, blocks)
    assert alike(clustered) == pytest.approx(0, abs=0.05)
    assert alike(clustered**2) > 0.1
    spread = np.abs(SWINGING_SPREAD.scores(rng, blocks))
    assert alike(spread, 720) > 0.1 > -0.1 > alike(spread, 360)
    assert np.mean(BURSTS.scores(rng, blocks)) == pytest.approx(3.5 * 6 / 500, abs=0.01)
    memory = LONG_MEMORY.scores(rng, blocks)
    assert alike(memory) == pytest.approx(0.35 / 0.65, abs=0.03)
    assert alike(memory, 500) > 0.05
    assert np.var(steps(50)(rng, blocks)) == pytest.approx(1 + 0.25**2, abs=0.02)
    assert all(len(kind.scores(rng, 777)) == 777 for kind in KINDS)


def test_no_rate_is_promised_to_machines_whose_spread_changes_by_a_short_reference():
    promised = {case.promised for case in CASES if case.machine is CLUSTERED and case.reference < LONG}
    assert promised == {None}
    assert len({case.machine.title for case in CASES if case.promised}) >= 12
