"""One measurement of three axes, in files of several formats."""

from pathlib import Path

import numpy as np
import soundfile
from scipy.io import savemat

RATE = 8000


def three(samples=9000, seed=0):
    """Three axes of noise, (3, samples), that survive a text of six digits and 16 bits alike."""
    return np.random.default_rng(seed).integers(-9000, 9000, (3, samples)).astype(np.float32)


def write_csv(path: Path, signals, names=("x", "y", "z"), rate=RATE) -> Path:
    table = np.column_stack([np.arange(signals.shape[1]) / rate, *signals])
    np.savetxt(path, table, ["%.7f", *["%d"] * len(signals)], ",", header=",".join(["time", *names]), comments="")
    return path


def write_wav(path: Path, signals, rate=RATE) -> Path:
    soundfile.write(path, signals.T.astype(np.int16), rate)
    return path


def write_mat(path: Path, signals, names=("x", "y", "z"), rate=RATE) -> Path:
    savemat(path, {**dict(zip(names, signals, strict=True)), "fs": float(rate)})
    return path


def write_npy(path: Path, signals) -> Path:
    np.save(path, signals)
    return path
