"""How long from a recording's native samples to its verdict? 60 s at 12.8 kHz, one thread; prints JSON.

`times_real_time` is the recording's length over `verdict_ms`, resampling included. `torch_ms` is the same way with the
compiled library switched off and the network by PyTorch. Both are the best of calls that take turns.
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
from dualres.config import POLYPHASE, ModelConfig, Recipe
from dualres.file import Card, Model
from dualres.judge import diagnose_recording
from dualres.kernel import compiled
from dualres.machinery.allocator import keep_freed_memory
from dualres.model.network import DualRes
from dualres.profile.ways import EitherWay
from dualres.recordings.recording import Recording
from dualres.recordings.resample import resample


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=int, default=12_800, help="in Hz")
    parser.add_argument("--repeats", type=int, default=20)
    arguments = parser.parse_args()
    keep_freed_memory()  # as the command line does
    torch.set_num_threads(1)
    classes = tuple("abcdefgh")
    model = Model((DualRes(8, seed=41).eval(),), Card(classes, ModelConfig(), Recipe(), 41, POLYPHASE, {}))
    noise = np.random.default_rng(0).standard_normal(int(arguments.seconds * arguments.rate)).astype(np.float32)
    recording = Recording.from_array(noise, arguments.rate)

    ways = {
        "verdict": lambda: diagnose_recording(model, recording),
        "resampling": lambda: resample(noise, recording.rate, ModelConfig().rate),
    }
    best = best_ms(ways, arguments.repeats) | best_ms({"torch": lambda: by_torch(model, recording)}, 3)
    print(
        json.dumps(
            {
                "variant": compiled.variant(),
                "seconds": arguments.seconds,
                "rate_hz": arguments.rate,
                "windows": diagnose_recording(model, recording).windows,
                **{f"{name}_ms": round(ms, 2) for name, ms in best.items()},
                "times_real_time": round(1000 * arguments.seconds / best["verdict"]),
                "torch_over_verdict": round(best["torch"] / best["verdict"], 1),
            }
        )
    )


def by_torch(model: Model, recording: Recording) -> None:
    model = replace(model, members=tuple(map(EitherWay, model.networks)))
    with patch.dict(os.environ, {compiled.SETTING: compiled.OFF}):
        diagnose_recording(model, recording)


if __name__ == "__main__":
    main()
