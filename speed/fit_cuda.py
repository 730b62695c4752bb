"""How fast is learning and scoring on a GPU? Prints JSON; run it in a fresh process, for the first fit compiles.

`first_fit_s` is the first fit of this process with everything that has to be compiled or loaded, `fit_s` one of 96
windows once warm, from raw windows in host memory to the trained network. `plain_s` is the same recipe by plain
PyTorch, launched kernel by kernel; `floor_s` is the fit's matrix products alone. `many_fits_s` are 42 fits: seven
budgets, three seeds, two folds, those of a budget at once. `window_ms` is one raw window in host memory to its logits,
`windows_233_ms` the 233 windows of a minute whose signal is on the GPU, `windows_233_host_ms` in host memory.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np
import torch

from _timing import best_ms
from dualres.config import ModelConfig, Recipe
from dualres.kernel.gpu.cuda_graphs import warmed_and_recorded
from dualres.learn.support import MICROBATCH, views_of
from dualres.learn.trained.fit import fit_network, fit_networks
from dualres.learn.trained.task import Task
from dualres.learn.trained.train import PlainSupport, seeded, train
from dualres.model.network import DualRes
from dualres.recordings.windows import half_overlapping

WINDOWS, CLASSES, SEED = 96, 8, 41
BUDGETS = ((1, 4), (2, 4), (3, 4), (4, 4), (6, 4), (6, 8), (6, 12))  # recordings and windows of each, per class
SEEDS, FOLDS = (41, 42, 43), 2
MINUTE = 60 * 64_000  # samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--updates", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    recipe = Recipe(updates=arguments.updates)
    windows, labels = support(WINDOWS)
    torch.zeros(1, device="cuda")  # the driver's own start

    seconds = {"first_fit_s": timed(lambda: fit(windows, labels, recipe))}
    seconds["fit_s"] = min(timed(lambda: fit(windows, labels, recipe)) for _ in range(arguments.repeats))
    supports = [[support(CLASSES * n * each, fold) for fold in range(FOLDS)] for n, each in BUDGETS]
    seconds["many_fits_s"] = timed(lambda: fit_many(supports, recipe))
    fit_plainly(windows, labels, Recipe(updates=2))
    seconds["plain_s"] = timed(lambda: fit_plainly(windows, labels, recipe))
    seconds["floor_s"] = recipe.updates * products_ms() / 1000
    ms = scoring_ms(arguments.repeats)
    result = {"updates": recipe.updates, "device": torch.cuda.get_device_name()}
    result |= {name: round(value, 4) for name, value in (seconds | ms).items()}
    result["speedup"] = round(seconds["plain_s"] / seconds["fit_s"], 2)
    result["fit_over_floor"] = round(seconds["fit_s"] / seconds["floor_s"], 2)
    print(json.dumps(result))


def support(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    noise = np.random.default_rng(seed).standard_normal((count, ModelConfig().window))
    return noise.astype(np.float32), np.arange(count) % CLASSES


def timed(call) -> float:
    begin = time.perf_counter()
    call()
    torch.cuda.synchronize()
    return time.perf_counter() - begin


def fit(windows, labels, recipe: Recipe) -> None:
    fit_network(windows, labels, CLASSES, recipe=recipe, seed=SEED, device="cuda")


def fit_many(supports, recipe: Recipe) -> None:
    for folds in supports:
        tasks = [Task(*fold, CLASSES, seed, "cuda") for fold in folds for seed in SEEDS]
        fit_networks(tasks, recipe=recipe)


def fit_plainly(windows, labels, recipe: Recipe) -> None:
    with seeded(SEED):
        network = DualRes(CLASSES, seed=SEED).cuda()
        views = views_of(network.spectra, windows, "cuda")
        targets = torch.from_numpy(labels).cuda()
        support = PlainSupport(views, targets, seed=SEED, microbatch=MICROBATCH)
        train(network, network.classify, support, recipe, graphs=False)


def scoring_ms(repeats: int) -> dict[str, float]:
    from dualres.kernel.gpu.graphs import GraphScorer

    scorer = GraphScorer(DualRes(CLASSES, seed=SEED).cuda().eval())
    signal = np.random.default_rng(1).standard_normal(MINUTE).astype(np.float32)
    window, starts = signal[: ModelConfig().window], half_overlapping(MINUTE, ModelConfig().window)
    there = torch.from_numpy(signal).cuda()
    ways = {
        "window_ms": lambda: scorer.window(window),
        "windows_233_ms": lambda: (scorer.logits(there, starts), torch.cuda.synchronize()),
        "windows_233_host_ms": lambda: (scorer.logits(signal, starts), torch.cuda.synchronize()),
    }
    return {name: best_ms({name: way}, 20 * repeats)[name] for name, way in ways.items()}


def products_ms() -> float:
    """The matrix products of one update, forward and backward; spectra need no gradient."""
    config = ModelConfig()
    tokens, width = WINDOWS * config.tokens, config.width
    shapes = [(config.short_bins, width // 2, False), (config.long_bins, width // 2, False)]
    shapes += [(width, out, True) for out in (width, width, 16, 16, width, width)]
    with torch.device("cuda"):
        maps = [(torch.randn(tokens, n), torch.randn(n, out), torch.randn(tokens, out)) for n, out, _ in shapes]

    def update() -> None:
        for (x, weight, gradient), (*_, goes_back) in zip(maps, shapes, strict=True):
            x @ weight
            x.T @ gradient
            if goes_back:
                gradient @ weight.T

    graph = warmed_and_recorded(update)
    return best_ms({"products": lambda: (graph.replay(), torch.cuda.synchronize())}, 50)["products"]


if __name__ == "__main__":
    main()
