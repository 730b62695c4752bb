"""What does an update of an augmented fit cost beyond a plain one? Prints JSON.

96 windows; `update_ms` is one update that sees the support as it is, `augmented_ms` one through random paths, blended
and standardised. `views_ms` is what makes the views alone, `views_torch_ms` the same by PyTorch. `extra` is how much
longer the augmented update takes, as a share of the plain one.
"""

from __future__ import annotations

import argparse
import json
import os
from unittest.mock import patch

import numpy as np
import torch

from _timing import best_ms
from dualres.augment.spectra import AugmentedSpectra
from dualres.config import ModelConfig, Recipe, recipe_named
from dualres.fit import train
from dualres.kernel import compiled
from dualres.model.network import DualRes, training_threads
from dualres.runtime import keep_freed_memory
from dualres.support import WINDOWS_AT_ONCE, PlainSupport, views_of

WINDOWS, CLASSES, SEED = 96, 8, 41


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    keep_freed_memory()  # as the command line does
    torch.set_num_threads(arguments.threads)
    config, network = ModelConfig(), DualRes(CLASSES, seed=SEED)
    windows = np.random.default_rng(0).standard_normal((WINDOWS, config.window)).astype(np.float32)
    labels = np.arange(WINDOWS) % CLASSES
    views = views_of(network.spectra, windows, "cpu")
    plain = PlainSupport(views, torch.from_numpy(labels), seed=SEED, microbatch=WINDOWS_AT_ONCE)
    augmented = AugmentedSpectra(windows, labels, CLASSES, config, recipe_named("robust"), seed=SEED, device="cpu")

    def views_alone() -> None:
        with training_threads(network):
            for _ in augmented.batches():
                pass

    def views_by_torch() -> None:
        with patch.dict(os.environ, {compiled.SETTING: compiled.OFF}):
            views_alone()

    ways = {
        "update_ms": lambda: train(network, network.classify, plain, Recipe(updates=1)),
        "augmented_ms": lambda: train(network, network.classify, augmented, Recipe(updates=1)),
        "views_ms": views_alone,
        "views_torch_ms": views_by_torch,
    }
    best = best_ms(ways, arguments.repeats)
    result = {"windows": WINDOWS, "threads": arguments.threads, "kernel": compiled.variant()}
    result |= {name: round(ms, 2) for name, ms in best.items()}
    result["extra"] = round(best["augmented_ms"] / best["update_ms"] - 1, 3)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
