"""From a window to two aligned views of it: log-magnitude STFTs whose frames share their centres."""

from functools import lru_cache

import torch
from torch import Tensor

from dualres.config import SMALLEST_RMS, ModelConfig


def normalise(windows: Tensor) -> Tensor:
    """Centre each window and divide it by its RMS, (batch, samples) to the same, in float64: a float32 mean leaves a
    residue in a constant window, which the division would blow up to full scale."""
    exact = windows.double()
    centred = exact - exact.mean(-1, keepdim=True)
    # The floor stands under the root, so that the gradient of a silent window is zero and not undefined.
    rms = centred.square().mean(-1, keepdim=True).clamp(min=SMALLEST_RMS**2).sqrt()
    return (centred / rms).to(windows.dtype)


@lru_cache(maxsize=16)
def hann(length: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """The periodic Hann window, (length,)."""
    with torch.inference_mode(False):  # it is cached, and a tensor made in inference mode cannot be trained with
        return torch.hann_window(length, periodic=True, dtype=torch.float64).to(device=device, dtype=dtype)


def magnitudes(signal: Tensor, length: int, hop: int) -> Tensor:
    """|STFT| without padding or scaling: (batch, samples) to (batch, frames, length // 2 + 1)."""
    spectrum = torch.fft.rfft(signal.unfold(-1, length, hop) * hann(length, signal.dtype, signal.device))
    # Twice as fast as abs(), and in place, because fresh memory is what costs most here. The smallest number
    # keeps the root differentiable where there is no energy at all.
    tiny = torch.finfo(signal.dtype).tiny
    magnitude: Tensor = spectrum.real.square().add_(tiny).addcmul_(spectrum.imag, spectrum.imag).sqrt_()
    return magnitude


def aligned_magnitudes(windows: Tensor, config: ModelConfig) -> tuple[Tensor, Tensor]:
    """The short and the long view, before the logarithm, of raw windows (batch, window): (batch, tokens, bins) each.
    Token j of both is centred on sample j * hop + long / 2: the short view skips `crop` frames at either end."""
    signal = normalise(windows)
    skipped = config.crop * config.hop
    middle = signal[..., skipped : signal.shape[-1] - skipped]
    return magnitudes(middle, config.short, config.hop), magnitudes(signal, config.long, config.hop)


def aligned_spectra(windows: Tensor, config: ModelConfig) -> tuple[Tensor, Tensor]:
    """The two views as the network takes them, log(1 + |STFT|), in the shapes of `aligned_magnitudes`."""
    short, long = aligned_magnitudes(windows, config)
    return torch.log1p(short), torch.log1p(long)
