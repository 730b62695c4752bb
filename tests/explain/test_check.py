import json
from dataclasses import replace

import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.explain.check import CheckedMachine, check_file, check_recording, check_rows
from dualres.recordings.labels.read import LabelRow, read_row, to_judge
from dualres.recordings.recording import Recording
from tests.explain.made_knocks import ORDERS, RATE, knocking

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
