"""Check windows: signals from a formula, the same on every machine and in every language. A model file stores the
logits of a few, so that any implementation can check what it computes."""

import numpy as np
import numpy.typing as npt

CHECK_STREAM = 998


def hash_uniform(count: int, stream: int) -> npt.NDArray[np.float64]:
    """`count` numbers in [-1, 1) from integer arithmetic alone; each stream is a different sequence."""
    i = np.arange(count, dtype=np.uint64)
    mixed = (np.uint64(97) * i * i + np.uint64(2654435761) * i + np.uint64(40503) * np.uint64(stream + 1)) % 2**32
    return 2.0 * (mixed / 2**32 - 0.5)


def check_window(number: int, samples: int, axis: int = 0) -> npt.NDArray[np.float32]:
    """A growing sine in noise (0), or the same backwards in time (1); the sine is higher from axis to axis."""
    t = np.arange(samples)
    window = np.sin(2 * np.pi * 0.01 * (axis + 1) * t) * (0.2 + t / samples) + 0.5 * hash_uniform(samples, CHECK_STREAM)
    return np.asarray(window[::-1] if number else window, dtype=np.float32)


def check_windows(count: int, samples: int, axis: int = 0) -> npt.NDArray[np.float32]:
    """The first of them, (count, samples)."""
    return np.stack([check_window(number, samples, axis) for number in range(count)])
