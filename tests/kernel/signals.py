"""Windows that the kernels are tried on."""

import numpy as np

from dualres.config import ModelConfig

WINDOW = ModelConfig().window
HALF = WINDOW // 2


def odd_windows(count: int, seed: int = 0):
    """Windows of every kind that has gone wrong somewhere, (count, window)."""
    rng = np.random.default_rng(seed)
    t = np.arange(WINDOW)
    for i in range(count):
        noise = rng.standard_normal(WINDOW)
        tone = np.sin(2 * np.pi * rng.uniform(0, 0.5) * t + rng.uniform(0, 6))
        signal = (noise, tone, tone + 0.1 * noise, noise * np.exp(-t / 3000), np.cumsum(noise))[i % 5]
        match i % 11:
            case 0:
                signal = np.zeros(WINDOW)
            case 1:
                signal = np.full(WINDOW, rng.standard_normal() * 10.0 ** rng.integers(-6, 7))
            case 2:
                signal = np.clip(3 * signal, -1, 1)
            case 3:
                signal = np.zeros(WINDOW)
                signal[rng.integers(WINDOW)] = 1.0
            case 4 | 5:
                signal = signal + 1000 * signal.std() * rng.choice([-1, 1])
            case 6:
                signal = np.round(signal * 300)  # counts
        yield np.asarray(signal * 10.0 ** rng.uniform(-6, 6), dtype=np.float32)


def overlapping(signal) -> np.ndarray:
    return np.lib.stride_tricks.sliding_window_view(signal, WINDOW)[::HALF]
