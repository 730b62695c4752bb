"""`dualres watch`, mostly as a process of its own: that is what people start, stop and kill."""

import contextlib
import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dualres.cli.watch import status_line
from dualres.judge.model import save
from dualres.stream.watch.agent import Status
from dualres.stream.watch.paths import spool_in
from dualres.stream.watch.spool import Spool
from tests.cli.runner import run
from tests.stream.conftest import noise, views, views_weights  # noqa: F401 (fixtures)
from tests.stream.watch.agents import RATE, by_number, essence, expected, until
from tests.stream.watch.sources.collected import wav

COMMAND = [sys.executable, "-m", "dualres.cli", "watch"]
HASTY = "from dualres.stream.watch import agent; agent.LAST_DELIVERY_S = 0.1; from dualres.cli import main; main()"


@pytest.fixture
def model(views, tmp_path):  # noqa: F811
    save(views, tmp_path / "model.safetensors")
    return tmp_path / "model.safetensors"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def watched(*arguments, given=b"", status=0, command=COMMAND):
    done = subprocess.run([*command, *map(str, arguments)], input=given, capture_output=True, timeout=120)
    assert done.returncode == status, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


def test_a_pipe_is_judged_to_its_end(model, views, home):  # noqa: F811
    signal_ = noise(2 * RATE)
    told, said = watched(model, "-", "--rate", RATE, "--block", 1, given=signal_.astype("<f4").tobytes())
    assert by_number(told) == expected(views, signal_, block_s=1.0)
    assert {one["stream"] for one in told} == {"stdin"}
    assert said == ""
    assert not home.exists(), "a pipe leaves nothing behind"


def test_a_wav_in_a_pipe_says_what_it_is(model, views):  # noqa: F811
    counts = (1000 * noise(RATE)).astype(np.int16)
    content = wav(counts, RATE, length=0xFFFFFFFF)
    told, _ = watched(model, "-", "--events", "windows", given=content)
    assert by_number(told) == {
        key: one for key, one in expected(views, counts.astype(np.float32)).items() if key[0] == "window"
    }


@pytest.mark.subprocess
def test_the_first_verdict_comes_as_soon_as_there_is_a_window(model):
    """The process has been up before, as behind a microphone, and the stream has not ended."""
    with subprocess.Popen([*COMMAND, model, "-", "--rate", str(RATE)], stdin=-1, stdout=-1, stderr=-1) as process:
        data = noise(RATE).astype("<f4").tobytes()
        process.stdin.write(data[: 4 * 6000])
        process.stdin.flush()
        until(lambda: _open_spools(process.pid), 60)
        process.stdin.write(data[4 * 6000 : 4 * 7000])
        process.stdin.flush()
        first = json.loads(process.stdout.readline())
        process.stdin.close()
        assert process.wait(30) == 0
        process.stderr.read()
    assert (first["kind"], first["number"]) == ("window", 0)


def _open_spools(pid):
    found = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed since it was listed
            found.append(str(entry.readlink()))
    return [link for link in found if link.endswith(".sqlite-wal")]


@pytest.mark.subprocess
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_growing_file_goes_on_after_a_stop(model, views, tmp_path, how):  # noqa: F811
    signal_, file, out = noise(4 * RATE), tmp_path / "a.f32", tmp_path / "out.jsonl"
    file.write_bytes(signal_[: 2 * RATE].astype("<f4").tobytes())
    arguments = [model, file, "--rate", RATE, "--to", out]
    process = subprocess.Popen([*COMMAND, *map(str, arguments)], stderr=subprocess.PIPE)
    try:
        until(lambda: out.exists() and len(out.read_text().splitlines()) >= 3, 60)
        process.send_signal(how)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 0, signal.SIGKILL: -9}[how]
    assert b"Traceback" not in said
    with file.open("ab") as more:
        more.write(signal_[2 * RATE :].astype("<f4").tobytes())
    watched(*arguments, "--no-follow")
    told = [json.loads(line) for line in out.read_text().splitlines()]
    assert by_number(told) == expected(views, signal_)
    assert len({one["id"] for one in told}) == len(by_number(told))
    for one in told:
        assert essence(one) == by_number(told)[one["kind"], one["number"]], "what comes twice is equal"
    assert how == signal.SIGKILL or len(told) == len(by_number(told))


def test_a_folder_is_judged_once(model, views, tmp_path):  # noqa: F811
    folder = tmp_path / "inbox"
    folder.mkdir()
    counts = (1000 * noise(RATE)).astype(np.int16)
    (folder / "a.wav").write_bytes(wav(counts, RATE))
    (folder / "b.wav").write_bytes(b"RIFF")
    told, said = watched(model, folder, "--no-follow", "--condition", "load=3")
    assert by_number(told) == expected(views, counts.astype(np.float32))
    assert {one["condition"]["load"] for one in told} == {"3"}
    assert "b.wav" in said
    again, _ = watched(model, folder, "--no-follow", "--condition", "load=3")
    assert again == []


