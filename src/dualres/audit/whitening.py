"""What never happens twice: the noise of a recording, without its lines, its resonances and its loudness.

The spectrum is flattened a quarter of a second at a time, so that a short piece of one recording looks the same within
another one. Lines too close to be told apart in that time are taken away over the whole length.
"""

import numpy as np

from dualres.audit.fingerprint import LIMIT, LINE, TOP_HZ, Series, fast_size, irfft, median, noise_floor, rfft, top_of
from dualres.utils.arrays import Reals

RATE = 2 * TOP_HZ  # Hz, of whitened signals
_FRAME = 2048  # samples at RATE, 0.26 s
_FLOOR_HZ = 64.0  # the width over which the floor of a frame is taken to be flat
_LINES_FLOOR_HZ = 20.0  # the same of the whole length
_LOUD = 1.5  # times the floor of the whole length: a bin counts no more
_BOTTOM_HZ = 10.0


def whitened(signal: Series, rate: float) -> Series:
    """The noise of `signal`, at `RATE` and of unit variance; zeros for a silent one."""
    flat = _without_lines(flattened(signal, rate))
    limit = LIMIT * median(np.abs(flat))
    limited = np.clip(flat, -limit, limit)
    spread = float(limited.std())
    return (limited / spread if spread > 0 else limited).astype(np.float32)


def flattened(signal: Series, rate: float) -> Series:
    """As `whitened`, but looked at a quarter of a second at a time only: lines close together stay."""
    return _flattened(at_common_rate(signal, rate), top_of(rate))


def at_common_rate(signal: Series, rate: float) -> Series:
    """The signal at `RATE`, without its offset and what lies above its `top_of`."""
    length = max(1, int(RATE * len(signal) / rate))
    size = fast_size(length + int(RATE * 0.01))
    spectrum = rfft(signal - signal.mean(), round(rate * size / RATE))
    kept = np.zeros(size // 2 + 1, np.complex64)
    high = min(int(top_of(rate) * size / RATE), size // 2, len(spectrum))
    kept[:high] = spectrum[:high]
    return irfft(kept, size)[:length]


def _flattened(signal: Series, top_hz: float) -> Series:
    hop = _FRAME // 2
    window = np.sin(np.pi * (np.arange(_FRAME) + 0.5) / _FRAME).astype(np.float32)
    count = -(-len(signal) // hop) + 1
    padded = np.zeros((count + 1) * hop, np.float32)
    padded[hop : hop + len(signal)] = signal
    spectra = rfft(np.lib.stride_tricks.sliding_window_view(padded, _FRAME)[::hop] * window)
    low, high = int(_BOTTOM_HZ * _FRAME / RATE) + 1, int(top_hz * _FRAME / RATE)
    if high - low < 8:
        return np.zeros_like(signal)
    magnitude = np.abs(spectra[:, low:high])
    floor = _floors(magnitude, max(2, round(top_hz / _FLOOR_HZ)))
    keep = (magnitude < LINE * floor) & (magnitude > 0)
    flat = np.zeros_like(spectra)
    flat[:, low:high] = np.where(keep, spectra[:, low:high] / np.where(floor > 0, floor, 1), 0)
    parts = irfft(flat, _FRAME) * window
    joined = np.zeros_like(padded)
    joined[: count * hop] += parts[:, :hop].ravel()
    joined[hop:] += parts[:, hop:].ravel()
    return joined[hop : hop + len(signal)]


def _floors(magnitude: Reals, blocks: int) -> Reals:
    """As `noise_floor`, of every frame: (frames, bins)."""
    edges = np.linspace(0, magnitude.shape[1], blocks + 1).astype(int)
    widths = np.diff(edges)  # there are two
    medians = np.empty((len(magnitude), blocks), magnitude.dtype)
    for width in np.unique(widths):
        of_width = np.flatnonzero(widths == width)
        medians[:, of_width] = median(magnitude[:, edges[of_width, None] + np.arange(width)])
    centres = (edges[:-1] + edges[1:] - 1) / 2
    bins = np.arange(magnitude.shape[1])
    before = np.clip(np.searchsorted(centres, bins) - 1, 0, blocks - 2)
    share = np.clip((bins - centres[before]) / np.diff(centres)[before], 0, 1).astype(np.float32)
    return np.asarray(medians[:, before] * (1 - share) + medians[:, before + 1] * share)


def _without_lines(series: Series) -> Series:
    size = fast_size(len(series))
    spectrum = rfft(series, size)
    magnitude = np.abs(spectrum)
    floor = noise_floor(magnitude, max(16, round(_LINES_FLOOR_HZ * size / RATE)))
    loudness = np.where(magnitude < LINE * floor, np.minimum(1, _LOUD * floor / np.maximum(magnitude, 1e-30)), 0)
    return irfft(spectrum * loudness.astype(np.float32), size)[: len(series)]
