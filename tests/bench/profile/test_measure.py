"""A measurement of a real model, in this process."""

import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from dualres.bench import methods
from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.run_job import run_job
from dualres.bench.methods.method import Cost
from dualres.bench.methods.minirocket import MiniRocket
from dualres.bench.methods.model_file import as_model
from dualres.bench.methods.neural import FittedNeural
from dualres.bench.methods.rocket import FEATURES
from dualres.bench.profile import measure as module
from dualres.bench.profile.backends import TOLERANCE
from dualres.bench.profile.checkpoints import ProfilePaths, find, fit, wanted_job
from dualres.bench.profile.measure import Before, bytes_of, held_now, measure, memory_of, resident_bytes, watched
from dualres.bench.profile.plan import EAGER, LONG_S, LONG_WINDOWS, NATIVE, PREPARED, WAYS, WINDOW, Plan
from dualres.config import POLYPHASE, ModelConfig
from dualres.errors import ModelFileError
from dualres.judge import backends as scorers
from dualres.judge.model import Model
from dualres.judge.verdict import STRETCH, window_scores
from dualres.kernel import compiled
from dualres.model_file.card import Card
from dualres.recordings.recording import Recording
from dualres.simulated import rig as simulated

PLAN = Plan("simulated", "itransformer", threads=1, quick=True)
NEURAL = [name for name in methods.NAMES if name != "minirocket"]


def paths(folder):
    return ProfilePaths(folder / "ledger.sqlite", folder)


@pytest.fixture(scope="module")
def folder(bench):
    """With a ledger of one job, judged on one recording."""
    folder = bench()
    job = replace(wanted_job(PLAN, 1), most_judged=1)
    with Ledger(folder / "ledger.sqlite") as ledger:
        ledger.record(job, run_job(job, folder, folder))
    return folder


@pytest.fixture(scope="module", autouse=True)
def settings():
    """What a measurement sets for its whole process is undone here."""
    before = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    yield
    torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = before


@pytest.fixture(scope="module")
def checkpoint(folder):
    return find(PLAN, folder / "ledger.sqlite")


@pytest.fixture(scope="module")
def measured(folder, checkpoint):
    """What is kept, and the stages that were told."""
    stages = []
    return measure(PLAN, checkpoint, paths(folder), lambda stage, *_: stages.append(stage)), stages


def test_everything_is_told(measured, checkpoint):
    facts, stages = measured
    for workload in PLAN.workloads:
        told = facts["workloads"][workload.name]
        assert (told["warmups"], told["repeats"]) == (workload.warmups, workload.repeats)
        assert len(told["seconds"]) == workload.repeats
        assert min(told["seconds"]) > 0
        assert told["memory"]["cuda_allocated"] is None
        assert workload.name in stages
    first = next(r for r in simulated.recordings() if r.id == facts["input"]["recording"])
    assert first.label == "healthy"
    assert facts["input"] | {"sha256": ""} == {
        "recording": first.id, "rate": "12800", "native_s": 12.0, "windows": 23, "window_s": 0.512, "cycles": 1.0,
        "sha256": "", "variant": "full",
    }  # fmt: skip
    assert facts["model"]["file_bytes"] == checkpoint.path.stat().st_size
    assert facts["model"]["from_ledger"]
    assert facts["machine"]["threads"] == 1
    assert facts["precision"] == {"dtype": "float32", "matmul": "highest", "tf32": False}


def test_each_workload_is_measured_to_the_end_before_the_next(measured):
    stages = [stage.removeprefix("memory, ") for stage in measured[1]]
    order = [stage for i, stage in enumerate(stages) if i == 0 or stages[i - 1] != stage]
    assert order == ["window", "prepared", "native"]


def test_what_a_first_call_makes_counts_as_a_rise(folder, checkpoint, monkeypatch):
    held, calls = [], module.calls

    def greedy(work):
        if not held:
            held.append(np.ones(200 * 2**20, np.uint8))
        return work()

    def greedy_calls(*subject):
        return {name: partial(greedy, work) for name, work in calls(*subject).items()}

    monkeypatch.setattr("dualres.bench.profile.measure.calls", greedy_calls)
    told = measure(PLAN, checkpoint, paths(folder), lambda *_: None)["workloads"]
    assert all(each["memory"]["rss_rise"] > 180 * 2**20 for each in told.values())


def test_the_ways_agree_with_each_other_and_with_the_ledger(measured, checkpoint):
    agreement = measured[0]["agreement"]
    assert agreement["same_label"]
    assert agreement["window_to_prepared"] < 1e-6
    assert agreement["native_to_prepared"] == 0
    assert agreement["ledger"]["recording"] == checkpoint.outcome.recordings[0]
    assert agreement["ledger"]["difference"] < 1e-6
    assert agreement["ledger"]["same_label"]


