"""Alarms: raised, cleared, kept, and never more often than promised."""

import json

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.special import expit

from dualres.errors import ConfigError
from dualres.judge.trust.calibration import NAMED, NONE_OF_THESE, Answer
from dualres.judge.verdict import Verdict
from dualres.stream.alarm.alarm import Alarm, fault_score
from dualres.stream.alarm.alarm_rate import rate_of

YEAR = rate_of("1 per year", 5)


def made(seed=1, blocks=300, between=YEAR):
    rng = np.random.default_rng(seed)
    return Alarm.learned(rng.normal(0.1, 0.05, blocks).tolist(), blocks_between_false_alarms=between), rng


def told(alarm, rng, score, count):
    return [alarm.update(one) for one in rng.normal(score, 0.05, count)]


def test_a_fault_is_noticed_within_three_minutes_and_its_end_too():
    alarm, rng = made()
    assert "one false alarm in 6,311,520 healthy blocks" in alarm.state.promise
    assert not any(state.raised for state in told(alarm, rng, 0.1, 300))
    states = told(alarm, rng, 0.4, 36)
    first = next(i for i, state in enumerate(states) if state.raised)
    assert states[first].since == 300 + first
    assert states[first].evidence >= states[first].threshold > states[first - 1].evidence
    assert all(state.raised and state.healthy_again < 1 for state in states[first:])
    after = told(alarm, rng, 0.1, 120)
    assert after[0].raised
    assert not after[-1].raised
    assert after[-1].since is None
    assert not any(state.raised for state in told(alarm, rng, 0.1, 300))


def test_healthy_machines_are_alarmed_at_most_as_often_as_stated():
    between, blocks, alarms = 50, 600, 0
    for seed in range(30):
        alarm, rng = made(seed, 60, between)
        before = alarm.state
        for state in told(alarm, rng, 0.1, blocks):
            alarms += state.raised and not before.raised
            before = state
    assert alarms <= 30 * blocks / between


def remembering(seed):
    """Healthy scores of which neighbours are alike in a way that one block before does not tell."""
    rng = np.random.default_rng(seed)
    return (lfilter([0.3], [1, -0.95], rng.standard_normal(17_280)) + rng.standard_normal(17_280)).tolist(), rng


def test_blocks_with_a_longer_memory_are_one_bet():
    alarm = Alarm.learned(remembering(7)[0], blocks_between_false_alarms=YEAR)
    assert alarm.joined >= 2
    evidence = [alarm.update(9.0).evidence for _ in range(4 * alarm.joined)]
    assert evidence[: 2 * alarm.joined - 1] == [0.0] * (2 * alarm.joined - 1)  # the first bet has nothing before it
    assert len(set(evidence)) == 4
    assert alarm.state.threshold > np.log(YEAR / alarm.joined)  # neighbours are alike, so there is a margin


def test_a_sudden_fault_is_noticed_though_neighbours_are_alike():
    rng = np.random.default_rng(10)
    healthy = lfilter([np.sqrt(0.19)], [1, -0.9], rng.standard_normal(17_280 + 300))
    alarm = Alarm.learned(expit(healthy[:17_280] - 4).tolist(), blocks_between_false_alarms=YEAR)
    assert not any(alarm.update(score).raised for score in expit(healthy[17_280:] - 4))
    faulty = expit(lfilter([np.sqrt(0.19)], [1, -0.9], rng.standard_normal(36)) - 0.4)
    assert "as the highest healthy ones thin out" in alarm.state.promise
    assert "thin out" not in made()[0].state.promise  # a short reference extrapolates nothing of the kind
    states = [alarm.update(score) for score in faulty]
    assert states[0].evidence > 11  # more than the rank among 17,280
    assert not states[0].raised  # one block alone never raises an alarm
    assert states[-1].raised


def test_somebody_has_seen_it():
    alarm, rng = made()
    assert not alarm.acknowledge().acknowledged  # there is nothing to see
    told(alarm, rng, 0.5, 40)
    assert not alarm.state.acknowledged
    assert alarm.acknowledge().acknowledged
    assert told(alarm, rng, 0.5, 5)[-1].acknowledged
    assert not told(alarm, rng, 0.1, 150)[-1].acknowledged
    assert not told(alarm, rng, 0.5, 40)[-1].acknowledged  # the next one is new


