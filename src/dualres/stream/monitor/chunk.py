"""A piece of a stream as a source hands it over: bytes, what they mean, and where in the stream they belong."""

import json
import struct
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np

from dualres.errors import ConfigError
from dualres.recordings.recording import Samples
from dualres.utils.json_text import json_value
from dualres.utils.rates import Rate, exact_rate

DTYPES: dict[str, np.dtype[Any]] = {"f32": np.dtype("<f4"), "i16": np.dtype("<i2")}
MOST_CHANNELS = 1024
STAMP = struct.Struct("<QQ")  # before the samples of a stamped chunk: the stream's start, the first sample's index
MOST_SAMPLES = 1 << 62  # of a stream; the spool's numbers have 63 bits


@dataclass(frozen=True)
class Form:
    """What the bytes of a chunk mean; samples of several channels take turns."""

    rate: Fraction  # Hz
    dtype: str = "f32"
    channels: int = 1

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise ConfigError(f"samples of the kind {self.dtype!r} cannot be read; there are {', '.join(DTYPES)}")
        if not 1 <= self.channels <= MOST_CHANNELS:
            raise ConfigError(f"{self.channels} channels were given; there may be 1 to {MOST_CHANNELS}")

    @classmethod
    def of(cls, rate: Rate, dtype: str = "f32", channels: int = 1) -> Self:
        return cls(exact_rate(rate), dtype, channels)

    @cached_property
    def hertz(self) -> float:
        """The rate, to the nearest float: dividing by a fraction takes a microsecond, and there are many chunks."""
        return float(self.rate)

    @cached_property
    def width(self) -> int:
        """Bytes of one sample of all channels."""
        return DTYPES[self.dtype].itemsize * self.channels

    def count(self, data: bytes) -> int:
        """Samples of each channel."""
        return len(data) // self.width

    def split(self, data: bytes) -> tuple[bytes, bytes]:
        """Whole samples of all channels, and the bytes of the next one."""
        whole = len(data) - len(data) % self.width
        return data[:whole], data[whole:]

    def samples(self, data: bytes | memoryview) -> Samples:
        """(n,) of one channel, (n, channels) of several; int16 gives counts, as those of a file do."""
        one: Samples = np.frombuffer(data, DTYPES[self.dtype]).astype(np.float32)
        return one if self.channels == 1 else one.reshape(-1, self.channels)

    def as_text(self) -> str:
        return json.dumps({"rate": str(self.rate), "dtype": self.dtype, "channels": self.channels})

    @classmethod
    def parsed(cls, text: str) -> Self:
        return cls.of(**json_value(text))


@dataclass(frozen=True, slots=True)
class Chunk:
    """Samples of one stream in the order in which they were taken.

    A source that numbers its samples gives `first`; what another one sends follows what came before, `missing`
    samples of each channel later. `start` tells one run of a stream from the next, and None goes on with the last one.
    """

    stream: str
    form: Form
    data: bytes = field(default=b"", repr=False)
    first: int | None = None  # index of the first sample since the stream began
    missing: int = 0
    start: str | None = None
    side: Mapping[str, str] = field(default_factory=dict)  # speed, load: what else is known of this moment
    last: bool = False  # whether the stream ends behind it
    acknowledge: Callable[[], None] | None = None  # called when the chunk is safe
    at: float = field(default_factory=time.time, compare=False)  # when it came, in seconds since 1970

    def __post_init__(self) -> None:
        if len(self.data) % self.form.width:
            raise ConfigError(f"{self.stream}: {len(self.data)} bytes are no whole number of samples")

    @property
    def count(self) -> int:
        return self.form.count(self.data)


def split_stamp(payload: bytes) -> tuple[str, int, bytes]:
    """Start, index of the first sample, and the samples' bytes."""
    if len(payload) < STAMP.size:
        raise ConfigError(f"{len(payload)} bytes hold no stamp, which takes {STAMP.size}")
    start, first = STAMP.unpack_from(payload)
    if first >= MOST_SAMPLES:
        raise ConfigError(f"its stamp says that it begins with sample {first:,}; are there stamps before its samples?")
    return str(start), first, payload[STAMP.size :]
