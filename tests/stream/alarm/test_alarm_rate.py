"""Rates as users write them."""

import pytest

from dualres.errors import ConfigError
from dualres.stream.alarm.alarm_rate import rate_of


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("1 per year", 365.25 * 86_400 / 5),
        ("2/month", 365.25 / 12 * 86_400 / 10),
        (" 1 Per 100 blocks ", 100),
        ("0.5 per week", 2 * 7 * 86_400 / 5),
        ("3 per 2 days", 2 * 86_400 / 15),
        ("1/hour", 720),
        ("1 per 10 minutes", 120),
    ],
)
def test_a_rate_is_blocks_between_false_alarms(text, blocks):
    assert rate_of(text, 5) == pytest.approx(blocks)
    assert rate_of(text, 5, machines=10) == pytest.approx(10 * blocks)


NO_RATES = "", "often", "per year", "-1 per year", "1 per", "1 per light-year", "nan per year", "1 per block of nothing"


@pytest.mark.parametrize("text", NO_RATES)
def test_what_is_no_rate_is_an_error_that_shows_one(text):
    with pytest.raises(ConfigError, match="'2/month'"):
        rate_of(text, 5)


@pytest.mark.parametrize("text", ["0 per year", "1 per block", "9 per minute"])
def test_a_rate_that_no_alarm_can_keep_is_an_error(text):
    with pytest.raises(ConfigError, match="two blocks"):
        rate_of(text, 5)


@pytest.mark.parametrize(("block_s", "machines"), [(0, 1), (-5, 1), (5, 0)])
def test_blocks_last_and_machines_exist(block_s, machines):
    with pytest.raises(ConfigError, match="at least one machine"):
        rate_of("1 per year", block_s, machines)
