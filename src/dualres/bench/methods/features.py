"""What practitioners compute of a window before they classify: statistics, spectra and lines of the envelope.

Windows are (n, window) at the model's rate; every function gives (n, features), in float64.
"""

from collections.abc import Callable

import numpy as np

from dualres.config import ModelConfig
from dualres.judge.backends import Windows
from dualres.utils.arrays import Exact

RATE = ModelConfig().rate
TINY = 1e-12  # of a power or a scale; what is below counts as silence
FRAME = 2048  # samples of a spectrum's frames, which overlap by half
BANDS = 24  # of equal width on a logarithmic axis
SPECTRUM_HZ = (31.25, RATE / 2)  # lowest and highest edge of the bands of a spectrum
ENVELOPE_HZ = (4.0, 1_000.0)  # likewise of an envelope
ORDER_STEP = 0.25  # multiples of the shaft's rate
ENVELOPE_ORDERS = 12.0  # the highest one that is looked at in an envelope
SPECTRUM_ORDERS = 64.0  # in a spectrum
USUAL_HZ = 25.0  # the shaft's rate where nobody states it
AT_ONCE = 64  # windows


def in_parts(windows: Windows, hz: Exact | None, extract: Callable[[Exact, Exact], Exact]) -> Exact:
    """What `extract` gives of centred windows and the shaft's rates, a few windows at a time."""
    turning = np.full(len(windows), USUAL_HZ) if hz is None else np.where(hz > 0, hz, USUAL_HZ)
    parts = []
    for i in range(0, len(windows), AT_ONCE):
        some = windows[i : i + AT_ONCE].astype(np.float64)
        parts.append(extract(some - some.mean(1, keepdims=True), turning[i : i + AT_ONCE]))
    return np.asarray(np.concatenate(parts), np.float64)


def shape_statistics(centred: Exact) -> Exact:
    """RMS, peak, mean magnitude, skewness, kurtosis, and the factors of crest, shape, impulse and margin."""
    magnitude = np.abs(centred)
    rms = np.maximum(np.sqrt((centred**2).mean(1)), TINY)
    peak, mean = magnitude.max(1), np.maximum(magnitude.mean(1), TINY)
    root = np.maximum(np.sqrt(magnitude).mean(1) ** 2, TINY)
    standard = centred / rms[:, None]
    moments = (standard**3).mean(1), (standard**4).mean(1)
    return np.stack([rms, peak, mean, *moments, peak / rms, rms / mean, peak / mean, peak / root], axis=1)


def log_spectrum(centred: Exact) -> Exact:
    """The logarithm of the mean power of Hann frames, (n, FRAME / 2 + 1)."""
    frames = np.lib.stride_tricks.sliding_window_view(centred, FRAME, axis=1)[:, :: FRAME // 2]
    power = np.abs(np.fft.rfft(frames * np.hanning(FRAME), axis=2)) ** 2
    return np.asarray(np.log(power.mean(1) + TINY))


def spectral_shape(centred: Exact) -> Exact:
    """Centroid and width of the power spectrum in Hz, and the logarithm of the mean power in each band."""
    hz, power = power_spectrum(centred)
    share = power / np.maximum(power.sum(1, keepdims=True), TINY)
    centroid = share @ hz
    width = np.sqrt(np.maximum(share @ hz**2 - centroid**2, 0))
    return np.column_stack([centroid, width, _in_bands(hz, power, SPECTRUM_HZ, np.add)])


def envelope_shape(centred: Exact) -> Exact:
    """Kurtosis of the envelope, and the logarithm of the strongest line of its spectrum in each band, over a median."""
    envelope = envelope_of(centred)
    hz, power = power_spectrum(envelope)
    kurtosis = shape_statistics(envelope)[:, 4]
    return np.column_stack([kurtosis, _in_bands(hz, _over_median(hz, power), ENVELOPE_HZ, np.maximum)])


def envelope_orders(centred: Exact, hz: Exact) -> Exact:
    """The logarithm of the envelope's strongest line in each quarter of an order, over the median of its spectrum.

    Every fault of a bearing has its lines at some of these orders; which, only its geometry would tell.
    """
    lines_hz, power = power_spectrum(envelope_of(centred))
    return _by_order(lines_hz, _over_median(lines_hz, power), hz, ENVELOPE_ORDERS)


def spectrum_orders(centred: Exact, hz: Exact) -> Exact:
    """The logarithm of the spectrum's strongest line in each quarter of an order."""
    lines_hz, power = power_spectrum(centred)
    return _by_order(lines_hz, power, hz, SPECTRUM_ORDERS)


def envelope_of(centred: Exact) -> Exact:
    """The magnitude of the analytic signal, centred again."""
    window = centred.shape[1]
    spectrum = np.fft.fft(centred, axis=1)
    spectrum[:, 1 : window // 2] *= 2
    spectrum[:, window // 2 + 1 :] = 0
    envelope = np.abs(np.fft.ifft(spectrum, axis=1))
    return np.asarray(envelope - envelope.mean(1, keepdims=True))


def power_spectrum(centred: Exact) -> tuple[Exact, Exact]:
    """Frequencies in Hz, and the power of a Hann window over all samples, (n, frequencies)."""
    window = centred.shape[1]
    power = np.abs(np.fft.rfft(centred * np.hanning(window), axis=1)) ** 2 / window
    return np.asarray(np.fft.rfftfreq(window, 1 / RATE), np.float64), np.asarray(power)


def _over_median(hz: Exact, power: Exact) -> Exact:
    usual = np.median(power[:, (hz >= ENVELOPE_HZ[0]) & (hz < ENVELOPE_HZ[1])], axis=1, keepdims=True)
    return np.asarray(power / np.maximum(usual, TINY))


def _in_bands(hz: Exact, power: Exact, span: tuple[float, float], gather: np.ufunc) -> Exact:
    """Bands narrower than a line hold the next one."""
    edges = np.searchsorted(hz, np.geomspace(*span, BANDS + 1))
    found = gather.reduceat(power, np.minimum(edges, len(hz) - 1), axis=1)[:, :-1]
    return np.log((found / np.maximum(np.diff(edges), 1) if gather is np.add else found) + TINY)


def _by_order(lines_hz: Exact, power: Exact, hz: Exact, highest: float) -> Exact:
    steps = np.arange(ORDER_STEP / 2, highest + ORDER_STEP, ORDER_STEP)
    found = np.empty((len(power), len(steps) - 1))
    for row, (of_window, turning) in enumerate(zip(power, hz, strict=True)):
        edges = np.minimum(np.searchsorted(lines_hz, steps * turning), len(lines_hz) - 1)
        found[row] = np.maximum.reduceat(of_window, edges)[:-1]
    return np.log(found + TINY)
