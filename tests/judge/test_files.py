import json
import re
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.io import wavfile
from typer.testing import CliRunner

from dualres import cli
from dualres.config import POLYPHASE, Recipe
from dualres.errors import ConfigError
from dualres.judge import files as archive
from dualres.judge.batch_correction import corrected
from dualres.judge.files import FileVerdict, judge_files, together
from dualres.judge.model import Model, save
from dualres.judge.verdict import Verdict, diagnose_recording
from dualres.model.network import DualRes
from dualres.model_file.card import Card
from dualres.recordings.labels.read import LabelRow
from dualres.recordings.readers import read


@pytest.fixture
def model(small):
    card = Card(("good", "worn"), small, Recipe(), 0, POLYPHASE, {})
    return Model((DualRes(2, small, seed=0).eval(),), card)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Five recordings of one second, one that is broken and one that is not there, relative and absolute."""
    monkeypatch.chdir(tmp_path)
    paths = []
    for i in range(5):
        signal = np.random.default_rng(i).standard_normal(2000)
        wavfile.write(tmp_path / f"{i}.wav", 2000, (8000 * signal).astype(np.int16))
        paths.append(Path(f"{i}.wav") if i % 2 else tmp_path / f"{i}.wav")
    Path("broken.wav").write_bytes(b"RIFF but no more")
    return [*paths[:2], Path("broken.wav"), Path("missing.wav"), *paths[2:]]


def test_every_file_gets_a_verdict_or_a_reason(model, files):
    judged = list(judge_files(model, files, None, None))
    assert [one.path for one in judged] == files
    for one in judged:
        if one.path.stem.isdigit():
            assert one.verdict == diagnose_recording(model, replace(read(one.path), id=str(one.path)))
            assert not one.problem
        else:
            assert one.verdict is None
            assert one.problem.startswith(f"{one.path}: ")


def test_channel_and_rate_are_passed_on(model, files):
    (one,) = judge_files(model, files[:1], "left", None)
    assert "left" in one.problem
    (one,) = judge_files(model, files[:1], None, Fraction(3000))
    assert "rate=3000" in one.problem


def test_a_row_brings_its_own_channel_and_rate(model, files):
    known = {"condition": {"load": "2 hp", "rpm": "900"}}
    rows = [LabelRow(files[0], known, channel="left"), LabelRow(files[0], rate=Fraction(3000))]
    first, second = judge_files(model, rows, "right", Fraction(2000))
    assert "left" in first.problem
    assert (first.channel, first.condition) == ("left", (("load", "2 hp"), ("rpm", "900")))
    assert "right" in second.problem
    (third,) = judge_files(model, rows[1:], None, Fraction(2000))
    assert "rate=3000" in third.problem


def named(good, load=None):
    """A verdict on two windows that gives the class good that probability."""
    verdict = Verdict("x", "good" if good >= 0.5 else "worn", {"good": good, "worn": 1 - good}, 2)
    return FileVerdict(Path("x"), verdict, condition=(("load", load),) if load else ())


def test_files_judged_together_correct_each_other(model):
    alone = [named(p, load) for p in (0.9, 0.8, 0.52, 0.3) * 20 for load in ("low", None)]
    broken = FileVerdict(Path("y"), None, "no signal")
    batch = together(model, [broken, *alone])
    assert batch.judged[0] is broken
    assert [one.alone for one in batch.judged[1:]] == [one.verdict for one in alone]
    rows = [[p, 1 - p] for p in (one.verdict.probabilities["good"] for one in alone)]
    expected = corrected(rows, [one.condition or None for one in alone])
    assert [list(one.verdict.probabilities.values()) for one in batch.judged[1:]] == expected.tolist()
    for one, row in zip(batch.judged[1:], expected, strict=True):
        assert one.verdict.label == model.classes[row.argmax()]
    config = model.card.config
    assert (batch.verdicts, batch.conditions) == (160, 1)
    assert batch.unlabelled_s == pytest.approx(160 * 1.5 * config.window / config.rate)
    assert batch.changed == sum(one.verdict.label != one.alone.label for one in batch.judged[1:]) > 0


def test_a_file_alone_is_judged_together_as_it_is_alone(model):
    (one,) = together(model, [named(0.123456789)]).judged
    assert one.verdict == one.alone == named(0.123456789).verdict


def run(*arguments):
    return CliRunner(env={"COLUMNS": "200"}).invoke(cli.app, [str(a) for a in arguments])


@pytest.mark.subprocess
def test_a_cluster_says_the_same_in_the_same_order(model, files):
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'dualres[cluster]'")
    save(model, "m.safetensors")
    here = run("diagnose", "m.safetensors", *files, "--json")
    there = run("diagnose", "m.safetensors", *files, "--json", "--executor", "ray")
    assert len(here.stdout.splitlines()) == len(files)
    assert "error" in json.loads(here.stdout.splitlines()[2])
    assert (there.stdout, there.exit_code) == (here.stdout, here.exit_code)
    # A cluster may take long enough to tell how far it is.
    assert [line for line in there.stderr.splitlines() if not line.startswith("Judge: ")] == here.stderr.splitlines()
    assert here.exit_code == 1


def test_a_file_that_another_machine_does_not_have_is_told_so(model, files):
    shared = (model, archive.JudgeSettings(), Path.cwd())
    (one,) = archive._judged_there(shared, [LabelRow(Path("missing.wav"))], [True])
    assert re.match(r"missing.wav: is not on .*same path on every machine", one.problem)


def test_a_cluster_names_what_it_lacks(model, files, monkeypatch):
    save(model, "m.safetensors")
    result = run("diagnose", "m.safetensors", files[0], "--address", "auto")
    assert isinstance(result.exception, ConfigError)
    monkeypatch.setitem(sys.modules, "ray", None)
    result = run("diagnose", "m.safetensors", files[0], "--executor", "ray")
    assert "pip install 'dualres[cluster]'" in str(result.exception)
