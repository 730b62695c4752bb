"""Streams as the page shows them: what the last lines of files say, whatever else is in them."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dualres.errors import RecordingError
from dualres.web import live as watching
from dualres.web.live import LiveStreams
from tests.web.served import Served, folder_of_tones


def record(number: int, stream: str = "p3", **more: Any) -> dict[str, Any]:
    time = f"2026-11-16T12:00:{number % 60:02}+00:00"
    return {"stream": stream, "kind": "block", "number": number, "run": "r1", "time": time, "label": "good",
            "probability": 0.9, **more}  # fmt: skip


def alarm(raised: bool, since: int | None) -> dict[str, Any]:
    return {"raised": raised, "since": since, "evidence": 20.0, "threshold": 15.7, "promise": "at most one"}


def written(folder: Path, *records: dict[str, Any], name: str = "gateway.jsonl") -> Path:
    (folder / "streams").mkdir(exist_ok=True)
    path = folder / "streams" / name
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


def test_the_latest_block_of_every_stream_is_shown(tmp_path: Path) -> None:
    window = {**record(9), "kind": "window", "label": "bad"}
    written(tmp_path, record(0), record(1, label="worn"), window, record(0, "p4"))
    first, second = LiveStreams(tmp_path).streams()
    assert (first["name"], first["latest"]["label"], len(first["points"])) == ("gateway/p3", "worn", 2)
    assert second["name"] == "gateway/p4"
    assert first["alarm"] is None


def test_nothing_there_is_no_error(tmp_path: Path) -> None:
    assert LiveStreams(tmp_path).streams() == []
    assert LiveStreams(tmp_path).changed_ns() == 0


def test_an_alarm_comes_first_and_is_acknowledged_once(tmp_path: Path) -> None:
    path = written(tmp_path, record(0, "a"), record(5, "b", alarm=alarm(True, 4)))
    page = LiveStreams(tmp_path)
    assert [one["name"] for one in page.streams()] == ["gateway/b", "gateway/a"]
    page.acknowledge("gateway/b")
    assert LiveStreams(tmp_path).streams()[0]["alarm"]["acknowledged"] is True
    with path.open("a") as file:
        file.write(json.dumps(record(90, "b", alarm=alarm(True, 88))) + "\n")
    assert page.streams()[0]["alarm"]["acknowledged"] is False  # another alarm
    with pytest.raises(RecordingError, match="no alarm"):
        page.acknowledge("gateway/a")


def test_lines_that_are_none_are_passed_over(tmp_path: Path) -> None:
    path = written(tmp_path, record(0), {"stream": 3}, {"label": "x"}, record(1))
    with path.open("a") as file:
        file.write('[]\nnull\n{"stream": "p3", "label"')
    (one,) = LiveStreams(tmp_path).streams()
    assert len(one["points"]) == 2


def test_of_a_long_file_only_the_end_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "TAIL", 2000)
    written(tmp_path, *(record(number) for number in range(500)))
    (one,) = LiveStreams(tmp_path).streams()
    assert 0 < len(one["points"]) < 20
    assert one["latest"]["time"] == record(499)["time"]


def test_files_that_cannot_be_read_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, record(0))
    (tmp_path / "streams" / "dangling.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "streams" / "loop.jsonl").symlink_to("loop.jsonl")
    live = LiveStreams(tmp_path)
    assert live.changed_ns() > 0
    assert [one["name"] for one in live.streams()] == ["gateway/p3"]
    gone, files = written(tmp_path, record(0), name="gone.jsonl"), live._files()
    gone.unlink()
    monkeypatch.setattr(LiveStreams, "_files", lambda self: files)
    assert live.changed_ns() > 0
    assert [one["name"] for one in live.streams()] == ["gateway/p3"], "what was taken away between two looks"


def test_numbers_that_json_has_not_and_values_that_nest_cost_no_page(tmp_path: Path) -> None:
    folder = folder_of_tones(tmp_path / "tones", 1)
    path = written(folder, record(0), record(1, probability=float("nan")))
    deep = "[" * 90 + "]" * 90
    with path.open("a") as file:
        file.write('{"stream": "p3", "label": "worn", "probability": 1e999, "time": {"a": 1}, "set": ' + deep + "}\n")
        file.write('{"stream": "p4", "label": "worn", "alarm": {"raised": true, "evidence": -Infinity, "x": ')
        file.write(deep + "}}\n")
    with Served(folder) as served:
        alarmed, first = served.get("/api/streams")
    assert (alarmed["name"], alarmed["alarm"]["raised"], alarmed["points"][0]["evidence"]) == ("gateway/p4", True, None)
    assert [one["probability"] for one in first["points"]] == [0.9, None]
    assert (first["latest"]["label"], first["latest"]["set"]) == ("good", None)


def test_a_link_that_leads_nowhere_is_passed_over(tmp_path: Path) -> None:
    """It ended the thread that tells pages of news."""
    path = written(tmp_path, record(0))
    (path.parent / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (path.parent / "folder.jsonl").mkdir()
    page = LiveStreams(tmp_path)
    assert page.changed_ns() == path.stat().st_mtime_ns
    assert [one["name"] for one in page.streams()] == ["gateway/p3"]


def test_a_file_that_goes_while_it_is_looked_at_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, record(0))
    monkeypatch.setattr(LiveStreams, "_files", lambda self: [path, path.with_name("gone.jsonl")])
    page = LiveStreams(tmp_path)
    assert page.changed_ns() == path.stat().st_mtime_ns
    assert [one["name"] for one in page.streams()] == ["gateway/p3"]


def test_alarms_that_are_acknowledged_on_two_pages_at_once_are_both_seen(tmp_path: Path) -> None:
    names = [f"s{number}" for number in range(12)]
    written(tmp_path, *(record(0, name, alarm=alarm(True, 0)) for name in names))
    pages = [LiveStreams(tmp_path), LiveStreams(tmp_path)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda at: pages[at % 2].acknowledge(f"gateway/{names[at]}"), range(len(names))))
    assert all(one["alarm"]["acknowledged"] for one in pages[0].streams())
