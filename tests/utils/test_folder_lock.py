"""One writer at a time, whatever becomes of the others."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dualres.errors import OutputError
from dualres.utils.folder_lock import LOCK, alone_in

HOLDER = """
import sys, time
from pathlib import Path
from dualres.utils.folder_lock import alone_in
with alone_in(Path(sys.argv[1])):
    print("alone", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path):
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "alone\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_who_is_alone_leaves_nothing(tmp_path: Path) -> None:
    with alone_in(tmp_path) as turn:
        assert not turn.unfinished
    assert list(tmp_path.iterdir()) == []


def test_another_process_waits_and_a_killed_one_blocks_nobody(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    os.kill(holder.pid, signal.SIGSTOP)  # one that hangs
    with pytest.raises(OutputError, match="another process has been writing for 0 s"), alone_in(tmp_path, 0.05):
        pass
    holder.kill()
    holder.wait()
    with alone_in(tmp_path) as turn:
        assert turn.unfinished, "it was killed"
        turn.unfinished = False
    assert list(tmp_path.iterdir()) == []


def test_what_one_leaves_unfinished_the_next_one_finds(tmp_path: Path) -> None:
    with alone_in(tmp_path) as turn:
        turn.unfinished = True
    with alone_in(tmp_path) as turn:
        assert turn.unfinished


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / LOCK).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match="cannot be written"), alone_in(tmp_path):
        pass
    assert not (tmp_path / "elsewhere").exists()
