import errno
import os
import resource
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from dualres.errors import OutputError
from dualres.utils.files import write_whole


@contextmanager
def largest_file(size):
    """Let the system refuse to write files beyond so many bytes, as it does when a disk is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(Path, "home", lambda: folder)
    return folder


def fail_first(monkeypatch, error):
    fsync, failed = os.fsync, []

    def failing(descriptor):
        if not failed:
            failed.append(descriptor)
            raise error
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", failing)


def test_it_writes_and_makes_folders(tmp_path):
    target = tmp_path / "a" / "b" / "file"
    write_whole(target, b"content")
    assert target.read_bytes() == b"content"
    assert stat.S_IMODE(target.stat().st_mode) & stat.S_IRUSR


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path):
    target = tmp_path / "file"
    write_whole(target, b"old")
    with pytest.raises(TypeError):
        write_whole(target, "not bytes")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_what_cannot_be_written_is_an_error_of_ours(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match="is a folder"):
        write_whole(tmp_path, b"")
    with pytest.raises(OutputError, match=r"its folder cannot be made"):
        write_whole(tmp_path / "file" / "below", b"")


def test_a_full_disk_leaves_the_old_file_and_the_error_says_what_is_needed_and_where(tmp_path):
    target = tmp_path / "file"
    write_whole(target, b"old")
    words = rf"file: cannot be written \(.+\); 100,000 bytes are needed in {tmp_path}, and its disk has [\d,]+ free"
    with largest_file(4096), pytest.raises(OutputError, match=words):
        write_whole(target, bytes(100_000))
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS])
def test_what_took_long_to_make_is_kept_elsewhere(tmp_path, elsewhere, monkeypatch, number):
    fail_first(monkeypatch, OSError(number, os.strerror(number)))
    with pytest.raises(OutputError, match=rf"{os.strerror(number)}.* It was kept: {elsewhere}/dualres-kept-\w+/file$"):
        write_whole(tmp_path / "here" / "file", b"precious", precious=True)
    (kept,) = elsewhere.rglob("file")
    assert kept.read_bytes() == b"precious"
    assert list((tmp_path / "here").iterdir()) == []


def test_a_folder_that_went_away_in_the_meantime_loses_nothing_either(tmp_path, elsewhere):
    (tmp_path / "here").write_text("a file now")
    with pytest.raises(OutputError, match=r"its folder cannot be made.* It was kept:"):
        write_whole(tmp_path / "here" / "file", b"precious", precious=True)
    assert [path.read_bytes() for path in elsewhere.rglob("file")] == [b"precious"]


def test_where_nothing_can_be_written_at_all_that_is_said(tmp_path, elsewhere):
    with largest_file(4096), pytest.raises(OutputError, match=f"could not be kept in {elsewhere} either, and is lost"):
        write_whole(tmp_path / "file", bytes(100_000), precious=True)
    assert not (tmp_path / "file").exists()
    assert not [path for path in elsewhere.rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_name_that_no_file_can_have_is_an_error_of_ours(tmp_path, name):
    with pytest.raises(OutputError, match="cannot be the name of a file"):
        write_whole(tmp_path / name, b"")
    assert list(tmp_path.iterdir()) == []


def test_the_mask_of_other_threads_is_left_alone(tmp_path, monkeypatch):
    """It belongs to the process: asked for by two threads at once it stayed 0, and all later files were everybody's."""
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the mask was set"))
    write_whole(tmp_path / "a", b"a")
