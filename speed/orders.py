"""What does the network of orders cost beside the others? One thread; prints JSON by variants.

`window` is one window from raw samples to log-probabilities, at a known speed; `recording` is all half-overlapping
windows of 10 s. `searched` adds the search for the speed: 12 windows, evenly spread, are tried at 21 speeds, and all of
them judged at the one that fits; `anew` looks at those 12 by themselves before. All ways take turns, and the best call
of each counts. `misfit_ms` is a search where no speed is stated: 12 windows at 150 speeds. `working_kb` is what the
kernel needs beside the window.
"""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

import numpy as np
import torch

from _timing import best_ms
from dualres.config import ModelConfig
from dualres.judge.backends import weights_of
from dualres.kernel import compiled
from dualres.kernel.inference import Kernel
from dualres.kernel.orders import Looks, OrdersKernel, looks_of, scratch_bytes
from dualres.kernel.views import ViewsKernel
from dualres.learn.closed_form import fit_orders, fit_views
from dualres.model.check import check_window
from dualres.model.network import DualRes
from dualres.utils.arrays import Exact
from dualres.utils.malloc import keep_freed_memory

CLASSES, SECONDS, SEARCHED, TRIES, WIDE_TRIES, HZ = 8, 10, 12, 21, 150, 25.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=100)
    arguments = parser.parse_args()
    keep_freed_memory()  # as the command line does
    torch.set_num_threads(1)
    if not OrdersKernel.serves(ModelConfig()):
        raise SystemExit("the compiled library is not built: make setup")
    print(json.dumps({name: costs(name, arguments.repeats) for name in compiled.able()}))


def costs(variant: str, repeats: int) -> dict[str, Any]:
    """Milliseconds and ratios."""
    os.environ[compiled.SETTING] = variant
    config = ModelConfig()
    rng = np.random.default_rng(41)
    labelled, classes = rng.standard_normal((2 * CLASSES, config.window)).astype(np.float32), np.arange(2 * CLASSES)
    views = ViewsKernel(weights_of(fit_views(labelled, classes % CLASSES, CLASSES)))
    orders = OrdersKernel(weights_of(fit_orders(labelled, classes % CLASSES, CLASSES, hz=np.full(len(classes), HZ))))
    paper = Kernel(weights_of(DualRes(CLASSES, seed=41)))
    window, signal = check_window(0, config.window)[None], rng.standard_normal(SECONDS * config.rate).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(signal, config.window)[:: config.window // 2]
    some = np.linspace(0, len(windows) - 1, SEARCHED).round().astype(int)
    factors = np.exp(np.linspace(-0.05, 0.05, TRIES))
    tries, wide = HZ * factors[:, None] * np.ones(SEARCHED), np.full((WIDE_TRIES, SEARCHED), HZ)

    def at_best(seen: Looks) -> Exact:
        return np.full(len(windows), tries[orders.misfit(seen, tries).argmin(), 0])

    def searched() -> None:
        looks = looks_of(config, windows)
        orders.logits_of(looks, at_best(Looks(*(look[some] for look in looks))))

    def anew() -> None:
        orders.logits(windows, at_best(looks_of(config, windows[some])))

    seen = looks_of(config, windows[some])
    best = best_ms(
        {
            "window_paper": lambda: paper.logits(window),
            "window_views": lambda: views.logits(window),
            "window_orders": lambda: orders.logits(window, np.full(1, HZ)),
            "recording_views": lambda: views.logits(windows),
            "recording_orders": lambda: orders.logits(windows, np.full(len(windows), HZ)),
            "recording_searched": searched,
            "recording_anew": anew,
            "misfit": lambda: orders.misfit(seen, wide),
        },
        repeats,
    )
    rounded = {f"{name}_ms": round(ms, 3) for name, ms in best.items()}
    ratios = {
        "window_over_views": best["window_orders"] / best["window_views"],
        "recording_over_views": best["recording_orders"] / best["recording_views"],
        "searched_over_views": best["recording_searched"] / best["recording_views"],
        "anew_over_views": best["recording_anew"] / best["recording_views"],
    }
    return rounded | {name: round(ratio, 2) for name, ratio in ratios.items()} | {"working_kb": scratch_bytes() // 1000}


if __name__ == "__main__":
    main()