def test_a_kept_alarm_goes_on_exactly():
    alarm, rng = made()
    scores = [*rng.normal(0.1, 0.05, 20), *rng.normal(0.4, 0.05, 30), *rng.normal(0.1, 0.05, 100)]
    expected = [alarm.update(score) for score in scores]
    assert len({state.raised for state in expected}) == 2
    kept, _ = made()
    for score, state in zip(scores, expected, strict=True):
        kept = Alarm.parsed(json.loads(json.dumps(kept.as_data())))
        assert kept.update(score) == state
    assert json.loads(json.dumps(state.as_data())) == state.as_data()


def in_harmless_bursts(rng, blocks):
    """Six blocks in a row are high, one in 100 begins so."""
    return rng.standard_normal(blocks) + 4 * np.convolve(rng.random(blocks) < 0.01, np.ones(6))[:blocks]


def test_what_the_reference_shows_again_and_again_is_no_alarm_and_a_fault_still_is():
    rng = np.random.default_rng(12)
    alarm = Alarm.learned(in_harmless_bursts(rng, 4000), blocks_between_false_alarms=5000)
    assert alarm.state.threshold > alarm.state.clears + 5 > np.log1p(5000)
    states = [alarm.update(score) for score in in_harmless_bursts(rng, 2000)]
    assert not any(state.raised for state in states)
    assert sum(state.evidence >= state.clears for state in states) > 50  # fair bets would have been lost
    states = [alarm.update(score) for score in in_harmless_bursts(rng, 40) + 4]
    assert states[-1].raised
    states = [alarm.update(score) for score in rng.standard_normal(100)]
    assert not states[-1].raised, "it is cleared as soon as without bursts"


def test_a_machine_whose_health_goes_as_far_as_wealth_is_counted_gets_no_promise(monkeypatch):
    monkeypatch.setattr("dualres.stream.alarm.alarm.FURTHEST", 20.0)
    healthy = in_harmless_bursts(np.random.default_rng(13), 2000)
    alarm = Alarm.learned(healthy, blocks_between_false_alarms=1e6)
    assert alarm.state.promise is None
    assert "the 2000 healthy blocks look like a fault again and again" in alarm.state.reason
    assert not any(alarm.update(100.0).raised for _ in range(200))


def test_an_alarm_kept_by_a_version_without_its_threshold_is_refused_but_its_progress_goes_on():
    alarm, rng = made()
    told(alarm, rng, 0.4, 5)
    kept = alarm.as_data()
    for name in ("reaches", "healthy", "tried"):
        older = {**kept, "learned": {key: value for key, value in kept["learned"].items() if key != name}}
        with pytest.raises(ConfigError, match=f"there is no '{name}'; learn it anew"):
            Alarm.parsed(older)
    assert made()[0].another(kept["now"]).state == alarm.state


def test_a_bet_in_the_making_is_kept_too():
    healthy, rng = remembering(8)
    alarm = Alarm.learned(healthy, blocks_between_false_alarms=YEAR)
    for score in rng.standard_normal(5 * alarm.joined - 1):
        alarm.update(score)
    other = Alarm.parsed(json.loads(json.dumps(alarm.as_data())))
    assert all(alarm.update(score) == other.update(score) for score in rng.standard_normal(3 * alarm.joined))


def test_an_alarm_without_a_promise_goes_on_with_one():
    """More healthy blocks were recorded meanwhile."""
    draw = np.random.default_rng(4)
    before = Alarm.learned([0.1, 0.2, 0.3], blocks_between_false_alarms=1000)
    for score in draw.uniform(0.05, 0.15, 30):
        before.update(float(score))
    after = Alarm.learned(draw.uniform(0.05, 0.15, 720), blocks_between_false_alarms=1000).another(before.progress)
    for _ in range(20):
        state = after.update(0.9)
    assert state.raised


def test_another_machine_shares_what_was_learned_and_nothing_else():
    alarm, rng = made()
    told(alarm, rng, 0.5, 40)
    other, same = alarm.another(), alarm.another(json.loads(json.dumps(alarm.as_data()["now"])))
    assert not other.state.raised
    assert same.state == alarm.state
    assert same.update(0.1) == alarm.update(0.1)
    with pytest.raises(ConfigError, match="no kept alarm"):
        alarm.another({"blocks": 1, "unknown": 2})
    with pytest.raises(ConfigError, match="1 lifts instead of 4"):
        Alarm.parsed({**alarm.as_data(), "now": {**alarm.progress, "wealth": [0.0]}})


def test_evidence_stays_finite_however_long_a_fault_lasts():
    alarm, _ = made(between=100)
    states = [alarm.update(5.0 + 0.1 * block) for block in range(2000)]
    assert np.isfinite(states[-1].evidence)
    json.dumps(alarm.as_data(), allow_nan=False)


