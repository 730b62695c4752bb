"""What one process leaves for the next: all that its spool holds of streams, at a moment when sinks have its verdicts.

Chunks are acknowledged when a checkpoint that holds what came of them is safe, so the next process finds every sample
in the checkpoint or gets it from the broker.
"""

import json
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dualres.errors import MISFIT, ConfigError
from dualres.stream.monitor.chunk import Form
from dualres.stream.watch.records import StoredChunk, Stream
from dualres.stream.watch.spool import Spool
from dualres.utils.json_text import json_value

EVERY_S = 5.0
LEAST_S = 1.0  # between two, where nothing more comes: the broker may wait for acknowledgements
MOST = 500  # chunks that are not acknowledged
RUNS = MOST  # of every stream that are remembered: of messages that come again it must be known whether they are new
_LENGTH = struct.Struct("<Q")
_STREAM = ("id", "name", "start", "began", "position", "marker", "ended")
_CHUNK = ("id", "stream", "first", "count", "side", "at", "last")


@dataclass(frozen=True)
class StreamCheckpoint:
    by: str  # the process that left it
    streams: list[Stream]
    chunks: list[StoredChunk]


def pack(spool: Spool, by: str) -> bytes:
    """Streams and chunks: JSON with its length before it, then the bytes of all chunks."""
    runs: dict[str, list[Stream]] = {}
    for stream in spool.streams():
        runs.setdefault(stream.name, []).append(stream)
    streams = [stream for some in runs.values() for stream in some[-RUNS:]]
    ids = {stream.id for stream in streams}
    chunks = [chunk for chunk in spool.chunks() if chunk.stream in ids]
    data = {
        "of": spool.path.stem,
        "by": by,
        "streams": [{**{n: getattr(one, n) for n in _STREAM}, "form": one.form.as_text()} for one in streams],
        "chunks": [{**{n: getattr(one, n) for n in _CHUNK}, "bytes": len(one.data)} for one in chunks],
    }
    text = json.dumps(data).encode()
    return b"".join([_LENGTH.pack(len(text)), text, *(chunk.data for chunk in chunks)])


def unpack(payload: bytes, spool: Spool) -> StreamCheckpoint:
    """A ConfigError where it is none, or of another model."""
    try:
        (length,) = _LENGTH.unpack_from(payload)
        at = _LENGTH.size + length
        data = json_value(payload[_LENGTH.size : at])
        streams = [Stream(**{n: one[n] for n in _STREAM}, form=Form.parsed(one["form"])) for one in data["streams"]]
        chunks = []
        for one in data["chunks"]:
            samples = payload[at : at + one["bytes"]]
            chunks.append(StoredChunk(**{n: one[n] for n in _CHUNK}, data=samples))
            at += one["bytes"]
        of, by = data["of"], data["by"]
    except (*MISFIT, struct.error) as error:
        raise ConfigError(f"what another process left cannot be understood ({error})") from error
    if at != len(payload):
        raise ConfigError(f"what another process left cannot be understood ({len(payload)} bytes, not {at})")
    if of != spool.path.stem:
        raise ConfigError("what another process left is of another model, or of blocks of another length")
    return StreamCheckpoint(by, streams, chunks)


@dataclass
class _PendingCheckpoint:
    data: bytes
    verdict: int  # the last one that sinks must have
    acknowledgements: Sequence[Callable[[], None]]
    stored: Callable[[], bool] | None = None


class Checkpoints:
    """When to leave one, and which chunks are acknowledged by it; in the agent's thread."""

    def __init__(self, spool: Spool, by: str, store: Callable[[bytes], Callable[[], bool]]) -> None:
        """`by` names this process. `store` begins to store one, and what it gives says whether that is done."""
        self._spool, self._by, self._store = spool, by, store
        self._waiting: list[Callable[[], None]] = []
        self._pending: _PendingCheckpoint | None = None
        self._at = time.monotonic()

    def add(self, acknowledgements: Sequence[Callable[[], None]]) -> None:
        """Of chunks that were committed to the spool."""
        self._waiting += acknowledgements

    def advance(self, delivered: int, quiet: bool) -> None:
        """All sinks have the verdicts up to `delivered`. `quiet`: nothing came. To be called when all is judged."""
        passed = time.monotonic() - self._at
        due = passed >= (LEAST_S if quiet else EVERY_S) or len(self._waiting) >= MOST
        if not self._pending and self._waiting and due:
            self._pending = _PendingCheckpoint(pack(self._spool, self._by), self._spool.last_verdict, self._waiting)
            self._waiting = []
        pending = self._pending
        if pending and not pending.stored and delivered >= pending.verdict:
            pending.stored, pending.data = self._store(pending.data), b""
        if pending and pending.stored and pending.stored():
            for acknowledge in pending.acknowledgements:
                acknowledge()
            self._pending, self._at = None, time.monotonic()
