"""What is left of files that never arrived."""

import os
import time
from pathlib import Path

from dualres.web.dropped import ABANDONED_S, DROPPED, remove_abandoned, temporary_in
from tests.web.served import Served, folder_of_tones


def test_what_a_killed_page_left_is_removed_and_what_arrives_elsewhere_is_not(tmp_path: Path) -> None:
    folder = folder_of_tones(tmp_path / "tones", 1)
    left, arriving, kept = temporary_in(folder), temporary_in(folder), folder / DROPPED / "x.wav"
    for path in (left, arriving, kept):
        path.write_bytes(b"RIFF")
    long_ago = time.time() - 2 * ABANDONED_S
    for path in (left, kept):
        os.utime(path, (long_ago, long_ago))
    with Served(folder):
        assert sorted((folder / DROPPED).iterdir()) == sorted([arriving, kept])
    remove_abandoned(tmp_path / "nowhere")