@pytest.mark.parametrize("healthy", [[], [[]], [0.1] * 20, [[0.1, 0.2, 0.1] * 100, [0.3] * 20]])
def test_without_enough_healthy_blocks_nothing_is_promised_and_nothing_raised(healthy):
    alarm = Alarm.learned(healthy, blocks_between_false_alarms=100)
    states = [alarm.update(1.0) for _ in range(200)]
    assert states[-1].promise is None
    assert "no rate of false alarms can be promised" in states[-1].reason
    assert not any(state.raised for state in states)
    assert Alarm.parsed(json.loads(json.dumps(alarm.as_data()))).state == states[-1]


def test_stretches_may_be_lists_or_arrays():
    rng = np.random.default_rng(9)
    one, two = rng.standard_normal(100), rng.standard_normal(100) + 1
    states = [
        Alarm.learned(healthy, blocks_between_false_alarms=100).update(9.0)
        for healthy in ([one, two], [one.tolist(), two.tolist()], np.array([one, two]))
    ]
    assert states[0] == states[1] == states[2]
    assert states[0].promise


@pytest.mark.parametrize(("between", "sure"), [(1, 0.9), (float("nan"), 0.9), (100, 0), (100, 1)])
def test_rates_that_make_no_sense_are_errors(between, sure):
    with pytest.raises(ConfigError, match="are needed"):
        Alarm.learned([0.1] * 100, blocks_between_false_alarms=between, sure=sure)


def test_a_score_that_is_no_number_is_an_error_and_changes_nothing():
    alarm, _ = made()
    before = alarm.as_data()
    with pytest.raises(ConfigError, match="nan is no score"):
        alarm.update(float("nan"))
    assert alarm.as_data() == before
    with pytest.raises(ConfigError, match="inf is no score"):
        Alarm.learned([0.1, float("inf")], blocks_between_false_alarms=100)


@pytest.mark.parametrize("data", [{}, {"learned": {}}, {"learned": {"bets": 5}, "now": {}}, []])
def test_what_is_no_kept_alarm_is_an_error(data):
    with pytest.raises(ConfigError, match="no kept alarm"):
        Alarm.parsed(data)


def in_bursts(rng, blocks, each, correlation=0.9):
    """Scores of a healthy machine and whether each follows the one before: bursts far from each other."""
    noise = rng.standard_normal((blocks // each, each + 100))
    bursts = lfilter([np.sqrt(1 - correlation**2)], [1, -correlation], noise)[:, 100:]
    return [(score, i > 0) for burst in bursts for i, score in enumerate(burst)]


def test_a_block_behind_a_gap_is_compared_with_no_other():
    rng, between, alarms = np.random.default_rng(3), 200, 0
    healthy = [score for score, _ in in_bursts(rng, 17_280, 17_280)]
    learned = Alarm.learned(healthy, blocks_between_false_alarms=between)
    assert learned.least_in_a_row == 2
    alarm, scores = learned.another(), in_bursts(rng, 4000, 2)
    for score, follows in scores:
        if alarm.update(score, follows=follows).raised:
            alarms, alarm = alarms + 1, learned.another()
    assert alarms <= len(scores) / between
    states = [alarm.update(score + 4, follows=follows) for score, follows in in_bursts(rng, 40, 2)]
    assert states[-1].raised, "a fault is noticed all the same"


def test_what_waits_for_the_rest_of_its_bet_is_no_part_of_one_behind_a_gap():
    scores, _ = remembering(7)
    alarm = Alarm.learned(scores, blocks_between_false_alarms=YEAR)
    assert alarm.joined > 1
    alarm.update(1.0)
    assert alarm.progress["waited"] == 1
    alarm.update(2.0, follows=False)
    assert (alarm.progress["waited"], alarm.progress["waiting"]) == (1, 2.0)


def said(kind=None):
    answer = Answer(kind, ("good",), 0.1) if kind else None
    return Verdict("pump", "good", {"good": 0.6, "worn in": 0.1, "inner": 0.3}, 4, answer=answer)


def test_a_score_is_the_probability_of_everything_but_health_and_none_of_these_outranks_every_fault():
    assert fault_score(said(), ["good"]) == pytest.approx(0.4)
    assert fault_score(said(NAMED), {"good", "worn in"}) == pytest.approx(0.3)
    assert fault_score(said(NONE_OF_THESE), ["good"]) == pytest.approx(1.4)


@pytest.mark.parametrize("healthy", [[], ["fine"], ["good", "fine"]])
def test_healthy_classes_are_the_models(healthy):
    with pytest.raises(ConfigError, match="name some of good, worn in, inner"):
        fault_score(said(), healthy)
