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


# Of every half window: its level and its loudness.
CHANGES = ((0, 1), (0, 1), (1e4, 1), (1e4, 1), (0, 1e-4), (0, 1e-4), (5, 0), (5, 0), (0, 1e5), (0, 1))
EXTREMES = ((0, 1), (1e20, 1e13), (0, 1e30), (0, 1e-30), (0, 1e-30), (3, 1e-9), (-1e4, 2), (-1e4, 2))


def changing_signal(halves) -> np.ndarray:
    rng = np.random.default_rng(3)
    parts = [level + loudness * rng.standard_normal(HALF) for level, loudness in halves]
    return np.concatenate(parts).astype(np.float32)
