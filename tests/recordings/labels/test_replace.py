"""Beside programs that know no lock no row is lost, whenever they write and whenever one of ours is killed."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from dualres.errors import OutputError, RecordingError
from dualres.recordings.labels import replace
from dualres.recordings.labels.edit import RowKey, set_cells, take_back
from dualres.recordings.labels.replace import removed, replaced
from dualres.utils import other_writers
from dualres.utils.folder_lock import LOCK

BEFORE, AFTER = b"file,label\na.wav,good\n", b"file,label\na.wav,worn\n"
WAYS = ("at once", "by a third name", "on a disk without second names")


@pytest.fixture(params=WAYS)
def path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A list, on systems that can do more and less."""
    if request.param != WAYS[0]:
        monkeypatch.setattr(other_writers, "_exchanged_at_once", lambda *_: False)
    if request.param == WAYS[2]:

        def refuse(self: Path, target: Path) -> None:
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(Path, "hardlink_to", refuse)
    (tmp_path / "labels.csv").write_bytes(BEFORE)
    return tmp_path / "labels.csv"


def at_the_exchange(monkeypatch: pytest.MonkeyPatch, before: Callable[[], object], after: Callable[[], object]) -> None:
    """Do something just before the lists change places, and something just after, once each."""
    exchange, once = replace.exchange_names, [before]

    def watched(one: Path, other: Path) -> None:
        now = once.pop() if once else None
        if now:
            now()
        exchange(one, other)
        if now:
            after()

    monkeypatch.setattr(replace, "exchange_names", watched)


def nothing() -> None:
    """Happens."""


def left_in(path: Path) -> list[str]:
    return sorted(one.name for one in path.parent.iterdir())


def test_a_list_is_replaced_and_nothing_is_left(path: Path) -> None:
    assert replaced(path, BEFORE, AFTER)
    assert not replaced(path, BEFORE, b"file,label\n")
    assert (path.read_bytes(), left_in(path)) == (AFTER, ["labels.csv"])
    assert not removed(path, BEFORE)
    assert removed(path, AFTER)
    assert replaced(path, None, BEFORE)
    assert not replaced(path, None, AFTER)
    assert (path.read_bytes(), left_in(path)) == (BEFORE, ["labels.csv"])
    path.unlink()
    assert not replaced(path, BEFORE, AFTER), "somebody removed it"
    assert left_in(path) == []


def test_a_row_appended_to_the_old_list_is_taken_in(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program has it open when the lists change places, and writes a moment later."""
    other = path.open("ab")

    def late() -> None:
        other.write(b"b.wav,bad\n")
        other.close()

    monkeypatch.setattr(other_writers, "UNKNOWN_S", 0.5)
    at_the_exchange(monkeypatch, nothing, lambda: threading.Timer(0.05, late).start())
    assert replaced(path, BEFORE, AFTER)
    assert (path.read_bytes(), left_in(path)) == (AFTER + b"b.wav,bad\n", ["labels.csv"])


def test_a_list_written_anew_takes_its_place_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a spreadsheet saves it; a third program has appended to ours by then."""
    theirs = b"file,label\nb.wav,bad\n"

    def append() -> None:
        path.write_bytes(path.read_bytes() + b"c.wav,bad\n")

    at_the_exchange(monkeypatch, lambda: path.write_bytes(theirs), append)
    assert not replaced(path, BEFORE, AFTER)
    assert (path.read_bytes(), left_in(path)) == (theirs + b"c.wav,bad\n", ["labels.csv"])


def test_two_versions_that_cannot_be_joined_are_both_kept_and_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def at(name: bytes) -> Callable[[], object]:
        return lambda: path.write_bytes(b"file,label\n%s.wav,bad\n" % name)

    at_the_exchange(monkeypatch, at(b"one"), at(b"two"))
    with pytest.raises(RecordingError, match="written anew by another program"):
        replaced(path, BEFORE, AFTER)
    kept = next(path.parent.glob(".labels.csv.*"))
    assert {path.read_bytes(), kept.read_bytes()} == {b"file,label\none.wav,bad\n", b"file,label\ntwo.wav,bad\n"}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")
def test_a_list_that_stays_open_elsewhere_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that logs to it for hours would write into nowhere."""
    monkeypatch.setattr(replace, "PATIENCE_S", 0.01)
    path = tmp_path / "labels.csv"
    path.write_bytes(BEFORE)
    with path.open("ab"), pytest.raises(OutputError, match="another program has it open for writing"):
        set_cells(tmp_path, RowKey("a.wav"), {"label": "worn"})
    assert (path.read_bytes(), left_in(path)) == (BEFORE, ["labels.csv"])
    set_cells(tmp_path, RowKey("a.wav"), {"label": "worn"})
    assert path.read_bytes() == AFTER


KILLED = """
import os, signal, sys
from pathlib import Path
from dualres.recordings.labels import replace
from dualres.recordings.labels.edit import RowKey, set_cells
folder, moment = Path(sys.argv[1]), sys.argv[2]
exchange = replace.exchange_names

def killed(one, other):
    with other.open("ab") as file:
        if moment == "after":
            exchange(one, other)
            file.write(b"b.wav,bad\\n")
        if moment == "anew":
            other.write_bytes(b"file,label\\nb.wav,bad\\n")
            exchange(one, other)
    os.kill(os.getpid(), signal.SIGKILL)

replace.exchange_names = killed
set_cells(folder, RowKey("a.wav"), {"label": "worn"})
"""


@pytest.mark.parametrize("moment", ["before", "after", "anew"])
def test_what_came_late_when_a_writer_was_killed_is_brought_in_by_the_next(tmp_path: Path, moment: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes(BEFORE)
    (tmp_path / "..labels.csv.unfinished").write_bytes(b"half a li")
    assert subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), moment], check=False).returncode == -9
    assert LOCK in left_in(path)
    if moment == "before":
        path.rename(tmp_path / f".labels.csv.21-{'0' * 16}-{'1' * 16}.kept~")  # on a disk without second names
    if moment == "anew":
        for _ in range(2):  # until somebody has looked at both
            with pytest.raises(RecordingError, match="take over what you need of it"):
                set_cells(tmp_path, RowKey("c.wav"), {"label": "new"})
        (kept,) = tmp_path.glob(".labels.csv.*")
        assert kept.read_bytes() == b"file,label\nb.wav,bad\n"
        kept.unlink()
    set_cells(tmp_path, RowKey("c.wav"), {"label": "new"})
    first = BEFORE if moment == "before" else AFTER
    late = b"b.wav,bad\n" if moment == "after" else b""
    assert (path.read_bytes(), left_in(path)) == (first + late + b"c.wav,new\n", ["labels.csv"])


def test_the_first_edit_is_taken_back_but_not_from_under_somebody_else(path: Path) -> None:
    path.unlink()
    (path.parent / "a.wav").write_bytes(b"")
    change = set_cells(path.parent, RowKey("a.wav"), {"label": "good"})
    with path.open("a") as file:
        file.write("b.wav,bad\n")
    with pytest.raises(RecordingError, match="somebody else"):
        take_back(path.parent, change)
    assert path.read_text() == "file,label\na.wav,good\nb.wav,bad\n"
    path.write_text(change.after)
    take_back(path.parent, change)
    assert left_in(path) == ["a.wav"]


def test_who_may_not_write_hears_so(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o555)
    with pytest.raises(OutputError, match="cannot be written"):
        set_cells(tmp_path, RowKey("a.wav"), {"label": "good"})
