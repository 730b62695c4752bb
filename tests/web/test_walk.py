import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dualres.errors import RecordingError
from dualres.web.index import FileEntry
from dualres.web.walk import Walk
from dualres.web.workspace import Workspace
from tests.web.served import folder_of_tones


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of_tones(tmp_path / "tones", 3, seconds=0.1)


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.002)


def finished(walk: Walk[str]) -> bool:
    return not walk.progress()["running"]


def test_every_recording_is_looked_at_once_for_each_state_of_it(folder: Path) -> None:
    workspace, seen, told = Workspace(folder), list[str](), list[int]()
    walk = Walk(workspace, lambda entry: seen.append(entry.name) or entry.name, lambda: told.append(1))
    walk.go()
    until(lambda: finished(walk))
    assert sorted(seen) == ["tone0.wav", "tone1.wav", "tone2.wav"]
    assert sorted(str(one.value) for one in walk.found.values()) == sorted(seen)
    assert walk.progress() == {"done": 3, "total": 3, "running": False}
    assert told
    walk.go()
    assert finished(walk)
    assert len(seen) == 3
    (folder / "tone1.wav").write_bytes((folder / "tone0.wav").read_bytes())
    (folder / "tone2.wav").unlink()
    walk.go()
    until(lambda: finished(walk))
    assert seen[3:] == ["tone1.wav"]
    assert len(walk.found) == 2


def test_some_are_looked_at_beside_what_goes_on_and_a_pause_keeps_what_was_found(folder: Path) -> None:
    workspace, seen, free = Workspace(folder), list[str](), threading.Event()

    def look(entry: FileEntry) -> str:
        free.wait(20)
        seen.append(entry.name)
        return ""

    walk = Walk(workspace, look, lambda: None)
    first, second, _ = workspace.entries()
    walk.go([first.id])
    walk.go([second.id, first.id])
    assert (walk.progress()["total"], walk.progress()["running"]) == (2, True)
    free.set()
    until(lambda: finished(walk))
    assert seen == [first.name, second.name]
    free.clear()
    walk.go()
    assert walk.progress() == {"done": 2, "total": 3, "running": True}
    walk.pause()
    free.set()
    until(lambda: finished(walk))
    assert len(walk.found) == 3  # what had begun was finished
    walk.go()
    assert walk.progress() == {"done": 3, "total": 3, "running": False}


def test_a_label_changes_nothing_and_a_condition_does(folder: Path) -> None:
    workspace, seen = Workspace(folder), list[str]()
    walk = Walk(workspace, lambda entry: seen.append(entry.name) or "", lambda: None)
    first = workspace.entries()[0]
    walk.get(first)
    workspace.label(first, {"label": "good"})
    walk.get(workspace.entries()[0])
    assert seen == ["tone0.wav"]
    workspace.label(first, {"speed": "1200rpm"})
    walk.get(workspace.entries()[0])
    assert seen == ["tone0.wav"] * 2


def test_what_has_a_label_comes_first(folder: Path) -> None:
    workspace, seen = Workspace(folder), list[str]()
    for entry in workspace.entries():
        if entry.name == "tone2.wav":
            workspace.label(entry, {"label": "good"})
    walk = Walk(workspace, lambda entry: seen.append(entry.name) or "", lambda: None)
    walk.go()
    until(lambda: finished(walk))
    assert seen[0] == "tone2.wav"


def test_what_cannot_be_read_costs_no_other_and_says_why(folder: Path) -> None:
    def look(entry: FileEntry) -> str:
        if entry.name == "tone1.wav":
            raise RecordingError(f"{entry.row.file}: is broken; give it in Hz (rate=..., --rate)")
        return "fine"

    walk = Walk(Workspace(folder), look, lambda: None)
    walk.go()
    until(lambda: finished(walk))
    assert sorted((one.value or "", one.problem) for one in walk.found.values()) == [
        ("", "is broken; give it in Hz"),
        ("fine", ""),
        ("fine", ""),
    ]


def test_a_walk_that_is_stopped_ends_and_begins_no_more(folder: Path) -> None:
    begun, go_on, seen = threading.Event(), threading.Event(), list[str]()

    def look(entry: FileEntry) -> str:
        begun.set()
        assert go_on.wait(20)
        seen.append(entry.name)
        return ""

    walk = Walk(Workspace(folder), look, lambda: None)
    walk.go()
    walk.go()  # while it is going on: no second one
    assert begun.wait(20)
    walk.stop()
    go_on.set()
    until(lambda: finished(walk))
    assert len(seen) == 1
    walk.go()
    assert finished(walk)
