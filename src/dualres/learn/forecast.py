"""How long a fit will take, measured before it begins."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from dualres.config import ModelConfig, Recipe
from dualres.gpu.draws import SLAB
from dualres.learn.fit import fit_network, fits_together


def expected_s(windows: int, recipe: Recipe, config: ModelConfig | None = None, device: str = "cpu") -> float:
    """How long a fit will take on this machine, in seconds, judged by a few updates."""
    config = config or ModelConfig()
    in_bursts = fits_together(
        config, device, recipe
    )  # news of updates comes so; and there few windows cost as much as many
    few = max(windows if in_bursts else min(32, windows), 2)
    updates = 4 * SLAB if in_bursts else 5
    noise = np.random.default_rng(0).standard_normal((few, config.window)).astype(np.float32)
    labels = np.arange(few, dtype=np.int64) % 2
    moments: list[float] = []
    fit_network(
        noise,
        labels,
        2,
        config=config,
        recipe=replace(recipe, updates=updates),
        device=device,
        progress=lambda step, total: moments.append(time.perf_counter()),
    )
    half = updates // 2
    each = (moments[-1] - moments[half - 1]) / half if in_bursts else np.diff(moments).min()
    return float(each) * windows / few * recipe.updates
