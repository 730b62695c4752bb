"""How long from a recording's native samples to its verdict? 60 s at 12.8 kHz, one thread; prints JSON.

`times_real_time` is the recording's length over `verdict_ms`, resampling included. `held_ms` is the same way with the
ends of the recording held, as a live stream has it, and `torch_ms` with the compiled library switched off and the
network by PyTorch. `kernel_ms` is what the kernel takes for the windows of the resampled signal, which share their
frames, and `alone_ms` what it takes for them one by one. All are milliseconds of the processor, since other work on the
machine does not add to them, and the best of calls that take turns.

The network is the paper's, or the one that `--network` names: of views, or the default, with the speed of its shaft
stated as on a nameplate (`orders`), or not at all (`unstated`), where it is searched for; `search_ms` is that search.
`torch_ms` is of networks that know no speeds.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import torch

from _default import HZ, default_network
from _timing import best_ms
from dualres.bench.profile.backends import EitherWay
from dualres.config import HELD, POLYPHASE, ModelConfig, Recipe
from dualres.judge.backends import scorer, weights_of
from dualres.judge.model import Model
from dualres.judge.turning import DECIDE, WindowSpeeds, decide, moments_of, unsearched_speeds
from dualres.judge.verdict import diagnose_recording
from dualres.kernel import compiled
from dualres.learn.closed_form import fit_views
from dualres.model.kinds import kind_of
from dualres.model.network import DualRes
from dualres.model.weights import NetworkWeights
from dualres.model_file.card import Card
from dualres.recordings.recording import Recording
from dualres.recordings.resample import resample
from dualres.recordings.speed import Speed
from dualres.recordings.windows import every_window
from dualres.utils.malloc import keep_freed_memory

CLASSES = tuple("abcdefgh")
PAPER = "paper"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=int, default=12_800, help="in Hz")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument(
        "--network", choices=[PAPER, *NETWORKS], help="this one alone; else the paper's and the default"
    )
    arguments = parser.parse_args()
    keep_freed_memory()  # as the command line does
    torch.set_num_threads(1)
    noise = np.random.default_rng(0).standard_normal(int(arguments.seconds * arguments.rate)).astype(np.float32)
    result = {"variant": compiled.variant(), "seconds": arguments.seconds, "rate_hz": arguments.rate}
    result |= verdicts(arguments.network or PAPER, noise, arguments.rate, arguments.repeats)
    if not arguments.network:
        for name in ("orders", "unstated"):
            result[name] = verdicts(name, noise, arguments.rate, arguments.repeats)
    print(json.dumps(result))


def verdicts(name: str, noise: np.ndarray, rate: int, repeats: int) -> dict[str, object]:
    """Of one network: times and ratios."""
    network = NETWORKS[name]() if name in NETWORKS else weights_of(DualRes(len(CLASSES), seed=41))
    model = Model((network,), Card(CLASSES, ModelConfig(), Recipe(), 41, POLYPHASE, {}, method=kind_of(network).method))
    held = replace(model, card=replace(model.card, resampler=HELD))
    recording = Recording.from_array(noise, rate, speed=Speed((HZ,)) if name == "orders" else None)
    score, known = scorer(network), kind_of(network).knows_orders
    windows = every_window(resample(noise, recording.rate, ModelConfig().rate), ModelConfig().window)
    hz = [np.full(len(windows), HZ)] if known else []

    ways: dict[str, Callable[[], object]] = {
        "verdict": lambda: diagnose_recording(model, recording),
        "held": lambda: diagnose_recording(held, recording),
        "resampling": lambda: resample(noise, recording.rate, ModelConfig().rate),
        "kernel": lambda: score(windows, *hz),
        "alone": lambda: [score(window[None], *(each[:1] for each in hz)) for window in windows],
    }
    if known:
        moments = [moments_of(model, [windows[:DECIDE]])]
        ways["search"] = lambda: decide(model, moments, unsearched(model, recording))
    best = best_ms(ways, repeats, time.process_time)
    if not known:
        best |= best_ms({"torch": lambda: by_torch(model, recording)}, 3, time.process_time)
    return {
        "network": name,
        "windows": diagnose_recording(model, recording).windows,
        **{f"{name}_ms": round(ms, 2) for name, ms in best.items()},
        "times_real_time": round(1000 * len(noise) / rate / best["verdict"]),
        "verdict_over_kernel": round(best["verdict"] / best["kernel"], 3),
        "held_over_kernel": round(best["held"] / best["kernel"], 3),
        "verdict_over_alone": round(best["verdict"] / best["alone"], 3),
        **({} if known else {"torch_over_verdict": round(best["torch"] / best["verdict"], 1)}),
    }


def unsearched(model: Model, recording: Recording) -> WindowSpeeds:
    speeds = unsearched_speeds(model, recording)
    assert speeds is not None
    return speeds


def views() -> NetworkWeights:
    noise = np.random.default_rng(41).standard_normal((2 * len(CLASSES), ModelConfig().window)).astype(np.float32)
    return weights_of(fit_views(noise, np.arange(2 * len(CLASSES)) % len(CLASSES), len(CLASSES)))


NETWORKS = {"views": views, "orders": default_network, "unstated": default_network}


def by_torch(model: Model, recording: Recording) -> None:
    model = replace(model, members=tuple(map(EitherWay, model.networks)))
    with patch.dict(os.environ, {compiled.SETTING: compiled.OFF}):
        diagnose_recording(model, recording)


if __name__ == "__main__":
    main()
