"""Machines over time on the page: what the command says, and nothing else."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dualres import cli
from dualres.web.server import Page
from dualres.web.workspace import Workspace
from tests.web.served import Served

FACTS = {"speed": "", "bearing": "", "orders": "", "gear": "", "unit": "g", "zones": "1,2,3"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A machine that grows louder, and a file that is none."""
    folder = tmp_path / "pump"
    folder.mkdir()
    for day in range(1, 29):
        level = 0.02 * 1.15 ** max(day - 14, 0)
        np.save(folder / f"2026-01-{day:02}.npy", level * np.random.default_rng(day).standard_normal(4000))
    (folder / "2026-01-29.npy").write_bytes(b"no signal")
    return folder


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    with Served(folder, rate=4000) as one:
        yield one


def followed(served: Served, **asked: str) -> dict[str, Any]:
    """Of the command that was started, once it has ended."""
    status, command = served.ask("POST", "/api/trend", {**FACTS, **asked})
    assert status == 200, command
    end = time.monotonic() + 60
    while True:
        one = served.get("/api/commands")[command["number"] - 1]
        if one["state"] != "running":
            return dict(one)
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.subprocess
def test_a_trend_is_that_of_the_command(served: Served, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert served.get("/api/trend") == {"facts": {}, "machines": []}
    command = followed(served)
    assert (command["state"], command["result"]) == ("done", 1)
    told = served.get("/api/trend")
    assert told["facts"] == {**FACTS, "healthy": "", "model": ""}
    monkeypatch.chdir(folder)
    arguments = ["trend", ".", "--json", "--rate", "4000", "--unit", "g", "--zones", "1,2,3"]
    printed = json.loads(CliRunner().invoke(cli.app, arguments).stdout)
    (machine,) = told["machines"]
    points, theirs = machine.pop("points"), printed.pop("points")
    assert machine == printed
    assert (machine["answer"], machine["left_out"][0]["file"]) == ("changed", "2026-01-29.npy")
    for point, other in zip(points, theirs, strict=True):
        assert {name: other[name] for name in point if name != "striking"} == point
        assert "bands" not in point
    assert {"file", "time", "rise_db", "distance_db", "velocity_mm_s", "zone", "impulsiveness"} <= points[-1].keys()
    assert followed(served, healthy="3")["state"] == "done"
    assert served.get("/api/trend")["machines"][0]["answer"] == "cannot tell"
    failed = followed(served, healthy="0")
    assert failed["state"] == "failed"
    assert "healthy 0" in failed["messages"][-1]


@pytest.mark.parametrize("facts", [{"speed": "fast"}, {"zones": "1"}, {"model": "gone"}])
def test_what_cannot_be_understood_starts_nothing(folder: Path, facts: dict[str, str]) -> None:
    with Served(folder) as served:
        assert served.ask("POST", "/api/trend", FACTS | facts)[0] == 400
        assert served.get("/api/commands") == []


def test_limits_of_zones_wait_for_the_unit(folder: Path) -> None:
    from dualres.web.machine import options_of

    assert options_of(FACTS) == ["--unit=g", "--zones=1,2,3"]
    assert options_of(FACTS | {"unit": ""}) == []
    assert options_of(FACTS | {"orders": "outer=3.5", "bearing": "6205"})[:1] == ["--orders=outer=3.5"]
    assert Page(Workspace(folder), 1).api.trends.shown()["machines"] == []
