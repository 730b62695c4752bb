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
