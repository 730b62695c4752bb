"""How long does a fit of 96 windows take? Prints JSON.

`fit_s` is ours: spectra computed once, many windows at a time, the compiled training step where it was built.
`plain_s` is the plain way: the same recurrence in PyTorch, the spectra computed anew at every update, microbatches of
four. `floor_s` is the fit's matrix products alone, by PyTorch.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from unittest.mock import patch

import numpy as np
import torch

from _timing import best_ms
from dualres.config import ModelConfig, Recipe
from dualres.kernel import compiled
from dualres.learn.fit import fit_network
from dualres.learn.trained.train import PlainSupport, train
from dualres.model.network import DualRes
from dualres.utils.malloc import keep_freed_memory

WINDOWS, CLASSES, SEED = 96, 8, 41


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--updates", type=int, default=300)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    keep_freed_memory()  # as the command line does
    torch.set_num_threads(arguments.threads)
    windows = np.random.default_rng(0).standard_normal((WINDOWS, ModelConfig().window)).astype(np.float32)
    labels = np.arange(WINDOWS) % CLASSES

    recipe = Recipe(updates=arguments.updates)
    for call in (fit, fit_plainly):
        call(windows, labels, Recipe(updates=1))  # warm up
    fit_s = timed(fit, windows, labels, recipe)
    plain_s = timed(fit_plainly, windows, labels, recipe)
    floor_s = recipe.updates * best_ms({"floor": products()}, 5)["floor"] / 1000
    result = {"updates": recipe.updates, "threads": arguments.threads, "kernel": compiled.variant()}
    result |= {"fit_s": round(fit_s, 2), "plain_s": round(plain_s, 2), "floor_s": round(floor_s, 2)}
    result |= {"speedup": round(plain_s / fit_s, 2), "fit_over_floor": round(fit_s / floor_s, 2)}
    print(json.dumps(result))


def timed(call, *arguments) -> float:
    begin = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - begin


def fit(windows, labels, recipe: Recipe) -> None:
    fit_network(windows, labels, CLASSES, recipe=recipe, seed=SEED)


def fit_plainly(windows, labels, recipe: Recipe) -> None:
    network = DualRes(CLASSES, seed=SEED)
    raw = PlainSupport([torch.from_numpy(windows)], torch.from_numpy(labels), seed=SEED, microbatch=4)
    with patch.dict(os.environ, {compiled.SETTING: compiled.OFF}):
        train(network, network, raw, recipe)


def products():
    """The matrix products of one update, forward and backward; spectra need no gradient."""
    config = ModelConfig()
    tokens, width = WINDOWS * config.tokens, config.width
    views = [(torch.randn(tokens, bins), width // 2) for bins in (config.short_bins, config.long_bins)]
    inner = [(torch.randn(tokens, width), out) for out in (width, width, 16, 16, width, width)]
    weights = [torch.randn(x.shape[1], out) for x, out in views + inner]
    gradients = [torch.randn(tokens, out) for _, out in views + inner]

    def run():
        for i, (x, _) in enumerate(views + inner):
            x @ weights[i]
            x.T @ gradients[i]
            if i >= len(views):
                gradients[i] @ weights[i].T

    return run


if __name__ == "__main__":
    main()
