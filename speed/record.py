"""How long from a recording's native samples to its verdict? 60 s at 12.8 kHz, one thread; prints JSON.

`times_real_time` is the recording's length over `verdict_ms`, resampling included. `held_ms` is the same way with the
ends of the recording held, as a live stream has it, and `torch_ms` with the compiled library switched off and the
network by PyTorch. `kernel_ms` is what the kernel takes for the windows of the resampled signal, which share their
frames, and `alone_ms` what it takes for them one by one. All are the best of calls that take turns.
"""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import torch

from _timing import best_ms
from dualres.bench.profile.backends import EitherWay
from dualres.config import HELD, POLYPHASE, ModelConfig, Recipe
from dualres.judge.backends import scorer, weights_of
from dualres.judge.model import Model
from dualres.judge.verdict import diagnose_recording
from dualres.kernel import compiled
from dualres.learn.closed_form import fit_views
from dualres.model.network import DualRes
from dualres.model.views.network import ViewsNetwork
from dualres.model_file.card import Card
from dualres.recordings.recording import Recording
from dualres.recordings.resample import resample
from dualres.recordings.windows import every_window
from dualres.utils.malloc import keep_freed_memory

CLASSES = tuple("abcdefgh")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=int, default=12_800, help="in Hz")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--views", action="store_true", help="the network of views instead of the paper's")
    arguments = parser.parse_args()
    keep_freed_memory()  # as the command line does
    torch.set_num_threads(1)
    network = weights_of(views() if arguments.views else DualRes(len(CLASSES), seed=41))  # as a model file has it
    model = Model((network,), Card(CLASSES, ModelConfig(), Recipe(), 41, POLYPHASE, {}))
    held = replace(model, card=replace(model.card, resampler=HELD))
    noise = np.random.default_rng(0).standard_normal(int(arguments.seconds * arguments.rate)).astype(np.float32)
    recording = Recording.from_array(noise, arguments.rate)
    score = scorer(network)
    windows = every_window(resample(noise, recording.rate, ModelConfig().rate), ModelConfig().window)

    ways = {
        "verdict": lambda: diagnose_recording(model, recording),
        "held": lambda: diagnose_recording(held, recording),
        "resampling": lambda: resample(noise, recording.rate, ModelConfig().rate),
        "kernel": lambda: score(windows),
        "alone": lambda: [score(window[None]) for window in windows],
    }
    best = best_ms(ways, arguments.repeats) | best_ms({"torch": lambda: by_torch(model, recording)}, 3)
    print(
        json.dumps(
            {
                "variant": compiled.variant(),
                "network": "views" if arguments.views else "paper",
                "seconds": arguments.seconds,
                "rate_hz": arguments.rate,
                "windows": diagnose_recording(model, recording).windows,
                **{f"{name}_ms": round(ms, 2) for name, ms in best.items()},
                "times_real_time": round(1000 * arguments.seconds / best["verdict"]),
                "verdict_over_kernel": round(best["verdict"] / best["kernel"], 3),
                "held_over_kernel": round(best["held"] / best["kernel"], 3),
                "verdict_over_alone": round(best["verdict"] / best["alone"], 3),
                "torch_over_verdict": round(best["torch"] / best["verdict"], 1),
            }
        )
    )


def views() -> ViewsNetwork:
    noise = np.random.default_rng(41).standard_normal((2 * len(CLASSES), ModelConfig().window)).astype(np.float32)
    return fit_views(noise, np.arange(2 * len(CLASSES)) % len(CLASSES), len(CLASSES))


def by_torch(model: Model, recording: Recording) -> None:
    model = replace(model, members=tuple(map(EitherWay, model.networks)))
    with patch.dict(os.environ, {compiled.SETTING: compiled.OFF}):
        diagnose_recording(model, recording)


if __name__ == "__main__":
    main()
