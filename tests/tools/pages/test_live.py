"""The table of what live streams carry, from what the scripts in speed/ store."""

import json

import pytest

from tools.pages.live import Live

HERE = {"machine": "AMD", "cores": 2, "load": 0.5, "date": "2026-01-02"}
LIVE = {
    "streams": 200,
    "realtime": {"late_ms": {"p99": 242.4}, "within_half_a_second": 1.0, "peak_mb": 184.2},
    "capacity": {"streams": 650},
}
DAY = {
    "simulated_s": 86_400,
    "windows": {"steady": 300_000, "files": 288},
    "runs": 1609,
    "grew": {"memory_mb": 0.41, "spool_mb": 0.01, "wal_mb": 0.05},
    "at_rest": {"memory_mb": [130.0, 130.25]},
}
USED = {
    "memory_mb": {"first_half": 201.2, "second_half": 201.4},
    "spool_mb": {"before": 3.0, "after": 538.2},
    "wal_mb": 8.1,
}
OVERLOAD = {
    "times": 3.0,
    "minutes": 10.0,
    "quota_mb": 512,
    "waits": {**USED, "windows_lacking": 0, "recovered_after_s": 47, "measured": HERE},
    "udp": {**USED, "missing_told": 500, "sent": 1000, "untold": 3, "recovered_after_s": None, "measured": HERE},
}


@pytest.fixture
def live(tmp_path):
    (tmp_path / "measured").mkdir()
    for name, found in {"live": LIVE, "live_day": DAY, "live_overload": OVERLOAD}.items():
        (tmp_path / "measured" / f"{name}.json").write_text(json.dumps({**HERE, **found}))
    return Live(tmp_path)


def test_every_measurement_has_a_row_with_its_aim(live):
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in live.live_table().splitlines()]
    found = {row[0]: row[1:] for row in rows[2:]}
    assert rows[0] == ["", "aim", "measured"]
    assert found["200 streams at 12.8 kHz: verdicts within 0.5 s of a window's last sample"] == [
        "99 %",
        "100.0 %; 99 % within 242 ms",
    ]
    day = "24 hours of 300,288 windows in 1,609 runs of streams: memory grows by, at rest"
    assert found[day] == ["under 1 MB", "0.2 MB"]
    assert found["memory grows by, at work"] == ["", "0.4 MB"]
    assert found["windows of acknowledged samples that lack a verdict"] == ["none", "0"]
    assert found["samples lost (50 %) and not told as missing"] == ["none", "3"]
    assert found["the spool's file, of 512 MiB allowed, and its log"] == ["", "538 MB and 8 MB"]
    on_time = [row[2] for row in rows if row[0] == "verdicts are on time again after"]
    assert on_time == ["47 s", "not while it was watched"]
    assert all(len(row) == 3 for row in rows)


def test_machines_are_named_once(live):
    text = " ".join(live.live_machines().split())
    assert text.count("AMD, 2 cores, 2026-01-02") == 1
    assert "0.5 by `speed/live_day.py`" in text
