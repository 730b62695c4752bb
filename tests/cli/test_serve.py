"""`dualres serve`: what it prints, and that it ends with everything it started."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dualres import cli
from tests.web.served import folder_of_tones


def started(folder: Path) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "dualres.cli", "serve", str(folder), "--no-browser", "--port", "0"]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout
    link = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", process.stdout.readline())
    assert link
    assert "reachable from this machine only" in process.stdout.readline()
    return process, link[0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_at_once_and_ends_quietly(tmp_path: Path, number: signal.Signals) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background has it ignored
    process, link = started(folder_of_tones(tmp_path / "tones"))
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    assert b"<title>DualRes" in opener.open(link, timeout=30).read()
    os.kill(process.pid, number)
    _, complaints = process.communicate(timeout=30)
    assert "Traceback" not in complaints
    assert complaints.strip() in ("", "Stopped.")


def test_a_folder_that_is_none_and_a_port_that_is_taken_are_said(tmp_path: Path) -> None:
    nowhere = CliRunner().invoke(cli.app, ["serve", str(tmp_path / "nowhere"), "--no-browser"])
    assert "there is no such folder" in str(nowhere.exception)
    process, link = started(folder_of_tones(tmp_path / "tones"))
    port = link.split(":")[2].split("/")[0]
    taken = CliRunner().invoke(cli.app, ["serve", str(tmp_path), "--no-browser", "--port", port])
    process.kill()
    process.communicate()
    assert f"port {port} cannot be used" in str(taken.exception)