def test_another_verdict_in_the_ledger_is_noticed(folder, checkpoint):
    scores = (tuple(np.roll(checkpoint.outcome.scores[0], 1)),)
    other = replace(checkpoint, outcome=replace(checkpoint.outcome, scores=scores))
    agreement = measure(PLAN, other, paths(folder), lambda *_: None)["agreement"]
    assert agreement["ledger"]["difference"] > 1e-3
    assert not agreement["ledger"]["same_label"]


def test_a_long_record_has_no_single_window(folder, checkpoint, monkeypatch):
    monkeypatch.setattr(module, "LONG_WINDOWS", 60)
    monkeypatch.setattr(module, "LONG_S", 1.0)
    facts = measure(replace(PLAN, long=True), checkpoint, paths(folder), lambda *_: None)
    assert facts["workloads"].keys() == {"prepared", "native"}
    assert facts["input"]["windows"] >= 60
    assert 1 < facts["input"]["cycles"] < 2
    assert facts["agreement"]["native_to_prepared"] == 0


@pytest.mark.skipif(compiled.variant() is None, reason="no compiled kernel here")
def test_the_eager_way_is_pytorchs_and_is_compared_with_the_kernel(folder, tmp_path, monkeypatch):
    plan, taken = replace(PLAN, method="dualres", way=EAGER), []

    def told(name, way):
        return lambda *arguments: (taken.append(name), way(*arguments))[1]

    monkeypatch.setattr(scorers, "_kernel", told("kernel", scorers._kernel))
    monkeypatch.setattr(scorers, "by_torch", told("torch", scorers.by_torch))
    checkpoint = find(plan, tmp_path / "ledger.sqlite", updates=1)
    fit(checkpoint, paths(folder), lambda *_: None)
    taken.clear()
    facts = measure(plan, checkpoint, paths(folder), lambda *_: None)
    last = taken.index("kernel")
    assert last > sum(each.repeats for each in plan.workloads)
    assert set(taken[last:]) == {"kernel"}
    assert facts["machine"]["kernel"] is None
    assert facts["batch"] == 4
    assert facts["agreement"]["shipped"]["same_label"]
    assert 0 < facts["agreement"]["shipped"]["difference"] <= TOLERANCE
    assert compiled.variant() is not None


def test_the_shipped_way_is_not_compared_with_itself(measured):
    assert "shipped" not in measured[0]["agreement"]
    assert measured[0]["batch"] == STRETCH


def test_a_damaged_model_is_refused(folder, checkpoint, tmp_path):
    damaged = tmp_path / "model.safetensors"
    content = checkpoint.path.read_bytes()
    damaged.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ModelFileError, match=r"model\.safetensors"):
        measure(PLAN, replace(checkpoint, path=damaged), paths(folder), lambda *_: None)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", ["itransformer", "dualres", "mambasl"])
def test_on_a_gpu_memory_is_told_and_the_ways_agree(folder, tmp_path, method, way):
    plan = replace(PLAN, method=method, device="cuda", way=way)
    checkpoint = find(plan, tmp_path / "ledger.sqlite", updates=1)
    fit(checkpoint, paths(folder), lambda *_: None)
    facts = measure(plan, checkpoint, paths(folder), lambda *_: None)
    memory = facts["workloads"]["window"]["memory"]
    assert memory["cuda_reserved"] >= memory["cuda_allocated"] > memory["cuda_rise"] > 0
    assert facts["machine"]["device"] == torch.cuda.get_device_name()
    assert facts["agreement"]["native_to_prepared"] < 1e-6
    assert facts["agreement"]["window_to_prepared"] < 1e-5
    assert facts["agreement"].get("shipped", {"difference": 0.0})["difference"] <= TOLERANCE


def stored(fitted):
    return bytes_of(as_model(fitted, [f"class {i}" for i in range(fitted.classes)], {}))


def untrained(name, classes):
    method = methods.method(name)
    with torch.random.fork_rng():
        network = method.build(classes, 41)
    return FittedNeural(method, classes, 41, Cost(0, 0, 0, 0.0), [], {}, network)


@pytest.mark.parametrize("name", NEURAL)
def test_the_parts_are_the_whole(name):
    fitted = untrained(name, 8)
    parts = stored(fitted)
    parameters = sum(p.nbytes for p in fitted.network.parameters())
    assert parts["encoder"] + parts["head"] == parameters
    assert parts["buffers"] == sum(b.nbytes for b in fitted.network.buffers())
    assert 0 < parts["head"] < parameters


def test_the_parts_of_views():
    """Slopes and offsets of the four heads depend on the number of classes."""
    features, classes = 642 + 360 + 360 + 50, 8
    parts = stored(methods.method("dualres/views").blank(classes))
    head = classes * features + 4 * classes
    assert parts == {"encoder": 4 * (34 * features + 4), "head": 4 * head, "buffers": 0}


def test_the_papers_encoder_and_head():
    parts = stored(untrained("dualres", 8))
    assert parts == {"encoder": 4 * 39_528, "head": 4 * 65 * 8, "buffers": 0}


