"""What does an update of an augmented fit cost beyond a plain one? Prints JSON.

96 windows; `update_ms` is one update that sees the support as it is, `augmented_ms` one through random paths, blended
and standardised. `extra` is how much longer the augmented update takes, as a share of the plain one. On the CPU
`views_ms` is what makes the views alone, `views_torch_ms` the same by PyTorch. On a GPU an update is one of a
hundred in a row, with all that is drawn for them.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from unittest.mock import patch

import numpy as np
import torch

from _timing import best_ms
from dualres.config import ModelConfig, Recipe, recipe_named
from dualres.kernel import compiled
from dualres.kernel.gpu.cuda_graphs import full_precision
from dualres.learn.support import MICROBATCH, views_of
from dualres.learn.trained.augment.supports import AugmentedSpectra
from dualres.learn.trained.fit import augmentation_of
from dualres.learn.trained.forward import Classify, training_threads
from dualres.learn.trained.task import Task
from dualres.learn.trained.train import PlainSupport, train
from dualres.model.network import DualRes
from dualres.utils.malloc import keep_freed_memory

WINDOWS, CLASSES, SEED = 96, 8, 41
UPDATES = 100  # in a row, on a GPU


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    arguments = parser.parse_args()
    windows = np.random.default_rng(0).standard_normal((WINDOWS, ModelConfig().window)).astype(np.float32)
    labels = np.arange(WINDOWS) % CLASSES
    if arguments.device == "cuda":
        result = {"windows": WINDOWS, "device": torch.cuda.get_device_name()}
        best = on_gpu(windows, labels, arguments.repeats)
    else:
        keep_freed_memory()  # as the command line does
        torch.set_num_threads(arguments.threads)
        result = {"windows": WINDOWS, "threads": arguments.threads, "kernel": compiled.variant()}
        best = on_cpu(windows, labels, arguments.repeats)
    result |= {name: round(ms, 3) for name, ms in best.items()}
    result["extra"] = round(best["augmented_ms"] / best["update_ms"] - 1, 3)
    print(json.dumps(result))


def on_cpu(windows: np.ndarray, labels: np.ndarray, repeats: int) -> dict[str, float]:
    config, network = ModelConfig(), DualRes(CLASSES, seed=SEED)
    views = views_of(network.spectra, windows, "cpu")
    plain = PlainSupport(views, torch.from_numpy(labels), seed=SEED, microbatch=MICROBATCH)
    augmented = AugmentedSpectra(Task(windows, labels, CLASSES, SEED), config, recipe_named("robust"))

    def views_alone() -> None:
        with training_threads(network):
            for _ in augmented.batches():
                pass

    def views_by_torch() -> None:
        with patch.dict(os.environ, {compiled.SETTING: compiled.OFF}):
            views_alone()

    def update(support: PlainSupport | AugmentedSpectra) -> None:
        with training_threads(network):
            train(network, Classify(network), support, Recipe(updates=1))

    ways = {
        "update_ms": lambda: update(plain),
        "augmented_ms": lambda: update(augmented),
        "views_ms": views_alone,
        "views_torch_ms": views_by_torch,
    }
    return best_ms(ways, repeats)


def on_gpu(windows: np.ndarray, labels: np.ndarray, repeats: int) -> dict[str, float]:
    from dualres.kernel.gpu.layout import ParameterLayout
    from dualres.learn.trained.gpu.fit import Bundle

    layout, device = ParameterLayout(ModelConfig(), CLASSES), torch.device("cuda")
    weights = layout.pack(DualRes(CLASSES, seed=SEED).to(device))[None]

    def in_a_row(recipe: Recipe) -> Callable[[], None]:
        shown = augmentation_of(recipe, WINDOWS, [SEED])
        bundle = Bundle(layout, [SEED], WINDOWS, recipe=recipe, device=device, augmentation=shown)
        bundle.load([windows], [labels])
        bundle.start(weights)

        def run() -> None:
            bundle.draws.count.fill_(-1)
            bundle.run(None)
            torch.cuda.synchronize()

        return run

    with torch.no_grad(), full_precision(), torch.cuda.stream(torch.cuda.Stream()):
        ways = {
            "update_ms": in_a_row(Recipe(updates=UPDATES)),
            "augmented_ms": in_a_row(recipe_named("robust", updates=UPDATES)),
        }
        return {name: ms / UPDATES for name, ms in best_ms(ways, repeats).items()}


if __name__ == "__main__":
    main()
