"""What do the nine methods cost, measured in one run? Prints JSON.

`window_ms` is one raw window to scores, batch one, the method's own preprocessing (and on a GPU the transfers)
included. `step_ms` is one training update on four windows whose views are already computed; MiniRocket has no such
steps. Both are the best of many, the methods taking turns, and are given relative to DualRes too. `dualres profile`
measures windows by the paper's protocol, each method in a process of its own, and no training.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import numpy as np
import torch

from _timing import best_ms
from dualres.bench.methods import NAMES, method
from dualres.bench.methods.dualres import DualResNetwork
from dualres.bench.methods.method import FittedMethod
from dualres.bench.methods.neural import WINDOW, FittedNeural
from dualres.config import Recipe
from dualres.learn.trained.forward import Classify
from dualres.learn.trained.train import PlainSupport, train
from dualres.utils.malloc import keep_freed_memory

CLASSES, STEP_WINDOWS, UPDATES = 8, 4, 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--methods", nargs="+", choices=NAMES, default=NAMES)
    arguments = parser.parse_args()
    keep_freed_memory()  # as the command line does
    torch.set_num_threads(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False

    names = arguments.methods
    fitted = {name: short_fit(name, arguments.device) for name in names}
    window = np.random.default_rng(0).standard_normal((1, WINDOW)).astype(np.float32)
    for one in fitted.values():
        one.scores(window)  # warm up
    windows_ms = best_ms({name: lambda one=one: one.scores(window) for name, one in fitted.items()}, arguments.repeats)
    steps_ms = dict.fromkeys(names, float("inf"))
    for _ in range(arguments.repeats):
        for name, one in fitted.items():
            if isinstance(one, FittedNeural):
                steps_ms[name] = min(steps_ms[name], step_ms(one, arguments.device))
    rows = {
        name: {
            "window_ms": round(windows_ms[name], 3),
            "step_ms": round(steps_ms[name], 3) if np.isfinite(steps_ms[name]) else None,
            "window_relative": round(windows_ms[name] / windows_ms[names[0]], 2),
            "step_relative": round(steps_ms[name] / steps_ms[names[0]], 2) if np.isfinite(steps_ms[name]) else None,
            "peak_mib": None if (peak := fitted[name].cost.peak_bytes) is None else round(peak / 2**20, 1),
        }
        for name in names
    }
    machine = torch.cuda.get_device_name() if arguments.device.startswith("cuda") else "CPU, one thread"
    print(json.dumps({"device": machine, "relative_to": names[0], "methods": rows}, indent=1))


def short_fit(name: str, device: str) -> FittedMethod:
    """Two updates on eight windows: two microbatches, of which the peak memory is that of a longer fit."""
    print(f"{name} ...", file=sys.stderr)
    windows = np.random.default_rng(1).standard_normal((2 * STEP_WINDOWS, WINDOW)).astype(np.float32)
    return method(name, Recipe(2)).fit(windows, np.arange(2 * STEP_WINDOWS) % CLASSES, CLASSES, device=device)


def step_ms(fitted: FittedNeural, device: str) -> float:
    """The fastest of a few updates on four windows."""
    network = fitted.network
    windows = torch.randn(STEP_WINDOWS, WINDOW, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        views = network.views(windows.to(device))
    labels = torch.arange(STEP_WINDOWS, device=device) % CLASSES
    moments: list[float] = []
    forward = Classify(network.model) if isinstance(network, DualResNetwork) else network  # as a fit does
    train(
        network,
        forward,
        PlainSupport(views, labels, seed=0, microbatch=STEP_WINDOWS),
        Recipe(UPDATES),
        draws=network.draws,
        progress=lambda *told: moments.append(time.perf_counter()),
    )
    return 1000 * float(np.diff(moments).min())


if __name__ == "__main__":
    main()
