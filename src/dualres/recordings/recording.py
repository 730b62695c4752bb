"""One signal with what is known about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dualres.errors import ConfigError, RecordingError

Samples = npt.NDArray[np.float32]
Rate = Fraction | int | float | str  # Hz


def exact_rate(rate: Rate) -> Fraction:
    """A rate as it was written: 66666.7 is 666667/10, not the nearest binary fraction; "200000/3" is exact, too."""
    try:
        exact = Fraction(str(rate))
    except (ValueError, ZeroDivisionError):
        exact = Fraction(0)
    if exact <= 0:
        raise ConfigError(f"rate {rate!r} is no number of Hz; write 12800 or 200000/3")
    return exact


@dataclass(frozen=True)
class Origin:
    """Where a signal came from."""

    path: Path | None = None  # the file, None for one that was computed
    sha256: str | None = None  # of the file as released
    channel: str | None = None


@dataclass(frozen=True)
class Recording:
    """A vibration signal at its native rate.

    The samples are loaded when `signal` is asked for and not kept, so that a list of thousands of
    recordings costs no memory.
    """

    id: str
    load: Callable[[], Samples] = field(repr=False, compare=False)
    rate: Fraction  # Hz, exact
    label: str | None = None
    component: str | None = None  # the physical unit: a bearing, a gearbox case
    condition: Mapping[str, str] = field(default_factory=dict)  # speed, load, repeat ...
    origin: Origin = field(default_factory=Origin)

    def __post_init__(self) -> None:
        if self.rate <= 0:
            raise RecordingError(f"{self.id}: the sampling rate is {self.rate} Hz; give a positive one")

    @classmethod
    def from_array(
        cls,
        signal: npt.ArrayLike,
        rate: Rate,
        id: str = "array",
        label: str | None = None,
    ) -> Recording:
        """A recording of samples already in memory; `rate` in Hz may be a string such as "200000/3"."""
        samples = np.asarray(signal, dtype=np.float32)
        return cls(id=id, load=lambda: samples, rate=exact_rate(rate), label=label)

    @property
    def signal(self) -> Samples:
        """The samples: float32, 1-D, finite."""
        samples = self.load()
        if samples.ndim != 1:
            raise RecordingError(f"{self.id}: one channel is needed, but the array has shape {samples.shape}")
        if samples.size == 0:
            raise RecordingError(f"{self.id}: there are no samples in it")
        if not np.isfinite(samples).all():
            bad = int(np.count_nonzero(~np.isfinite(samples)))
            raise RecordingError(f"{self.id}: {bad} samples are NaN or infinite; repair or leave out the recording")
        return samples
