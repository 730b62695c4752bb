import json
from dataclasses import replace

import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.explain.check import CheckedMachine, check_file, check_recording, check_rows, healthy_machine
from dualres.recordings.labels.read import LabelRow, read_row, to_judge
from dualres.recordings.recording import Recording
from tests.explain.made_knocks import ORDERS, RATE, knocking, turning

OUTER = CheckedMachine(orders=ORDERS)


def recording(hz=25.0, seed=0, *, knocks=True, speed="25Hz"):
    return Recording.from_array(knocking(hz, seed, knocks=knocks), RATE, id="today", speed=speed)


def test_a_recording_is_checked_at_its_speed():
    found = check_recording(recording(), OUTER)
    assert found.check.answer == "outer race"
    assert found.check.p < 0.05
    said = json.loads(json.dumps(found.as_data()))
    assert (said["file"], said["answer"], said["speed_source"]) == ("today", "outer race", "stated")
    assert "velocity_mm_s" not in said
    assert check_recording(recording(knocks=False), OUTER).check.answer == "nothing found"


def test_a_speed_that_is_not_stated_is_found_or_one_cannot_tell():
    noise, t = np.random.default_rng(0).standard_normal(4 * RATE), np.arange(4 * RATE) / RATE
    rubbing = check_recording(Recording.from_array(noise * (1 + 0.6 * np.cos(2 * np.pi * 25 * t)), RATE), OUTER)
    lost = check_recording(Recording.from_array(noise, RATE), OUTER)
    assert rubbing.speed.source == "estimated"
    assert rubbing.speed.mean_hz == pytest.approx(25, rel=0.02)
    assert lost.check.answer == "cannot tell"
    assert "speed" in lost.check.reason
    assert check_recording(replace(recording(), speedless=True, speed=None), OUTER).check.answer == "cannot tell"


def test_axes_are_pooled_and_the_worst_velocity_counts():
    axes = {name: factor * knocking(25.0, seed) for seed, (name, factor) in enumerate({"x": 1, "y": 4}.items())}
    found = check_recording(Recording.from_axes(axes, RATE, speed="25Hz"), replace(OUTER, unit="m/s2", zones=(1, 2, 3)))
    assert found.axes == ("x", "y")
    assert found.check.answer == "outer race"
    alone = check_recording(Recording.from_array(axes["y"], RATE, speed="25Hz"), CheckedMachine(unit="m/s2"))
    assert found.velocity_mm_s == alone.velocity_mm_s > 0
    assert (found.zone is not None, alone.zone) == (True, None)


def test_columns_say_what_nobody_else_does():
    listed = {"bearing": "6205", "gear": "29/95", "unit": "g", "load": "3"}
    assert CheckedMachine().with_columns(listed) == CheckedMachine("6205", None, "29/95", "g")
    assert CheckedMachine(orders="outer=3").with_columns(listed).bearing is None
    assert CheckedMachine("6203", gear="20/40").with_columns(listed) == CheckedMachine("6203", None, "20/40", "g")
    both = CheckedMachine("6205", "outer=3.1").known.orders
    assert (both.outer, both.inner) == (3.1, None)
    with pytest.raises(ConfigError, match="bearing"):
        _ = CheckedMachine("no such").known


def test_a_folder_is_checked_by_its_columns_and_a_damaged_file_costs_itself_only(tmp_path):
    for name, knocks in (("a", True), ("b", False)):
        np.save(tmp_path / f"{name}.npy", knocking(25.0, 3, knocks=knocks))
    (tmp_path / "c.npy").write_bytes(b"no array")
    rows = [["file", "rate", "speed", "orders"], *([f"{name}.npy", str(RATE), "1500", "outer=3.58"] for name in "abc")]
    (tmp_path / "labels.csv").write_text("\n".join(map(",".join, rows)))
    found = list(check_rows(to_judge([tmp_path]), CheckedMachine(), read_row))
    assert [one.check.answer if one else None for _, one, _ in found] == ["outer race", "nothing found", None]
    assert "c.npy" in found[2][2]


def test_a_file_is_checked_in_one_call(tmp_path):
    np.savetxt(tmp_path / "a.csv", knocking(25.0, 3), header="x", comments="")
    row = LabelRow(tmp_path / "a.csv")
    found = check_file(row.file, OUTER, rate=RATE, speed="1500rpm")
    assert (found.file, found.check.answer) == (str(row.file), "outer race")


def turned(seed, unbalance=0.0, hz=25.0):
    return Recording.from_array(turning(hz, seed, unbalance), RATE, id=f"{seed}", speed=f"{hz}Hz")


def test_a_shaft_is_judged_by_what_has_grown_since_the_machine_was_healthy():
    well = healthy_machine([turned(seed) for seed in range(4)], OUTER)
    found = check_recording(turned(9, unbalance=1.0), OUTER, healthy=well)
    assert (found.check.answer, found.check.findings[0].name) == ("shaft", "unbalance")
    assert found.check.said == "shaft, consistent with unbalance that has grown"
    assert found.check.p < 0.05
    said = json.loads(json.dumps(found.as_data()))["findings"]
    assert said[0]["rises_db"]["once"] == pytest.approx(20 * np.log10(2.6 / 0.6), abs=2)
    assert all("rises_db" not in one for one in said if one["name"] in ("outer race", "inner race"))
    assert check_recording(turned(8), OUTER, healthy=well).check.answer == "nothing found"


def test_a_shaft_that_has_always_been_heard_is_not_blamed_and_without_a_baseline_it_is():
    """One recording does not tell the two apart."""
    well = healthy_machine([turned(seed, unbalance=1.5) for seed in range(4)])
    assert check_recording(turned(9, unbalance=1.5)).check.answer == "shaft"
    assert check_recording(turned(9, unbalance=1.5), healthy=well).check.answer == "nothing found"
    assert check_recording(turned(0, unbalance=1.5), healthy=well).check.answer == "nothing found"


def test_a_bearing_is_named_with_a_baseline_as_without():
    well = healthy_machine([replace(recording(seed=seed, knocks=False), id=f"{seed}") for seed in range(3)], OUTER)
    assert check_recording(recording(seed=9), OUTER, healthy=well).check.answer == "outer race"


def test_too_few_healthy_recordings_are_refused_with_the_reasons():
    short = Recording.from_array(turning(25.0, 1)[:2000], RATE, id="short", speed="25Hz")
    with pytest.raises(
        ConfigError, match=r"2 healthy recordings .* give 3 or more; short: cannot tell: .* revolutions"
    ):
        healthy_machine([turned(0), turned(1), short])
