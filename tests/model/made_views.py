"""A network of views that has learned something, and windows like those that it learned from."""

import numpy as np

from dualres.config import ModelConfig
from dualres.learn.closed_form import fit_views
from dualres.model.views.network import ViewsNetwork

WINDOW, RATE = ModelConfig().window, ModelConfig().rate


def machine_windows(per_class: int, classes: int = 4, seed: int = 0) -> np.ndarray:
    """Noise with impacts that repeat and a shaft's line, faster and stronger from class to class; (n, window)."""
    rng, t, made = np.random.default_rng(seed), np.arange(WINDOW), []
    ring = np.exp(-np.arange(400) / 60) * np.sin(0.6 * np.arange(400))
    for number in range(classes):
        for _ in range(per_class):
            impacts = np.zeros(WINDOW)
            impacts[rng.integers(300) :: RATE // (23 + 9 * number)] = 3 * number
            line = np.sin(2 * np.pi * (40 + 15 * number) * t / RATE + rng.uniform(0, 6))
            made.append(rng.standard_normal(WINDOW) + np.convolve(impacts, ring)[:WINDOW] + 0.2 * number * line)
    return np.array(made, dtype=np.float32)


def made_views(classes: int = 4, seed: int = 0) -> ViewsNetwork:
    return fit_views(machine_windows(6, classes, seed), np.repeat(np.arange(classes), 6), classes)
