"""How long does a fit of 96 windows take? Prints JSON.

`fit_s` is ours: spectra computed once, many windows at a time, the compiled training step where it was built.
`plain_s` is the plain way: the same recurrence in PyTorch, the spectra computed anew at every update, microbatches of
four. `floor_s` is the fit's matrix products alone, by PyTorch.

`default` is the network that `dualres fit` fits by default, of as many windows at a known speed, which makes no
updates: its floor is that of its windows (speed/_default.py), the products of its covariances and the eigenvectors of
these, each by the faster of NumPy and PyTorch. `estimated_s` is the same fit from recordings with its estimate, which
fits and judges anew for every part that it holds out; `estimated_over_fit` compares the two.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import torch

from _default import HZ, over_floor
from _timing import best_ms
from dualres.config import ORDER_SIZES, ModelConfig, Recipe
from dualres.kernel import compiled
from dualres.learn.closed_form import fit_orders
from dualres.learn.fit import fit_network
from dualres.learn.settings import FitSettings
from dualres.learn.trained.train import PlainSupport, train
from dualres.learn.workflow import fit_by
from dualres.model.network import DualRes
from dualres.recordings.recording import Recording
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
    result["default"] = default(windows, labels)
    print(json.dumps(result))


def default(windows, labels) -> dict[str, float]:
    hz, repeats = np.full(len(labels), HZ), 3
    names, each = list("abcdefgh"), ModelConfig().window * 5 // 2  # samples of a recording: four windows
    rng = np.random.default_rng(1)
    settings = FitSettings(
        tuple(
            Recording.from_array(
                rng.standard_normal(each).astype(np.float32),
                ModelConfig().rate,
                id=f"{number}",
                label=name,
                speed=60 * HZ,
            )
            for number, name in enumerate(names * 3)
        )
    )
    sizes = ORDER_SIZES.features(ModelConfig())
    seen = {n: rng.standard_normal((len(labels), n)) for n in sizes.values()}
    within = {n: x.T @ x / len(x) for n, x in seen.items()}
    by = {
        "numpy": lambda: [(x.T @ x, np.linalg.eigh(within[n])) for n, x in of_heads(seen, sizes)],
        "torch": lambda: [(x.T @ x, torch.linalg.eigh(torch.from_numpy(within[n]))) for n, x in of_heads(seen, sizes)],
    }
    ways = {
        "fit": lambda: fit_orders(windows, labels, CLASSES, hz=hz),
        "plain": lambda: fit_by(replace(settings, estimate=False)),
    }
    best = best_ms(ways | by, repeats) | best_ms({"estimated": lambda: fit_by(settings)}, 1)
    floor_ms = len(windows) * over_floor({}, 100)["floor_ms"] + min(best[name] for name in by)
    found = {f"{name}_s": round(ms / 1000, 3) for name, ms in best.items()} | {"floor_s": round(floor_ms / 1000, 3)}
    found["fit_over_floor"] = round(best["fit"] / floor_ms, 2)
    return found | {"estimated_over_fit": round(best["estimated"] / best["plain"], 2)}


def of_heads(seen, sizes):
    """A size for every head, and a view of it."""
    return [(n, seen[n]) for n in sizes.values()]


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
