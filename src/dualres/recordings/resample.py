"""Any rate to the model's rate, by an exact ratio."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from hashlib import sha256
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from dualres import kernel
from dualres.config import HELD, POLYPHASE, RESAMPLERS, SOXR
from dualres.errors import ConfigError, RecordingError
from dualres.kernel import compiled
from dualres.recordings.polyphase import check_range, polyphase
from dualres.recordings.recording import BLOCK, Blockwise, Recording, Samples, mean_of, sliced
from dualres.utils.optional_imports import missing

LARGEST_FACTOR = 200_000  # the polyphase filter has 20 taps per step of the ratio's larger side


def resample(
    signal: Samples, rate: Fraction, target: int, resampler: str = POLYPHASE, *, name: str = "the signal"
) -> Samples:
    """`signal` at `rate` Hz brought to `target` Hz, float32; `name` is for errors.

    The mean stands in for what lies beyond both ends, or by `HELD` the first and the last sample: zeros there would put
    a step, and with it a burst over the whole spectrum, into the first and last window of a signal with an offset.
    """
    check_resampler(resampler)
    ratio = exact_ratio(rate, target)
    if ratio == 1:
        return signal
    with _overflow_in(name):
        if resampler == SOXR:
            return np.concatenate(list(_by_soxr([signal], mean_of(sliced(signal, BLOCK)), ratio)))
        if resampler == HELD:
            return polyphase(ratio, holds=True).whole(signal)
        return polyphase(ratio).whole(signal, mean_of(sliced(signal, BLOCK)))


def resampled_blocks(recording: Recording, target: int, resampler: str = POLYPHASE) -> Iterator[Samples]:
    """What `resample` makes of the recording's signal, in successive blocks of about `BLOCK` samples.

    Where the signal is in memory, a block may have four times as many: up to a minute comes in one.
    By the polyphase filter it is the same to the last bit, by soxr within float32 rounding. Few blocks are in memory at
    a time; the signal is read twice, first for its mean, which `HELD` does without.
    """
    check_resampler(resampler)
    ratio = exact_ratio(recording.rate, target)
    samples = max(1, int(BLOCK / ratio)) if ratio > 1 else BLOCK
    if isinstance(recording.load, Blockwise):
        blocks = recording.blocks(samples)
        if ratio == 1:
            return blocks
        if resampler == HELD:
            made = polyphase(ratio, holds=True).blocks(blocks)
        elif resampler == SOXR:
            made = _by_soxr(blocks, recording.mean, ratio)
        else:
            made = polyphase(ratio).blocks(blocks, recording.mean)
    else:
        signal, mean = recording.signal_and_mean()
        if ratio == 1:
            return iter([signal])
        if resampler == HELD:
            made = polyphase(ratio, holds=True).parts(signal)
        elif resampler == SOXR:
            made = _by_soxr(sliced(signal, samples), mean, ratio)
        else:
            made = polyphase(ratio).parts(signal, mean)
    return _named(made, recording.id)


def check_resampler(name: str) -> None:
    """An error unless there is such a resampler."""
    if name not in RESAMPLERS:
        raise ConfigError(f"there is no resampler {name!r}; there are {', '.join(RESAMPLERS)}")


def code_hash() -> str:
    """Of all that a resampled signal depends on besides the signal: this code, the kernel's, its variant, NumPy's."""
    here, there = Path(__file__).parent, Path(kernel.__file__).parent
    files = (here / "resample.py", here / "polyphase.py", *(there / name for name in _KERNEL_FILES))
    versions = f"{compiled.variant()} {np.__version__}"
    return sha256(b"".join(file.read_bytes() for file in files) + versions.encode()).hexdigest()


_KERNEL_FILES = ("resample.py", "resample.c", "transpose.h", "lanes.h")


def exact_ratio(rate: Fraction, target: int) -> Fraction:
    """By which samples at `rate` Hz become more, or fewer, at `target` Hz; an error if a filter for it is too long."""
    ratio = Fraction(target) / rate
    if max(ratio.numerator, ratio.denominator) > LARGEST_FACTOR:
        raise RecordingError(f"a rate of {float(rate):.6f} Hz makes no simple ratio to {target} Hz; round it")
    return ratio


def _by_soxr(blocks: Iterable[Samples], mean: float, ratio: Fraction) -> Iterator[Samples]:
    try:
        import soxr
    except ImportError:
        raise missing("resampling by soxr", "soxr") from None
    stream = soxr.ResampleStream(ratio.denominator, ratio.numerator, 1, dtype="float32", quality="VHQ")
    offset, nothing = np.float32(mean), np.empty(0, np.float32)
    for block, following in pairwise(chain(blocks, [nothing])):
        with np.errstate(over="ignore", invalid="ignore"):
            out = stream.resample_chunk(block - offset, last=following is nothing) + offset
        check_range(out)
        yield out


def _named(blocks: Iterator[Samples], name: str) -> Iterator[Samples]:
    with _overflow_in(name):
        yield from blocks


@contextmanager
def _overflow_in(name: str) -> Iterator[None]:
    try:
        yield
    except OverflowError:
        raise RecordingError(f"{name}: the samples are too large to be resampled; scale the recording") from None