def test_alarms_come_with_blocks_and_say_what_they_promise(model):
    data = noise(RATE).astype("<f4").tobytes()
    told, said = watched(model, "-", "--rate", RATE, "--block", 0.5, "--false-alarms", "1 per year", given=data)
    assert all(("alarm" in one) == (one["kind"] == "block") for one in told)
    assert "no rate of false alarms can be promised" in said


def without_output(model, given):
    """The exit status of a watcher whose output is closed, and what it says."""
    with subprocess.Popen([*COMMAND, model, "-", "--rate", str(RATE)], stdin=-1, stdout=-1, stderr=-1) as process:
        process.stdout.close()
        with contextlib.suppress(BrokenPipeError):  # it may end before it has read everything
            process.stdin.write(given)
            process.stdin.close()
        return process.wait(60), process.stderr.read()


@pytest.mark.subprocess
def test_a_closed_output_ends_it(model):
    status, said = without_output(model, noise(20 * RATE).astype("<f4").tobytes())
    assert status == 0
    assert b"Traceback" not in said


@pytest.mark.subprocess
def test_a_pipe_leaves_nothing_behind_unless_it_is_worth_something(model, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    given = noise(2 * RATE).astype("<f4").tobytes()
    watched(model, "-", "--to", "x.txt", status=2)
    _, said = watched(model, "-", "--rate", RATE)
    assert "ended before a sample came" in said
    assert without_output(model, given)[1] == b""
    assert list((tmp_path / "temporary").iterdir()) == []
    hasty = [sys.executable, "-c", HASTY, "watch"]
    _, said = watched(model, "-", "--rate", RATE, "--to", "http://127.0.0.1:1/", given=given, status=1, command=hasty)
    (kept,) = (tmp_path / "temporary").iterdir()
    assert f"they are kept in {kept}: give it as --state" in said
    assert len(watched(model, "-", "--rate", RATE, "--state", kept)[0]) == 7


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nowhere.raw"], "no such file"),
        (["-", "-"], "given twice"),
        (["-", "--to", "x.txt"], "a sink is"),
        (["-", "--quota", "5"], "--quota"),
        (["-", "--shard", "3/2"], "--shard"),
        (["-", "--standby", "--group", "g"], "--standby is for one mqtt:// source"),
        (["mqtt://host/plant/+", "--standby"], "--group"),
        (["-", "--condition", "load"], "--condition"),
        (["-", "--healthy", "folder"], "--false-alarms"),
        (["-", "--false-alarms", "often"], "'1 per year'"),
        (["-", "--rate", "fast"], "no number of Hz"),
        (["-", "--rate", "12345.6789"], "simple ratio"),
        (["udp://0.0.0.0:99999", "--rate", "8000"], "a port up to 65535"),
        (["-", "--rate", "8000", "--state", "/dev/null/kept"], "give another folder (--state)"),
    ],
)
def test_mistakes_are_told_in_a_sentence(model, arguments, reason):
    done = run("watch", model, *arguments)
    text = f"{done.exception}" if done.exception else ""
    assert reason in text or reason in done.output
    assert done.exit_code != 0


@pytest.mark.parametrize(
    ("given", "reason"), [(bytes(4000), "give it, as --rate 12800"), (wav(noise(RATE), 1_000_003), "stdin: left out")]
)
def test_a_stream_that_cannot_be_judged_is_a_failure(model, given, reason):
    told, said = watched(model, "-", given=given, status=1)
    assert told == []
    assert reason in said


@pytest.mark.subprocess
def test_the_state_folder_is_used_by_one_process_at_a_time(model, tmp_path, monkeypatch):
    monkeypatch.setattr("dualres.stream.watch.spool.LOCK_S", 0.1)
    (tmp_path / "a.f32").write_bytes(b"")
    with Spool(spool_in(tmp_path / "kept", model, 5.0)):
        done = run("watch", model, tmp_path / "a.f32", "--rate", 8000, "--state", tmp_path / "kept")
    assert "another dualres watch is using it" in str(done.exception)


def test_a_line_tells_what_was_not_judged():
    line = status_line(Status(2, 1000, 50, 3.0, 7, 0, 12_800, 640, "pump good 0.97"))
    assert line.startswith("2 streams · 1,000 windows · 50 blocks · 3 s behind · 7 verdicts wait for a sink")
    assert line.endswith("12,800 samples missing · 640 samples came twice · last: pump good 0.97")
