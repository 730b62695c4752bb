"""One measurement, from a model file and a recording to times, memory, bytes and whether all ways agree."""

import gc
import math
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.bench.campaign.run_job import machine
from dualres.bench.datasets.folds import Fold
from dualres.bench.methods.model_file import load
from dualres.bench.paper.printed import BATCH
from dualres.bench.profile.backends import EitherWay, by_way
from dualres.bench.profile.checkpoints import Checkpoint, ProfilePaths
from dualres.bench.profile.plan import EAGER, LONG_S, LONG_WINDOWS, NATIVE, PREPARED, WINDOW, Plan, Workload
from dualres.config import ModelConfig
from dualres.judge.backends import Scores, Windows
from dualres.judge.model import Model
from dualres.judge.verdict import recording_scores, window_scores
from dualres.judge.windows import STRETCH
from dualres.model.kinds import resolved
from dualres.recordings.recording import Recording
from dualres.recordings.windows import at_rate, every_window
from dualres.utils.progress import Progress
from dualres.utils.versions import all_versions

PAUSE_S = 0.010
STATM = Path("/proc/self/statm")  # Linux


@dataclass(frozen=True)
class Before:
    """Bytes that were held before any work was done; None where the system or the device does not tell."""

    rss: int | None
    cuda: int | None = None


@dataclass
class Resident:
    """Most bytes of the process in main memory; what lies between two looks is not seen."""

    peak: int


@dataclass(frozen=True)
class Memory:
    """What one workload took, in bytes; None where the system or the device does not tell."""

    rss_peak: int | None
    rss_rise: int | None  # above what was there before
    cuda_allocated: int | None = None  # most held by tensors, the model's among them
    cuda_reserved: int | None = None  # most that PyTorch took from the device for them
    cuda_rise: int | None = None  # of the allocated bytes above what was there before


def held_now(device: str) -> Before:
    """For a model that is loaded and has not been called: what it makes at its first call is a rise above this."""
    gc.collect()
    rss = resident_bytes() if STATM.exists() else None
    return Before(rss, torch.cuda.memory_allocated(device) if device.startswith("cuda") else None)


def memory_of(work: Callable[[], object], times: int, device: str, before: Before) -> Memory:
    """Do the work so often, untimed, and watch."""
    gc.collect()
    if before.cuda is not None:
        torch.cuda.synchronize(device)
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)
    with watched() as resident:
        for _ in range(times):
            work()
    peak = None if resident is None else resident.peak
    rise = None if peak is None or before.rss is None else peak - before.rss
    if before.cuda is None:
        return Memory(peak, rise)
    allocated = torch.cuda.max_memory_allocated(device)
    return Memory(peak, rise, allocated, torch.cuda.max_memory_reserved(device), allocated - before.cuda)


@contextmanager
def watched() -> Iterator[Resident | None]:
    """The resident set while the body runs, complete afterwards; None where the system does not tell."""
    if not STATM.exists():
        yield None
        return
    seen, over = Resident(resident_bytes()), threading.Event()

    def look() -> None:
        while not over.wait(PAUSE_S):
            seen.peak = max(seen.peak, resident_bytes())

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()
        seen.peak = max(seen.peak, resident_bytes())


def resident_bytes() -> int:
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


TimedCall = Callable[[], Scores]


@dataclass(frozen=True)
class Subject:
    """A recording in memory, at its native rate and at the model's."""

    recording: Recording
    prepared: Recording  # the same at the model's rate
    limit: int | None  # at most this many windows are scored
    cycles: float  # how often the released recording was played to be long enough; 1 for once
    window: Windows  # (1, window), the first of the prepared recording
    windows: int  # that are scored


