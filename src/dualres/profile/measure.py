"""One measurement, from a model file and a recording to times, memory, bytes and whether all ways agree."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from dualres.campaign.sources import Source
from dualres.campaign.work import Progress, machine
from dualres.config import ModelConfig
from dualres.datasets.folds import Fold
from dualres.file import DUALRES, Model
from dualres.judge import STRETCH, recording_scores
from dualres.machinery.versions import all_versions
from dualres.methods.files import load
from dualres.profile.checkpoints import Checkpoint
from dualres.profile.memory import held_now, memory_of
from dualres.profile.plan import NATIVE, PREPARED, WINDOW, Plan, Workload
from dualres.profile.storage import storage
from dualres.profile.workloads import calls, subject
from dualres.scorers import Scores

Call = Callable[[], Scores]


def measure(plan: Plan, checkpoint: Checkpoint, stores: Path, cache: Path, tell: Progress) -> dict[str, Any]:
    """Everything that is kept of a measurement but its plan; for a process that has done nothing else before."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.set_num_threads(plan.threads)
    with threadpool_limits(plan.threads):
        load_before = list(os.getloadavg()) if hasattr(os, "getloadavg") else None
        fold, config = checkpoint.job.used_fold(), ModelConfig()
        source = Source(plan.dataset, stores, cache, checkpoint.job.resampler)
        recording = source.native(next(iter(fold.support.values()))[0])
        on = subject(recording, fold.evaluation_windows, long=plan.long, config=config)
        model = _on(plan.device, load(checkpoint.path))
        work = calls(model, on)
        before, done = held_now(plan.device), {}
        for each in plan.workloads:  # one after the other, so that none is blamed for what a later one takes
            done[each.name] = _repeated(each, work[each.name], tell)
            tell(f"memory, {each.name}", 0, each.passes)
            done[each.name]["memory"] = asdict(memory_of(work[each.name], each.passes, plan.device, before))
        return {
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
                "bytes": asdict(storage(model)),
            },
            "agreement": {**_agreement(work, fold), "ledger": _ledger_agreement(model, checkpoint, source, fold)},
            "batch": STRETCH,
            "precision": {"dtype": "float32", "matmul": torch.get_float32_matmul_precision(), "tf32": False},
            "versions": all_versions(),
            # load_before: processes running or waiting, mean of the last 1, 5 and 15 minutes
            "machine": {**this_machine(plan.device), "load_before": load_before},
        }


def this_machine(device: str) -> dict[str, Any]:
    """What is computed on, and the CPU beside it."""
    return {**machine(device), "cpu": machine("cpu")["device"], "cores": os.cpu_count()}


def _repeated(workload: Workload, work: Call, tell: Progress) -> dict[str, Any]:
    """How often a workload was done, and how long each timed repetition took, in seconds."""
    total, seconds = workload.warmups + workload.repeats, []
    for number in range(total):
        begin = time.perf_counter()
        work()  # its result is in host memory, so a GPU has finished, too
        seconds.append(time.perf_counter() - begin)
        tell(workload.name, number + 1, total)
    return {"warmups": workload.warmups, "repeats": workload.repeats, "seconds": seconds[workload.warmups :]}


def _agreement(work: dict[str, Call], fold: Fold) -> dict[str, Any]:
    """How far the scores of the three ways are apart, window by window, and whether they name the same class."""
    window, prepared, native = (work[name]() for name in (WINDOW, PREPARED, NATIVE))
    labels = [fold.classes[int(scores.mean(0).argmax())] for scores in (prepared, native)]
    return {
        "window_to_prepared": float(np.abs(window[0] - prepared[0]).max()),
        "native_to_prepared": float(np.abs(native - prepared).max()),
        "label": labels[0],
        "same_label": labels[0] == labels[1] and int(window[0].argmax()) == int(prepared[0].argmax()),
    }


def _ledger_agreement(model: Model, checkpoint: Checkpoint, source: Source, fold: Fold) -> dict[str, Any] | None:
    """The same for a recording that the ledger holds a verdict on; None where it holds none."""
    verdict = checkpoint.verdict
    if verdict is None:
        return None
    (recording,) = source.at_rate([verdict.recording])
    scores, _ = recording_scores(model, recording, fold.evaluation_windows)
    return {
        "recording": verdict.recording,
        "difference": float(np.abs(scores - verdict.scores).max()),
        "same_label": int(scores.argmax()) == int(np.argmax(verdict.scores)),
    }


def _on(device: str, model: Model) -> Model:
    """The model on a GPU; on a CPU as it is, and so without PyTorch where the kernel serves it."""
    if not device.startswith("cuda"):
        return model
    members = model.networks if model.card.method == DUALRES else model.members
    for member in members:
        getattr(member, "network", member).to(device)
    return replace(model, members=members)
