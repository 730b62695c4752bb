"""A folder is listed anew where something has changed, and nowhere else."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dualres.recordings.labels import tree
from dualres.recordings.labels.read import files_below
from dualres.recordings.labels.tree import FolderTree
from dualres.web import index
from dualres.web.index import FolderIndex

LONG_AGO_S = time.time() - 1000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.wav", "sub/b.wav", "sub/deep/c.npy", ".hidden.wav", "notes.md", "labels.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("file,label\na.wav,good\n" if name == "labels.csv" else "")
    rest(tmp_path)
    return tmp_path


def rest(folder: Path) -> None:
    """As if nothing had changed for long."""
    for one in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        os.utime(one, (LONG_AGO_S, LONG_AGO_S))


def counted(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> list[str]:
    """Calls of a function of a module, by their first argument."""
    whole, calls = getattr(module, name), list[str]()

    def watched(*given: object, **named: object) -> object:
        calls.append(str(given[0]))
        return whole(*given, **named)

    monkeypatch.setattr(module, name, watched)
    return calls


def test_a_folder_at_rest_is_not_listed_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed, rows = counted(monkeypatch, tree.os, "scandir"), counted(monkeypatch, index, "text_in")
    page = FolderIndex(folder)
    first = page.entries()
    assert [one.name for one in first] == ["a.wav", "sub/b.wav", "sub/deep/c.npy"]
    assert page.entries() == first
    assert page.entry(first[1].id) == first[1]
    assert (len(listed), len(rows)) == (3, 1)
    (folder / "sub" / "d.wav").touch()
    assert [one.name for one in page.entries()][1:3] == ["sub/b.wav", "sub/d.wav"]
    assert listed[3:] == [str(folder / "sub")]


CHANGES: dict[str, Callable[[Path], object]] = {
    "added": lambda folder: (folder / "sub" / "deep" / "d.wav").touch(),
    "removed": lambda folder: (folder / "a.wav").unlink(),
    "renamed": lambda folder: (folder / "a.wav").rename(folder / "z.wav"),
    "folder renamed": lambda folder: (folder / "sub").rename(folder / "other"),
    "folder removed": lambda folder: [(folder / "sub" / "deep" / "c.npy").unlink(), (folder / "sub" / "deep").rmdir()],
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_seen(folder: Path, change: str) -> None:
    known = FolderTree(folder)
    before = known.files()
    assert before == files_below(folder)
    assert known.files() is before
    CHANGES[change](folder)
    assert known.files() == files_below(folder) != before


def test_a_change_within_what_a_disk_can_tell_apart_is_seen(folder: Path) -> None:
    """The time of change is the same as at the last look, which was just now."""
    now = time.time()
    os.utime(folder, (now, now))
    known = FolderTree(folder)
    known.files()
    (folder / "new.wav").touch()
    os.utime(folder, (now, now))
    assert folder / "new.wav" in known.files()


def test_what_a_link_leads_to_is_looked_at_every_time(folder: Path) -> None:
    target = folder / "target"
    (folder / "sub" / "link.wav").symlink_to(target)
    rest(folder)
    known = FolderTree(folder)
    assert folder / "sub" / "link.wav" not in known.files()
    target.touch()
    rest(folder)
    assert folder / "sub" / "link.wav" in known.files()


def test_a_list_that_was_changed_is_read_again(folder: Path) -> None:
    page, path = FolderIndex(folder), folder / "labels.csv"
    assert page.entries()[0].row.known["label"] == "good"
    status = path.stat()
    path.write_text("file,label\na.wav,worn\n")  # as long as before
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert page.entries()[0].row.known["label"] == "worn"
    path.unlink()
    assert "label" not in page.entries()[0].row.known
