import stat

import pytest

from dualres.errors import OutputError
from dualres.machinery.files import write_whole


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
    with pytest.raises(OutputError, match="its folder cannot be made"):
        write_whole(tmp_path / "file" / "below", b"")
