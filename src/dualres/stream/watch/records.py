"""What a spool holds: streams, chunks of their samples, how far they are judged, and verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from dualres.stream.monitor.chunk import Form


@dataclass
class Stream:
    id: int
    name: str
    start: str  # tells this run of the stream from another
    form: Form
    began: int  # index of the first sample that ever came
    position: int  # samples up to here are judged
    marker: dict[str, Any] | None  # of the monitor, at `position`
    ended: bool = False

    @property
    def key(self) -> str:
        """What the ids of its verdicts begin with."""
        return f"{self.name}/{self.start}"


@dataclass(frozen=True, slots=True)
class StoredChunk:
    id: int
    stream: int
    first: int
    count: int
    data: bytes
    side: Mapping[str, str]
    at: float  # when it came, in seconds since 1970
    last: bool

    @property
    def stop(self) -> int:
        """The index of the first sample behind it."""
        return self.first + self.count

    def without_samples(self) -> Self:
        """To remember it by, in little memory."""
        return type(self)(self.id, self.stream, self.first, self.count, b"", self.side, self.at, self.last)


@dataclass(frozen=True, slots=True)
class StreamProgress:
    stream: Stream
    position: int
    marker: dict[str, Any] | None
    unneeded: Sequence[StoredChunk]
    ended: bool = False


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    id: int  # in the order in which they were made
    key: str  # the same for the same verdict, whenever it is sent
    data: dict[str, Any]
