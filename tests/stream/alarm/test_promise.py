"""A promise says for whom it holds and for whom not."""

from dualres.stream.alarm.promise import LONG, OTHERS, PLAIN, RARER, between_for_all, promise_of


def test_a_short_reference_promises_plain_machines_alone():
    said = promise_of(20_000, 0.9, LONG - 1, LONG - 2, extrapolates=False)
    assert said.startswith("at most one false alarm in 20,000 healthy blocks on average, 90% sure, " + PLAIN)
    assert f"no promise {OTHERS} (that takes 17,280 healthy blocks)" in said
    assert between_for_all(20_000, LONG - 1) is None


def test_a_long_one_promises_all_kinds_of_machines_what_it_can_show():
    said = promise_of(20_000, 0.9, LONG, LONG - 1, extrapolates=False)
    assert f"sure, also {OTHERS}; no promise for steps, changes of the spread or bursts that come less than" in said
    assert between_for_all(20_000, LONG) == 20_000


def test_a_rarer_alarm_is_promised_to_plain_machines_and_the_others_are_told_their_rate():
    said = promise_of(6_311_520, 0.9, LONG, LONG - 1, extrapolates=True)
    assert "one false alarm in 6,311,520 healthy blocks on average" in said
    assert f"thin out, {PLAIN}; at most one false alarm in 34,560 {OTHERS}; no promise" in said
    assert between_for_all(6_311_520, LONG) == RARER * LONG


def test_where_many_blocks_are_one_bet_a_day_may_be_too_short():
    said = promise_of(20_000, 0.9, LONG, 90, extrapolates=False)
    assert f"no promise {OTHERS} (that takes 400 bets, and these blocks make 90)" in said
    assert between_for_all(20_000, LONG, 90) is None