def subject(recording: Recording, limit: int | None, *, long: bool, config: ModelConfig) -> Subject:
    """The recording as it is, with the evaluation's limit; or a long one, of which every window counts."""
    signal = np.array(recording.signal)
    cycles = 1.0
    if long:
        limit = None
        wanted = max(LONG_S, (LONG_WINDOWS + 1) / 2 * config.window_s)  # windows overlap by half
        count = max(len(signal), math.ceil(wanted * recording.rate) + 1)
        cycles, signal = count / len(signal), np.resize(signal, count)
    native = replace(recording, load=lambda: signal)
    resampled = at_rate(native, config.rate, config.window)
    prepared = replace(recording, load=lambda: resampled, rate=Fraction(config.rate))
    windows = every_window(prepared.signal, config.window, limit)
    return Subject(native, prepared, limit, cycles, windows[:1], len(windows))


def calls(model: Model, on: Subject, at_once: int = STRETCH) -> dict[str, TimedCall]:
    """Every workload by name; each takes samples in host memory to scores there, (windows, classes).

    Records go the way that `dualres diagnose` takes them, `at_once` windows at a time.
    """
    return {
        WINDOW: lambda: model.scores(on.window),
        PREPARED: lambda: window_scores(model, on.prepared, on.limit, at_once),
        NATIVE: lambda: window_scores(model, on.recording, on.limit, at_once),
    }


