"""What the page says before anything is labelled, and of everything at once: checks, the map, curves of classes."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import soundfile
from typer.testing import CliRunner

from dualres import cli
from tests.explain.made_knocks import ORDERS, RATE, knocking
from tests.web.served import Served

FACTS = {"speed": "25Hz", "orders": ORDERS, "bearing": "", "gear": "", "unit": "", "zones": ""}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two that knock, two that do not, and a file that is none."""
    folder = tmp_path_factory.mktemp("before") / "pumps"
    folder.mkdir()
    for seed in range(4):
        samples = 0.05 * knocking(25.0, seed, knocks=seed < 2)
        soundfile.write(folder / f"{'bad' if seed < 2 else 'good'}{seed}.wav", samples, RATE, subtype="FLOAT")
    (folder / "zz.wav").write_bytes(b"no sound")
    return folder


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with Served(folder) as one:
        yield one


def until_done(served: Served, address: str) -> dict[str, Any]:
    end = time.monotonic() + 300
    while (told := served.get(address))["running"]:
        assert time.monotonic() < end
        time.sleep(0.02)
    return dict(told)


def by_name(served: Served) -> dict[str, str]:
    return {one["name"]: one["id"] for one in served.get("/api/folder")["recordings"]}


def test_all_are_checked_and_what_was_found_stands_first(served: Served) -> None:
    assert served.get("/api/checks")["rows"] == []
    assert served.ask("POST", "/api/checks", FACTS)[0] == 200
    told = until_done(served, "/api/checks")
    names = {id: name for name, id in by_name(served).items()}
    rows = [(names[row["id"]][:3], row["answer"]) for row in told["rows"]]
    assert rows == [("bad", "outer race")] * 2 + [("goo", "nothing found")] * 2 + [("zz.", "")]
    assert told["facts"]["orders"] == ORDERS
    assert told["rows"][-1]["reason"]


def test_one_is_checked_as_by_the_command_with_the_curves_of_its_picture(
    served: Served, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    printed = CliRunner().invoke(cli.app, ["check", "bad0.wav", "--speed", "25Hz", "--orders", ORDERS, "--json"])
    found = served.get(f"/api/recordings/{by_name(served)['bad0.wav']}/check?speed=25Hz&orders={ORDERS}")
    curves = found.pop("curves")
    assert {**found, "file": ""} == {**json.loads(printed.stdout), "file": "", "sentence": found["sentence"]}
    assert len(curves["orders"]) == len(curves["envelope"]) == len(curves["signal"]) > 100
    loudest = curves["orders"][max(range(len(curves["orders"])), key=curves["envelope"].__getitem__)]
    assert loudest % 3.58 == pytest.approx(0, abs=0.1) or loudest % 3.58 == pytest.approx(3.58, abs=0.1)
    assert curves["rpm"] == pytest.approx(1500, rel=0.01)


def test_other_facts_are_checked_anew(served: Served) -> None:
    served.ask("POST", "/api/checks", FACTS | {"orders": "", "gear": "29/95"})
    told = until_done(served, "/api/checks")
    assert {row["answer"] for row in told["rows"]} != {"outer race", "nothing found", ""}
    assert told["facts"]["gear"] == "29/95"


def test_a_zone_is_named_only_where_limits_and_unit_are_known(served: Served) -> None:
    one = by_name(served)["bad0.wav"]
    limits, unit = "zones=0.001,0.002,9999", "unit=g"
    assert served.get(f"/api/recordings/{one}/check?speed=25Hz&{limits}&{unit}")["zone"] == "C"
    for known in (limits, unit):
        assert "zone" not in served.get(f"/api/recordings/{one}/check?speed=25Hz&{known}")
    served.ask("POST", "/api/checks", FACTS | {"zones": "0.001,0.002,9999", "unit": "g"})
    assert [row["zone"] for row in until_done(served, "/api/checks")["rows"][:-1]] == ["C"] * 4


@pytest.mark.parametrize(
    "facts", [{"speed": "fast"}, {"bearing": "x"}, {"unit": "furlong"}, {"gear": "1/"}, {"zones": "3,2,1"}]
)
def test_facts_that_are_none_are_refused_everywhere(served: Served, facts: dict[str, str]) -> None:
    one = by_name(served)["bad0.wav"]
    assert served.ask("POST", "/api/checks", facts)[0] == 400
    assert served.ask("PUT", "/api/machine", facts)[0] == 400
    ((name, value),) = facts.items()
    assert served.ask("GET", f"/api/recordings/{one}/check?{name}={value}")[0] == 400


def test_what_is_said_of_the_machine_is_there_for_the_next_page(served: Served, folder: Path) -> None:
    assert served.ask("PUT", "/api/machine", FACTS) == (200, FACTS)
    with Served(folder) as another:
        assert another.get("/api/machine") == FACTS


def test_a_machine_is_said_by_the_page_itself_only(served: Served) -> None:
    body = json.dumps(FACTS).encode()
    for method, path in (("PUT", "/api/machine"), ("POST", "/api/checks")):
        assert served.raw(method, path, {"Cookie": served.cookie}, body)[0].status == 403
        assert served.raw(method, path, {"X-DualRes": "1"}, body)[0].status in (401, 403)
    big = json.dumps(FACTS | {"speed": "1" * 501}).encode()
    assert served.ask("PUT", "/api/machine", big)[0] == 400


def test_the_map_has_a_place_for_all_that_can_be_read(served: Served) -> None:
    served.get("/api/map")
    told = until_done(served, "/api/map")
    names = by_name(served)
    assert set(told["ids"]) == set(names.values()) - {names["zz.wav"]}
    assert len(told["x"]) == len(told["y"]) == len(told["far"]) == 4
    assert (told["by"], told["orders"]) == ("variation", False)
    place = dict(zip(told["ids"], told["x"], strict=True))
    bad, good = (
        [place[names[name]] for name in pair] for pair in (("bad0.wav", "bad1.wav"), ("good2.wav", "good3.wav"))
    )
    assert max(bad) < min(good) or max(good) < min(bad)


def test_classes_have_curves_and_a_recording_its_own(served: Served) -> None:
    names = by_name(served)
    for name, label in (("bad0.wav", "knocking"), ("good2.wav", "quiet")):
        served.ask("PUT", f"/api/recordings/{names[name]}/label", {"cells": {"label": label}})
    served.get("/api/map")
    until_done(served, "/api/map")
    told = served.get("/api/classes")
    assert [(one["label"], one["count"], one["stands_out"]) for one in told["classes"]] == [
        ("knocking", 1, None),
        ("quiet", 1, None),
    ]
    own = served.get(f"/api/recordings/{names['bad0.wav']}/curves?speed=25Hz")
    assert own["db"] == told["classes"][0]["db"]
    heights = dict(zip(own["orders"], own["stands_out"], strict=True))
    assert max(heights[round(order, 3)] for order in (3.55, 3.6)) > 5
    assert served.get(f"/api/recordings/{names['zz.wav']}/curves")["problem"]


def test_the_pages_own_description_has_it_all(served: Served) -> None:
    paths = served.get("/api/openapi.json")["paths"]
    assert {"/api/map", "/api/classes", "/api/machine", "/api/checks"} <= set(paths)
    assert {one["name"] for one in paths["/api/recordings/{id}/check"]["get"]["parameters"]} >= {
        "speed",
        "bearing",
        "unit",
    }
