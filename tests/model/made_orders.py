"""A network of orders that has learned something."""

import numpy as np

from dualres.learn.closed_form import fit_orders
from dualres.model.views.order_network import OrdersNetwork
from tests.model.made_views import RATE, WINDOW, machine_windows

SPEEDS = (20.0, 30.0)  # Hz, of the slowest and the fastest window that was labelled


def made_orders(classes: int = 4, seed: int = 0, *, labelled: bool = True) -> OrdersNetwork:
    windows = machine_windows(6, classes, seed)
    hz = np.linspace(*SPEEDS, len(windows)) if labelled else None
    return fit_orders(windows, np.repeat(np.arange(classes), 6), classes, hz=hz)


def turning_machine(hz: float, kind: int, samples: int = WINDOW, *, rate: float = RATE, seed: int = 0) -> np.ndarray:
    """Noise in which impacts ring, at an order of a shaft that turns at `hz` which grows from kind to kind."""
    rng = np.random.default_rng(seed)
    ring = np.exp(-np.arange(rate / 160) / rate / 9e-4) * np.sin(2 * np.pi * 3000 * np.arange(rate / 160) / rate)
    impacts = np.zeros(samples)
    at = np.arange(rng.uniform(0, 1), samples * hz / rate, 1 / (2.3 + 1.1 * kind)) * rate / hz
    impacts[at[at < samples - 1].astype(int)] = 5.0
    return (rng.standard_normal(samples) + np.convolve(impacts, ring)[:samples]).astype(np.float32)


def made_turning(classes: int = 3, seed: int = 0) -> OrdersNetwork:
    """A network that tells these kinds apart."""
    labels, hz = np.repeat(np.arange(classes), 8), np.tile(np.linspace(*SPEEDS, 8), classes)
    windows = [turning_machine(*each, seed=seed + number) for number, each in enumerate(zip(hz, labels, strict=True))]
    return fit_orders(np.stack(windows), labels, classes, hz=hz)