def test_of_minirocket_only_the_ridge_classifier_is_trained():
    parts = {"encoder": 0, "head": 8 * 8 * (FEATURES + 1), "buffers": FEATURES * (4 + 8 + 8)}
    assert stored(MiniRocket().blank(8)) == parts
    assert stored(MiniRocket().blank(2))["head"] == 8 * (FEATURES + 1)


pytestmark = pytest.mark.skipif(not module.STATM.exists(), reason="needs Linux")

MUCH = 200 * 2**20


def hold_much():
    held = np.ones(MUCH, np.uint8)
    time.sleep(0.1)
    return len(held)


def test_a_peak_between_beginning_and_end_is_seen():
    before = resident_bytes()
    with watched() as resident:
        hold_much()
    assert resident.peak - before > 0.9 * MUCH
    assert resident_bytes() < resident.peak - 0.5 * MUCH


def test_what_little_work_takes_is_little():
    seen = memory_of(lambda: time.sleep(0.02), 2, "cpu", held_now("cpu"))
    assert seen.rss_rise < 0.1 * MUCH
    assert seen.rss_peak > 50 * 2**20  # the interpreter and PyTorch
    assert (seen.cuda_allocated, seen.cuda_reserved, seen.cuda_rise) == (None, None, None)


def test_what_was_made_before_the_watching_and_stays_is_part_of_the_rise():
    before = held_now("cpu")
    held = np.ones(MUCH, np.uint8)
    seen = memory_of(lambda: time.sleep(0.02), 1, "cpu", before)
    assert seen.rss_rise > 0.9 * MUCH == 0.9 * len(held)


def test_the_work_is_done_as_often_as_asked():
    done = []
    memory_of(lambda: done.append(1), 3, "cpu", Before(0))
    assert len(done) == 3


def test_a_system_that_does_not_tell_gives_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "STATM", tmp_path / "none")
    seen = memory_of(lambda: None, 1, "cpu", held_now("cpu"))
    assert (seen.rss_peak, seen.rss_rise) == (None, None)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_memory_of_a_gpu_is_counted_above_what_was_there():
    held = torch.ones(2**20, device="cuda")
    seen = memory_of(lambda: torch.ones(MUCH, dtype=torch.uint8, device="cuda"), 2, "cuda", held_now("cuda"))
    assert seen.cuda_rise == MUCH
    assert seen.cuda_allocated >= MUCH + held.nbytes
    assert seen.cuda_reserved >= seen.cuda_allocated


CONFIG = ModelConfig()


class Mean:
    """Scores a window by its mean, and remembers how many windows it was given at a time."""

    def __init__(self):
        self.batches = []

    def scores(self, windows):
        self.batches.append(len(windows))
        return np.stack([windows.mean(1), -windows.mean(1)], axis=1).astype(np.float64)


def mean_model(member):
    return Model((member,), Card(("up", "down"), CONFIG, None, 0, POLYPHASE, {}, method="mean"))


@pytest.fixture(scope="module")
def recording():
    rng = np.random.default_rng(1)
    return Recording.from_array(rng.standard_normal(18 * 12_800).astype(np.float32), 12_800)


def test_all_ways_score_the_same_windows_as_a_verdict_does(recording):
    member = Mean()
    model = mean_model(member)
    work = module.calls(model, module.subject(recording, None, long=False, config=CONFIG))
    prepared, native = work[PREPARED](), work[NATIVE]()
    np.testing.assert_array_equal(native, window_scores(model, recording))
    np.testing.assert_array_equal(native, prepared)
    np.testing.assert_array_equal(work[WINDOW]()[0], prepared[0])
    assert len(prepared) == 69
    assert max(member.batches) == STRETCH == 64


def test_fewer_windows_at_once_give_the_same_scores(recording):
    member = Mean()
    on = module.subject(recording, None, long=False, config=CONFIG)
    few, many = (module.calls(mean_model(each), on, size) for each, size in ((member, 4), (Mean(), STRETCH)))
    for name in (PREPARED, NATIVE):
        np.testing.assert_array_equal(few[name](), many[name]())
    assert max(member.batches) == 4


def test_the_limit_of_the_evaluation_holds(recording):
    work = module.calls(mean_model(Mean()), module.subject(recording, 7, long=False, config=CONFIG))
    assert len(work[PREPARED]()) == len(work[NATIVE]()) == 7


def test_a_short_recording_is_played_until_it_is_long(recording):
    on = module.subject(recording, 7, long=True, config=CONFIG)
    assert LONG_WINDOWS <= on.windows <= LONG_WINDOWS + 2
    signal = on.recording.signal
    assert len(signal) / recording.rate >= LONG_S
    assert on.cycles == pytest.approx(len(signal) / len(recording.signal))
    np.testing.assert_array_equal(signal[: 2 * 230_400], np.tile(recording.signal, 2))


def test_a_long_recording_is_left_as_it_is(recording, monkeypatch):
    monkeypatch.setattr(module, "LONG_WINDOWS", 2)
    monkeypatch.setattr(module, "LONG_S", 1.0)
    on = module.subject(recording, 7, long=True, config=CONFIG)
    assert on.cycles == 1
    assert on.windows == 69
