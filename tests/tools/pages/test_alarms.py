"""Tables of alarms, from what scripts stored."""

import json

import pytest

from tools.pages.alarms import Alarms

RUN = {"machine": "AMD", "cores": 16, "date": "2026-01-02", "command": "python stress/alarm_healthy.py --workers 16"}


def kind(**changes):
    return {
        "healthy": "bursts",
        "reference": 17_280,
        "between": 20_000,
        "promised": 20_000,
        "machines": 60,
        "no_promise": 2,
        "blocks": 2_400_000,
        "expected": 120.0,
        "false_alarms": 31,
        "by_bets": 1500,
        "broken": False,
        "run": RUN,
    } | changes


@pytest.fixture
def alarms(tmp_path):
    (tmp_path / "measured").mkdir()
    healthy = [kind(), kind(false_alarms=400, broken=True), kind(promised=None, reference=720)]
    (tmp_path / "measured/alarm_healthy.json").write_text(json.dumps({"healthy": healthy}))
    delays = [
        {"delay_s": delay, "late_s": 2 * delay, "by_bets_s": 20.0, "by_bets_late_s": 40.0} for delay in (20.0, 25.0)
    ]
    (tmp_path / "measured/alarms.json").write_text(json.dumps({"delay": delays}))
    return Alarms(tmp_path)


def test_every_kind_of_machine_has_a_row_that_says_whether_its_promise_is_kept(alarms):
    *_, kept, broken, none = alarms.alarm_kinds().splitlines()
    assert kept == "| bursts | 17,280 | 20,000 | 20,000 | 58 | 2,400,000 | 120 | 31 | 1,500 | is kept |"
    assert broken.endswith("| 400 | 1,500 | is broken |")
    assert none == "| bursts | 720 | 20,000 | - | 58 | 2,400,000 | - | 31 | 1,500 | is not made |"


def test_reliability_counts_promised_kinds_and_broken_promises(alarms):
    *_, row = alarms.alarm_tries().splitlines()
    start = "| healthy machines of a kind, promised a rate of false alarms | 2 | 1 | 4,800,000 | 240 | 431 |"
    assert row == f"{start} AMD, 16 cores | 2026-01-02 | `{RUN['command']}` |"


def test_growth_of_delays_is_told(alarms):
    told = alarms.alarm_slower()
    assert told.startswith("1 of 2 medians are the same, others grow by 25 % at most")
    assert told.endswith("slowest tenth by 25 %")


def test_exported_alarms_have_a_row_for_each_device_and_a_cost_for_each_reference(alarms, tmp_path):
    device = {"device": "a toaster", "streams": 1000, "blocks": 880_000, "raised": 3000, "cleared": 2000}
    found = {"toaster": {**device, "differing": [{}], "evidence_off": 4.6e-10, "nearest": 2.7e-4}}
    (tmp_path / "measured/exported_alarms.json").write_text(json.dumps(found))
    costs = [{"reference": "a day", "blocks": [17_280], "healthy": 1688, "flash": 4696, "ram": 112}]
    (tmp_path / "measured/alarm_costs.json").write_text(json.dumps({"costs": costs}))
    *_, row = alarms.exported_alarms().splitlines()
    assert row == "| a toaster | 1,000 | 880,000 | 3,000 | 2,000 | 1 | 5e-10 | 3e-04 |"
    *_, row = alarms.alarm_costs().splitlines()
    assert row == "| a day | 1,688 | 4,696 | 112 |"
