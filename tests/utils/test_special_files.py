import os
import socket
from pathlib import Path

import pytest

from dualres.utils.special_files import unusual


def test_a_file_a_link_to_one_and_what_is_not_there_are_not_unusual(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "circle").symlink_to("circle")
    for name in ("file", "link", "nowhere", "circle", "x" * 300, "\0"):
        assert unusual(tmp_path / name) == ""


def test_pipes_devices_sockets_and_folders_are(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
    for name in ("pipe", "link", "socket", "/dev/zero"):
        assert "not a regular file" in unusual(tmp_path / name)
    assert "is a folder" in unusual(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="a file of the system is needed")
def test_the_system_s_own_files_are(tmp_path):
    (tmp_path / "link").symlink_to("/proc/self/maps")
    assert "the system's" in unusual(tmp_path / "link")
    assert "the system's" in unusual(Path("/proc/kmsg"))