def measure(plan: Plan, checkpoint: Checkpoint, paths: ProfilePaths, tell: Progress) -> dict[str, Any]:
    """Everything that is kept of a measurement but its plan; for a process that has done nothing else before."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.set_num_threads(plan.threads)
    with threadpool_limits(plan.threads):
        with by_way(plan.way):
            facts, native = _measured(plan, checkpoint, paths, tell)
            scores = native()
        if plan.way == EAGER:
            facts["agreement"]["shipped"] = _apart(scores, native())
    return facts


def _measured(
    plan: Plan, checkpoint: Checkpoint, paths: ProfilePaths, tell: Progress
) -> tuple[dict[str, Any], TimedCall]:
    """What is kept, and the work on a native record."""
    load_before = list(os.getloadavg()) if hasattr(os, "getloadavg") else None
    fold, config = checkpoint.job.used_fold(), ModelConfig()
    source = DatasetSignals(plan.dataset, paths.stores, paths.cache, checkpoint.job.resampler)
    recording = source.native(next(iter(fold.support.values()))[0])
    on = subject(recording, fold.evaluation_windows, long=plan.long, config=config)
    loaded = load(checkpoint.path)
    model = _on(plan, loaded)
    at_once = BATCH if plan.way == EAGER else STRETCH
    work = calls(model, on, at_once)
    before, done = held_now(plan.device), {}
    for each in plan.workloads:  # one after the other, so that none is blamed for what a later one takes
        done[each.name] = _repeated(each, work[each.name], tell)
        tell(f"memory, {each.name}", 0, each.passes, "")
        done[each.name]["memory"] = asdict(memory_of(work[each.name], each.passes, plan.device, before))
    facts = {
        "workloads": done,
        "input": {
            "recording": recording.id,
            "rate": str(recording.rate),
            "native_s": float(len(on.recording.signal) / recording.rate),
            "windows": on.windows,
            "window_s": config.window_s,
            "cycles": on.cycles,
            "sha256": source.hashes[recording.id],
            "variant": source.variant,
        },
        "model": {
            "from_ledger": checkpoint.from_ledger,
            "key": checkpoint.job.key,
            "plan": checkpoint.job.plan(),
            "sha256": sha256(checkpoint.path.read_bytes()).hexdigest(),
            "file_bytes": checkpoint.path.stat().st_size,
            "bytes": bytes_of(loaded),
        },
        "agreement": {**_agreement(work, fold), "ledger": _ledger_agreement(model, checkpoint, source, fold)},
        "batch": at_once,
        "precision": {"dtype": "float32", "matmul": torch.get_float32_matmul_precision(), "tf32": False},
        "versions": all_versions(),
        # load_before: processes running or waiting, mean of the last 1, 5 and 15 minutes
        "machine": {**this_machine(plan.device), "load_before": load_before},
    }
    return facts, work[NATIVE]


def this_machine(device: str) -> dict[str, Any]:
    """What is computed on, and the CPU beside it."""
    return {**machine(device), "cpu": machine("cpu")["device"], "cores": os.cpu_count()}


def bytes_of(model: Model) -> dict[str, int]:
    """Where in memory the bytes of a model of a single member are.

    The head is every parameter whose shape depends on the number of classes. Buffers are what is kept but not trained;
    of MiniRocket, all but its ridge classifier.
    """
    (member,) = model.members
    wider = len(model.classes) + 1
    if kind := model.card.kind:
        state = model.weights.arrays
        shapes = resolved(kind.shapes)(model.card.config, wider)
        trained: Collection[str] = state.keys()
    else:
        state, shapes, trained = member.state(), member.method.shapes(wider), member.trained
    parameters = sum(state[name].nbytes for name in trained)
    head = sum(state[name].nbytes for name in trained if state[name].shape != shapes[name])
    buffers = sum(array.nbytes for array in state.values()) - parameters
    return {"encoder": parameters - head, "head": head, "buffers": buffers}


def _repeated(workload: Workload, work: TimedCall, tell: Progress) -> dict[str, Any]:
    """How often a workload was done, and how long each timed repetition took, in seconds."""
    total, seconds = workload.warmups + workload.repeats, []
    for number in range(total):
        begin = time.perf_counter()
        work()  # its result is in host memory, so a GPU has finished, too
        seconds.append(time.perf_counter() - begin)
        tell(workload.name, number + 1, total, "")
    return {"warmups": workload.warmups, "repeats": workload.repeats, "seconds": seconds[workload.warmups :]}


def _agreement(work: dict[str, TimedCall], fold: Fold) -> dict[str, Any]:
    """How far the scores of the three ways are apart, window by window, and whether they name the same class."""
    window, prepared, native = (work[name]() for name in (WINDOW, PREPARED, NATIVE))
    labels = [fold.classes[int(scores.mean(0).argmax())] for scores in (prepared, native)]
    return {
        "window_to_prepared": float(np.abs(window[0] - prepared[0]).max()),
        "native_to_prepared": float(np.abs(native - prepared).max()),
        "label": labels[0],
        "same_label": labels[0] == labels[1] and int(window[0].argmax()) == int(prepared[0].argmax()),
    }


def _ledger_agreement(
    model: Model, checkpoint: Checkpoint, source: DatasetSignals, fold: Fold
) -> dict[str, Any] | None:
    """The same for the first recording that the ledger holds scores of; None where it holds none."""
    if checkpoint.outcome is None:
        return None
    name, expected = checkpoint.outcome.recordings[0], checkpoint.outcome.scores[0]
    (recording,) = source.at_rate([name])
    scores, _ = recording_scores(model, recording, fold.evaluation_windows)
    return {"recording": name, **_apart(scores[None], np.array([expected]))}


def _apart(scores: Scores, others: Scores) -> dict[str, Any]:
    """How far two ways' scores of the same windows are apart, and whether they name the same class by their means."""
    return {
        "difference": float(np.abs(scores - others).max()),
        "same_label": int(scores.mean(0).argmax()) == int(others.mean(0).argmax()),
    }


def _on(plan: Plan, model: Model) -> Model:
    """The model on a GPU; on a CPU as it is shipped, and so without PyTorch, unless the plan's way is eager."""
    on_cpu, ours = not plan.device.startswith("cuda"), model.card.kind is not None
    if on_cpu and not (ours and plan.way == EAGER):
        return model
    members = model.networks if ours else model.members
    for member in members:
        getattr(member, "network", member).to(plan.device)
    if ours and plan.way == EAGER:
        members = tuple(map(EitherWay, members))
    return replace(model, members=members)
