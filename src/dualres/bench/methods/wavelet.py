"""TSCMamba's second view: a wavelet transform at one scale, shrunk to a small image.

The transform is a single row as long as the window. Shrinking that row to an image first smooths it, over 2,045
samples, while the wavelet swings once in 79: nothing of the oscillation is left inside the image, and little at its
two edges, where the smoothing meets zeros. The rows of an image are multiples of one line. This is how the method's
authors have it. `image_ref` follows them step by step; `image` gives the same, and only quicker.
"""

from functools import lru_cache

import numpy as np
import torch
from scipy.signal import fftconvolve
from torch import Tensor

from dualres.bench.methods.neural import WINDOW
from dualres.utils.arrays import Exact

SIDE = 64  # pixels
SCALE = 64  # the wavelet's unit of time, samples; at 64 kHz its centre frequency is 812.5 Hz
REACH = 8  # the wavelet's half length, in its unit of time
GRID = 4_096  # points at which the wavelet is integrated
SHRINK = WINDOW // SIDE  # samples per pixel
BLUR = (SHRINK - 1) / 2  # standard deviation of the smoothing, samples
BLUR_RADIUS = int(4 * BLUR + 0.5)


def image(windows: Tensor) -> Tensor:
    """Windows (batch, window) to images (batch, side, side), float32: transform and smoothing as one linear map."""
    lines = windows.double() @ _lines_of_samples(windows.device).T
    rows = torch.from_numpy(row_factors()).to(windows.device)
    return (rows[:, None] * lines[:, None, :]).float()


def image_ref(windows: Tensor) -> Tensor:
    """The same one after the other: transform, smooth, interpolate, spread over rows."""
    smooth = fftconvolve(morlet_row(windows), blur_kernel()[None], mode="same", axes=-1)
    # Pixel q has its centre at 512 q + 255.5, half way between two samples.
    middle = SHRINK // 2
    lines = (smooth[:, middle - 1 :: SHRINK] + smooth[:, middle::SHRINK]) / 2
    return torch.from_numpy(row_factors()[:, None] * lines[:, None, :]).float()


def morlet_row(windows: Tensor) -> Exact:
    """The Morlet transform at one scale, (batch, window)."""
    taps = wavelet_taps()
    before = len(taps) // 2 - 1
    full = fftconvolve(windows.double().cpu().numpy(), taps[None], axes=-1)
    return np.asarray(full[:, before : before + windows.shape[1]])


@lru_cache(maxsize=1)
def wavelet_taps() -> Exact:
    """Convolved with a signal they give its transform: differences of the wavelet's integral, stretched by steps."""
    grid, step = np.linspace(-REACH, REACH, GRID, retstep=True)
    integral = step * np.cumsum(np.exp(-(grid**2) / 2) * np.cos(5 * grid))
    nearest = np.floor(np.arange(2 * REACH * SCALE + 1) / (SCALE * step)).astype(int)
    return np.asarray(-np.sqrt(SCALE) * np.diff(integral[nearest][::-1], prepend=0, append=0))


@lru_cache(maxsize=1)
def blur_kernel() -> Exact:
    offsets = np.arange(-BLUR_RADIUS, BLUR_RADIUS + 1)
    kernel = np.exp(-((offsets / BLUR) ** 2) / 2)
    return np.asarray(kernel / kernel.sum())


@lru_cache(maxsize=1)
def row_factors() -> Exact:
    """How much of the line each row of the image shows; a row between zeros, enlarged."""
    return 1 - np.abs((np.arange(SIDE) + 0.5) / SIDE - 0.5)


@lru_cache(maxsize=2)
def _lines_of_samples(device: torch.device) -> Tensor:
    """The map from a window to the line that all rows of its image show, (side, window)."""
    between = np.convolve(blur_kernel(), [0.5, 0.5])  # smoothed and interpolated at once
    centres = SHRINK * np.arange(SIDE) + SHRINK // 2 - 1
    offset = np.arange(WINDOW) - (centres[:, None] - BLUR_RADIUS)  # (side, window)
    inside = (offset >= 0) & (offset < len(between))
    of_transform = np.where(inside, between.take(offset, mode="clip"), 0)  # beyond the window lie zeros
    # The transform's transpose: the same convolution with the taps in reverse.
    taps = wavelet_taps()[::-1]
    after = len(taps) - (len(taps) // 2 - 1) - 1
    of_samples = fftconvolve(of_transform, taps[None], axes=-1)[:, after : after + WINDOW]
    with torch.inference_mode(False):  # it is kept
        return torch.from_numpy(np.ascontiguousarray(of_samples)).to(device)
