import errno
import os
from pathlib import Path

import pytest

from dualres.errors import OutputError
from dualres.export.destination import MARKS, check_file, check_folder, place, resolved

FILES = {"a.c": b"a", "kernel/b.h": b"b"}
EARLIER = {"a.c": b"older", "kernel/old/c.h": b"c", "mine": b"mine"}


def tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def earlier(tmp_path):
    for name, content in EARLIER.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


def stop(monkeypatch, name, error):
    """Let the renaming to a file of this name fail, once."""
    rename, failed = Path.rename, []

    def stopped(path, target):
        if Path(target).name == name and not failed:
            failed.append(path)
            raise error
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", stopped)


def test_a_new_folder_appears_with_all_of_it(tmp_path):
    place(FILES, tmp_path / "deep" / "board")
    assert tree(tmp_path / "deep" / "board") == FILES
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["board"]
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "deep" / "board").stat().st_mode & 0o777 == 0o777 & ~umask


def test_an_empty_folder_is_filled_and_stays_the_same_folder(tmp_path):
    before = tmp_path.stat().st_ino
    place(FILES, tmp_path)
    assert tree(tmp_path) == FILES
    assert tmp_path.stat().st_ino == before


def test_an_earlier_export_is_exchanged_and_other_files_stay(earlier):
    place(FILES, earlier, gone=["kernel/old/c.h"])
    assert tree(earlier) == {**FILES, "mine": b"mine"}
    assert sorted(p.name for p in earlier.iterdir()) == ["a.c", "kernel", "mine"]
    assert not (earlier / "kernel" / "old").exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(5, "input/output error")], ids=["Ctrl-C", "disk"])
def test_what_comes_in_between_undoes_it(earlier, monkeypatch, error):
    stop(monkeypatch, "b.h", error)
    with pytest.raises((KeyboardInterrupt, OutputError)):
        place(FILES, earlier, gone=["kernel/old/c.h"])
    assert tree(earlier) == EARLIER


def test_nothing_is_left_in_an_empty_folder_either(tmp_path, monkeypatch):
    stop(monkeypatch, "b.h", KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        place(FILES, tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_may_not_be_written_to_is_refused_beforehand(tmp_path):
    there = tmp_path / "there"
    there.write_text("mine")
    with pytest.raises(OutputError, match="is a file"):
        check_folder(there, FILES, overwrite=True)
    for overwrite in (False, True):
        with pytest.raises(OutputError, match="no earlier export"):
            check_folder(tmp_path, FILES, overwrite)
    for name in MARKS:
        (tmp_path / name).touch()
    with pytest.raises(OutputError, match="--overwrite the export in it"):
        check_folder(tmp_path, FILES, overwrite=False)
    check_folder(tmp_path, FILES, overwrite=True)
    with pytest.raises(OutputError, match="exists"):
        check_file(there, overwrite=False)
    check_file(there, overwrite=True)


def test_every_file_s_place_is_looked_at_beforehand(tmp_path):
    for name in MARKS:
        (tmp_path / name).touch()
    (tmp_path / "kernel").touch()
    with pytest.raises(OutputError, match="kernel is a file"):
        check_folder(tmp_path, FILES, overwrite=True)
    (tmp_path / "a.c").mkdir()
    with pytest.raises(OutputError, match=r"a\.c: is a folder"):
        check_folder(tmp_path, FILES, overwrite=True)


def test_a_loop_of_links_leads_nowhere(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OutputError, match="choose another"):
        place(FILES, resolved(tmp_path / "a"))


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_name_that_no_folder_can_have_is_refused(tmp_path, name):
    with pytest.raises(OutputError, match="another"):
        check_folder(resolved(tmp_path / name), FILES, overwrite=False)


def test_a_full_disk_is_told_with_what_is_needed_and_nothing_is_left(tmp_path, monkeypatch):
    written = Path.write_bytes

    def full(path, content):
        if path.name == "b.h":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return written(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OutputError, match=f"No space left on device.*; 2 bytes are needed in {tmp_path}, and its disk"):
        place(FILES, tmp_path / "board")
    assert list(tmp_path.iterdir()) == []
