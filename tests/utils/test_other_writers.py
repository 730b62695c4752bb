"""Who writes to a file is waited for, and two files change places."""

import sys
import threading
from pathlib import Path

import pytest

from dualres.utils import other_writers
from dualres.utils.other_writers import exchange_names, read_at_rest


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")
def test_a_file_is_read_when_nobody_writes_to_it(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"one\n")
    writer = path.open("ab")

    def finish() -> None:
        writer.write(b"two\n")
        writer.close()

    threading.Timer(0.1, finish).start()
    assert read_at_rest(path, 30.0) == b"one\ntwo\n"
    with path.open("rb"):  # a reader hinders nobody
        assert read_at_rest(path, 0.0) == b"one\ntwo\n"
    with path.open("ab"):
        assert read_at_rest(path, 0.0) is None


def test_where_the_system_does_not_tell_a_moment_is_waited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, waited = tmp_path / "a.csv", list[float]()
    path.write_bytes(b"one\n")
    monkeypatch.setattr(other_writers.sys, "platform", "another")
    monkeypatch.setattr(other_writers.time, "sleep", waited.append)
    with path.open("ab"):
        assert read_at_rest(path, 0.0) == b"one\n"
    assert waited == [other_writers.UNKNOWN_S]


@pytest.mark.parametrize("system", ["linux", "another"])
def test_files_change_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    monkeypatch.setattr(other_writers.sys, "platform", system)
    for name in "ab":
        (tmp_path / name).write_text(name)
    exchange_names(tmp_path / "a", tmp_path / "b")
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == {"a": "b", "b": "a"}
    with pytest.raises(FileNotFoundError):
        exchange_names(tmp_path / "a", tmp_path / "c")
    assert {one.name for one in tmp_path.iterdir()} == {"a", "b"}
