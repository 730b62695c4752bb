"""Archives of recordings: results in files, gone on with after whatever ended them."""

import csv
import json
import os
import signal
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from dualres.cli.diagnose_archive import MANY
from dualres.recordings.child_start import SOUND
from dualres.recordings.formats.registry import FORMATS
from tests.cli.runner import run

LINKS = MANY + 40


def objects(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_results_say_what_is_printed(views, machines, tmp_path):
    printed = [json.loads(line) for line in run("diagnose", views[1], machines, "--json").stdout.splitlines()]
    for suffix in ("jsonl", "csv", "parquet"):
        result = run("diagnose", views[1], machines, "-o", tmp_path / f"all.{suffix}")
        assert (result.exit_code, result.stdout) == (1, ""), "one cannot be judged"
    written = objects(tmp_path / "all.jsonl")
    (run_of,) = {row.pop("run") for row in written}
    assert written == printed
    with (tmp_path / "all.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["verdict"] for row in table] == [row.get("verdict", "") for row in printed]
    assert {row["run"] for row in table} == {run_of}
    rows = pq.read_table(tmp_path / "all.parquet").to_pylist()
    for name in ("file", "verdict", "probability", "windows", "answer", "set", "error"):
        assert [row[name] for row in rows] == [row.get(name) for row in printed]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_what_was_begun_is_gone_on_with(views, machines, tmp_path, suffix):
    begun, whole = tmp_path / f"begun.{suffix}", tmp_path / f"whole.{suffix}"
    run("diagnose", views[1], machines, "-o", whole)
    first = sorted(machines.glob("*.wav"))[:3]
    run("diagnose", views[1], *first, "-o", begun)
    begun.write_bytes(begun.read_bytes()[:-9])
    refused = run("diagnose", views[1], machines, "-o", begun)
    assert "go on with it by --resume" in str(refused.exception)
    resumed = run("diagnose", views[1], machines, "-o", begun, "--resume")
    assert resumed.exit_code == 1, "the one that cannot be judged counts, whenever it was met"
    assert "its last line was torn" in resumed.output
    assert "2 files stand in it, 5 are left" in resumed.output.replace("\n", "")
    assert sorted(begun.read_text().splitlines()) == sorted(whole.read_text().splitlines())
    size = begun.stat().st_size
    assert "0 are left" in run("diagnose", views[1], machines, "-o", begun, "--resume").output.replace("\n", "")
    assert begun.stat().st_size == size
    other = run("diagnose", views[1], machines, "-o", begun, "--resume", "--error", "0.2")
    assert "another model or other options" in str(other.exception)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--resume"], "name it by -o"),
        (["-o", "x.csv", "--json"], "leave out --json"),
        (["-o", "x.csv", "--together"], "leave out"),
        (["-o", "x.txt"], "ends in .csv"),
    ],
)
def test_options_that_do_not_go_together(views, machines, tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    assert said in str(run("diagnose", views[1], machines, *options).exception)
    assert list(tmp_path.iterdir()) == []


def test_formats_that_are_begun_early_are_those_of_the_reader():
    assert all(suffix in FORMATS[name].suffixes and FORMATS[name].library for suffix, name in SOUND.items())


@pytest.fixture
def archive(machines, tmp_path):
    """Many names of a few files, one of which is damaged."""
    folder, files = tmp_path / "archive", sorted(machines.glob("*.wav"))
    folder.mkdir()
    for number in range(LINKS):
        os.link(files[number % len(files)], folder / f"{number:04}.wav")
    return folder


@pytest.mark.subprocess
def test_several_processes_print_what_one_prints(views, archive, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    many = run("diagnose", views[1], archive, "--json").stdout.splitlines()
    alone = [
        line for file in sorted(archive.iterdir())[:7] for line in [run("diagnose", views[1], file, "--json").stdout]
    ]
    assert len(many) == LINKS
    assert many[:7] == [line.strip() for line in alone]


@pytest.mark.subprocess
def test_no_line_is_lost_or_doubled_by_a_kill(views, archive, tmp_path):
    """The process ends without a word, wherever it is; its workers end with it."""
    results, expected = tmp_path / "all.jsonl", tmp_path / "expected.jsonl"
    command = [sys.executable, "-m", "dualres.cli", "diagnose", str(views[1]), str(archive), "-o", str(results)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (results.exists() and results.stat().st_size):
            pass
        process.send_signal(signal.SIGKILL)
    before = results.read_bytes()
    assert 0 < before.count(b"\n") < LINKS
    results.write_bytes(before[:-20])
    again = subprocess.run([*command, "--resume"], check=False, capture_output=True, text=True)
    assert again.returncode == 1, again.stderr
    done_at_once = run("diagnose", views[1], archive, "-o", expected)
    assert done_at_once.exit_code == 1
    assert results.read_bytes() == expected.read_bytes()
