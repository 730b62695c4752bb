"""Files judged by processes that may be lost, against the same files one by one."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from dualres.config import HELD
from dualres.judge.archive import workers as archive
from dualres.judge.archive.worker import ArchiveTask
from dualres.judge.archive.workers import LOST, Workers
from dualres.judge.files import JudgeSettings, judged_file
from dualres.recordings.formats.sandbox import SHARED
from dualres.recordings.labels.rows_to_judge import RowsToJudge
from tests.judge.archive import crashing
from tests.model.made_views import made_views
from tests.models import model_of

pytestmark = pytest.mark.subprocess
RATE = 12_800


@pytest.fixture(scope="module")
def model():
    found = model_of(made_views(3), ("good", "worn", "broken"))
    return replace(found, card=replace(found.card, resampler=HELD)).without_torch()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Thirty recordings in WAV, FLAC, CSV and NPY, three damaged ones, and two of which processes die."""
    rng = np.random.default_rng(0)
    for number in range(30):
        signal = 0.1 * rng.standard_normal(RATE)
        if number % 5 == 3:
            np.savetxt(
                tmp_path / f"{number:02}.csv", np.c_[np.arange(RATE) / RATE, signal], delimiter=",", header="t,x"
            )
        elif number % 5 == 4:
            np.save(tmp_path / f"{number:02}.npy", signal.astype(np.float32))
        else:
            soundfile.write(tmp_path / f"{number:02}.{'flac' if number % 5 else 'wav'}", signal, RATE)
    (tmp_path / "07.wav").write_bytes(b"RIFF but no more")
    (tmp_path / "11.wav").write_bytes((tmp_path / "00.wav").read_bytes()[:200])
    for name in ("12.crash", "lost1.crash", "lost2.crash"):
        (tmp_path / name).write_bytes(b"x")
    SHARED.close()  # a process that reads since before knows nothing of the plugin
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    monkeypatch.setenv("DUALRES_PLUGINS", "tests.judge.archive.crashing")
    yield tmp_path
    SHARED.close()


def told(task, rows, count=2):
    with Workers(task, count) as workers:
        return [line for some in workers.judged(rows.entries()) for line in some]


def test_they_say_the_same_in_the_same_order_and_a_lost_one_costs_its_file_only(model, folder):
    rows, how, write = RowsToJudge([folder]), JudgeSettings(rate=RATE), crashing.Writer()
    expected = [write(judged_file(model, row, how)) for row in rows]
    assert sum(not one.judged for one in expected) == 5
    assert sum("it crashed the library that reads it" in one.problem for one in expected) == 2
    assert told(ArchiveTask(model, how, write, crashing.prepare), rows) == expected


def test_a_file_that_no_process_survives_is_told(model, folder, monkeypatch):
    for name in ("lost1.crash", "lost2.crash"):
        (folder / name).unlink()
    monkeypatch.setenv("JUDGING", str(os.getpid()))
    rows, how, write = RowsToJudge([folder]), JudgeSettings(rate=RATE), crashing.Writer("05")
    expected = [write(judged_file(model, row, how)) for row in rows]
    lines = told(ArchiveTask(model, how, write, crashing.prepare), rows, 1)
    (lost,) = [line for line in lines if LOST in line.problem]
    assert lost.file == str(folder / "05.wav")
    assert [one for one in lines if one is not lost] == [one for one in expected if one.file != lost.file]


def test_processes_that_do_not_start_are_an_error_and_none_is_left_behind(model, folder, monkeypatch):
    monkeypatch.setattr(archive.sys, "executable", shutil.which("false"))
    with pytest.raises(archive.ConfigError, match="does not start"):
        told(ArchiveTask(model, JudgeSettings(), crashing.Writer(), crashing.prepare), RowsToJudge([folder]))
