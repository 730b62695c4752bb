"""One job from its plan to its outcome, on the rig; and on real rigs where these are at hand."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dualres import cli
from dualres.bench.campaign import dataset_signals as sources
from dualres.bench.campaign.dataset_signals import DatasetSignals, present_datasets
from dualres.bench.campaign.job import Job
from dualres.bench.campaign.run_job import DECIMALS, fit_method, gather_inputs, run_job
from dualres.bench.datasets import catalog
from dualres.bench.datasets.folds import load_fold
from dualres.bench.datasets.prepare import prepare
from dualres.bench.methods.model_file import load
from dualres.config import POLYPHASE, Recipe
from dualres.errors import ConfigError
from dualres.judge.verdict import diagnose_recording
from dualres.kernel import compiled
from dualres.learn.fold import Budget
from dualres.simulated import machines
from dualres.simulated import rig as simulated
from dualres.utils.versions import source_hash

JOB = Job("simulated", "S1", load_fold("S1").hash, Budget(1, 2), "itransformer", Recipe(2), 41, most_judged=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="module")
def outcome(folder):
    return run_job(JOB, Path("stores"), folder)


def test_a_job_tells_all_that_a_result_must_answer_for(outcome, folder):
    assert outcome.recordings == JOB.used_fold().evaluation
    assert np.array(outcome.scores).shape == (3, 8)
    assert outcome.windows == (23, 23, 23)
    assert [s.update for s in outcome.history] == [1, 2]
    facts = outcome.facts
    assert facts["variant"] == "full"
    assert facts["labelled_s"] == dict.fromkeys(outcome.classes, 1.024)
    assert len(facts["support"]) == 16
    assert set(facts["inputs"]) == {name for name, _ in facts["support"]} | set(outcome.recordings)
    assert facts["cost"]["registered"] == 1_066_024
    assert facts["cost"]["file_bytes"] == (folder / "models" / f"{JOB.key}.safetensors").stat().st_size
    assert facts["wall_s"] > facts["judge_s"] > 0
    assert facts["versions"].keys() >= {"dualres", "torch", "numpy", "scipy"}
    assert len(facts["versions"]["source"]) == 64
    assert facts["machine"]["kernel"] == compiled.variant()
    assert facts["fitted_together"] == 1


def test_the_hash_of_the_code_covers_python_and_c(tmp_path):
    files = [tmp_path / name for name in ("fit.py", "kernel/score.c", "kernel/score.h")]
    (tmp_path / "kernel").mkdir()
    for path in files:
        path.write_text("1")
    hashes = [source_hash(tmp_path)]
    for path in files:
        path.write_text("2")
        source_hash.cache_clear()
        hashes.append(source_hash(tmp_path))
    assert len(set(hashes)) == 4


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the system does not count peaks anew")
def test_the_peak_memory_is_the_job_s_own(outcome, folder):
    ballast = np.ones(60_000_000)  # 480 MB, gone before the job begins
    del ballast
    assert 0 < run_job(JOB, Path("stores"), folder).facts["peak_rss_bytes"] < outcome.facts["peak_rss_bytes"] + 300e6


def test_the_same_job_gives_the_same_scores(outcome, folder):
    again = run_job(JOB, Path("stores"), folder)
    assert again.scores == outcome.scores
    assert again.facts["inputs"] == outcome.facts["inputs"]


def test_the_kept_model_gives_the_stored_scores(outcome, folder):
    fitted = load(folder / "models" / f"{JOB.key}.safetensors")
    source = DatasetSignals("simulated", Path("stores"), folder / "cache", POLYPHASE)
    (recording,) = source.at_rate(outcome.recordings[:1])
    windows = np.lib.stride_tricks.sliding_window_view(recording.signal, 32_768)[::16_384][:23]
    again = fitted.scores(np.ascontiguousarray(windows)).mean(0)
    np.testing.assert_array_equal(again.round(DECIMALS), outcome.scores[0])


def test_a_validation_job_opens_no_evaluation_recording(folder, monkeypatch):
    opened, original = [], DatasetSignals._model_rate
    monkeypatch.setattr(DatasetSignals, "_model_rate", lambda self, name: opened.append(name) or original(self, name))
    job = dataclasses.replace(JOB, judged="validation", budget=Budget(1, 1), most_judged=2)
    outcome = run_job(job, Path("stores"), folder)
    assert len(outcome.recordings) == 2
    assert opened
    assert not set(opened) & set(load_fold("S1").evaluation)


def test_evaluation_recordings_are_opened_after_the_fit(folder, monkeypatch):
    events, original = [], DatasetSignals.at_rate
    monkeypatch.setattr(DatasetSignals, "at_rate", lambda self, ids: events.append(set(ids)) or original(self, ids))
    run_job(JOB, Path("stores"), folder, lambda stage, *_: events.append(stage))
    support, *rest = events
    assert support == {members[0] for members in load_fold("S1").support.values()}
    assert rest[:2] == ["fit", "fit"]
    assert rest[2] == set(JOB.used_fold().evaluation)
    assert rest[3:] == ["judge"] * 3


def test_updates_of_all_axes_count_on(folder):
    gathered = gather_inputs(JOB, Path("stores"), folder / "cache")
    support = dataclasses.replace(gathered.support, more_axes=(gathered.support.windows[::-1].copy(),))
    told = []
    fit_method(dataclasses.replace(gathered, support=support), lambda *news: told.append(news[:3]))
    assert told == [("fit", update, 4) for update in (1, 2, 3, 4)]


def test_a_signal_is_resampled_once(folder, outcome, monkeypatch):
    monkeypatch.setattr(sources, "resample", None)  # calling it would be an error
    assert run_job(JOB, Path("stores"), folder).scores == outcome.scores


def test_a_missing_recording_is_named(tmp_path):
    with pytest.raises(ConfigError, match="recording K001 is not in the prepared dataset simulated"):
        DatasetSignals("simulated", tmp_path, tmp_path, POLYPHASE).at_rate(["K001"])


def test_what_is_simulated_is_always_present(tmp_path):
    assert present_datasets(tmp_path) == (simulated.NAME, machines.NAME)
    (tmp_path / "cwru").mkdir()
    (tmp_path / "cwru" / "recordings.json").write_text("{}")
    assert present_datasets(tmp_path) == ("cwru", simulated.NAME, machines.NAME)


@pytest.mark.parametrize("method", ["dualres/no-rotation", "itransformer"])
def test_the_kept_model_is_one_that_the_commands_take(outcome, folder, tmp_path, method):
    job = dataclasses.replace(JOB, method=method)
    judged = outcome if method == JOB.method else run_job(job, Path("stores"), folder)
    model = folder / "models" / f"{job.key}.safetensors"
    (recording,) = (r for r in simulated.recordings() if r.id == judged.recordings[0])
    np.save(tmp_path / "r.npy", recording.signal)
    said = run("diagnose", model, tmp_path / "r.npy", "--rate", "12800", "--json")
    assert json.loads(said.stdout)["probabilities"] == diagnose_recording(load(model), recording).probabilities
    first = diagnose_recording(load(model), recording, judged.windows[0])
    assert list(first.probabilities) == list(judged.classes)
    np.testing.assert_array_equal(np.round(list(first.probabilities.values()), DECIMALS), judged.scores[0])
    assert f'"{load_fold("S1").held_out}"' in run("show", model).stdout
    exported = run("export", model, tmp_path / "m.onnx", "--to", "onnx")
    if method == "itransformer":
        refusal = "only DualRes networks can be exported, and this model is of the method itransformer"
        assert refusal in str(exported.exception)
    else:
        assert exported.exit_code == 0, exported.output


def run(*arguments):
    return CliRunner(env={"COLUMNS": "200"}).invoke(cli.app, [str(a) for a in arguments])


@pytest.mark.parametrize(("name", "budget"), [("D1", Budget(3, 4)), ("D3", Budget(4, 4)), ("E1", Budget(1, 4))])
def test_a_job_on_a_real_rig(data, tmp_path, name, budget):
    fold = load_fold(name)
    prepare(catalog.release(fold.dataset), data / fold.dataset, tmp_path / "stores" / fold.dataset)
    job = Job(fold.dataset, name, fold.hash, budget, "dualres", Recipe(3), 41, most_judged=4)
    outcome = run_job(job, tmp_path / "stores", tmp_path)
    assert outcome.classes == fold.classes
    assert np.array(outcome.scores).shape == (4, len(fold.classes))
    windows = budget.recordings * budget.windows
    assert outcome.facts["labelled_s"] == pytest.approx(dict.fromkeys(fold.classes, windows * 0.512))
    assert {start for _, start in outcome.facts["support"]} == {64_000 + 32_768 * i for i in range(4)}
