import os
from pathlib import Path

import pytest

from dualres.errors import OutputError
from dualres.export.place import check_file, check_folder, place

FILES = {"a.c": b"a", "kernel/b.h": b"b"}


def tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_new_folder_appears_with_all_of_it(tmp_path):
    place(FILES, tmp_path / "deep" / "board")
    assert tree(tmp_path / "deep" / "board") == FILES
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["board"]
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "deep" / "board").stat().st_mode & 0o777 == 0o777 & ~umask


def test_an_empty_folder_is_filled(tmp_path):
    place(FILES, tmp_path)
    assert tree(tmp_path) == FILES


def test_other_files_stay(tmp_path):
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / "a.c").write_bytes(b"older")
    place(FILES, tmp_path)
    assert tree(tmp_path) == {**FILES, "mine": b"mine"}


def test_after_a_failure_nothing_is_left(tmp_path, monkeypatch):
    written = Path.write_bytes

    def full(path, content):
        if path.name == "b.h":
            raise OSError(28, "no space left")
        return written(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OutputError, match="no space left"):
        place(FILES, tmp_path / "board")
    assert not list(tmp_path.iterdir())


def test_what_may_not_be_written_to_is_refused_beforehand(tmp_path):
    there = tmp_path / "there"
    there.write_text("mine")
    with pytest.raises(OutputError, match="is a file"):
        check_folder(there, overwrite=True)
    with pytest.raises(OutputError, match="not empty"):
        check_folder(tmp_path, overwrite=False)
    check_folder(tmp_path, overwrite=True)
    with pytest.raises(OutputError, match="exists"):
        check_file(there, overwrite=False)
    check_file(there, overwrite=True)
