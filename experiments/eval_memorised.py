"""Has a method learned the fault, or the samples? On the simulated rig, fold S1; prints JSON.

Each method learns from three windows of one recording per class. `support` is the share it then names right of those
very windows; `moved_1`, `moved_8` and `moved_64` of the same ones cut that many samples later; `later` of other windows
of the same recordings. A method that has learned what a fault sounds like does not care about 64 samples, which are a
millisecond. Guessing gives 0.125.
"""

from __future__ import annotations

import argparse
import json
import sys

import numpy as np
import torch

from dualres.bench.datasets.folds import load_fold
from dualres.bench.methods import method
from dualres.config import ModelConfig, Recipe
from dualres.recordings.windows import at_rate, cut, evenly
from dualres.simulated import rig as simulated

METHODS = ("dualres", "patchtst", "itransformer", "crossformer")
WINDOWS, LATER = 3, 6  # of each recording: learned from, and judged later on
SHIFTS = (1, 8, 64)  # samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--updates", type=int, default=100)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    config, fold = ModelConfig(), load_fold("S1")
    wanted = {members[0]: label for label, members in fold.support.items()}
    recordings = [r for r in simulated.recordings() if r.id in wanted]
    signals = [at_rate(r, config.rate, config.window) for r in recordings]
    targets = [fold.classes.index(wanted[r.id]) for r in recordings]
    first = fold.support_start_s * config.rate

    def windows(count: int, start: float) -> np.ndarray:
        return np.concatenate([cut(s, evenly(start, count, config.window), config.window) for s in signals])

    support, labels = windows(WINDOWS, first), np.repeat(targets, WINDOWS)
    judged = {"support": support} | {f"moved_{n}": windows(WINDOWS, first + n) for n in SHIFTS}
    later = windows(LATER, first + WINDOWS * config.window)
    rows = {}
    for name in arguments.methods:
        print(f"{name} ...", file=sys.stderr)
        fitted = method(name, Recipe(arguments.updates)).fit(support, labels, len(fold.classes))
        rows[name] = {way: share(fitted.scores(w), labels) for way, w in judged.items()}
        rows[name]["later"] = share(fitted.scores(later), np.repeat(targets, LATER))
    print(json.dumps({"updates": arguments.updates, "windows": len(support), "methods": rows}, indent=1))


def share(scores: np.ndarray, labels: np.ndarray) -> float:
    """Of windows named right."""
    return round(float((scores.argmax(1) == labels).mean()), 3)


if __name__ == "__main__":
    main()
