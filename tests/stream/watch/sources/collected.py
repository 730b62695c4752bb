"""What a source puts, while a test looks on."""

import threading

import numpy as np

from dualres.stream.monitor.chunk import DTYPES
from dualres.stream.watch.sources.source import SourceOptions
from tests.stream.watch.agents import until


class Collected:
    def __init__(self, source, known=None):
        self.chunks, self.said, self.stopped = [], [], threading.Event()
        arguments = (self.chunks.append, self.said.append, self.stopped, known or {})
        self.thread = threading.Thread(target=source.run, args=arguments, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join(10)
        assert not self.thread.is_alive()

    def until(self, condition, seconds=10):
        """Wait until the condition holds of what was collected so far."""
        until(lambda: condition(self), seconds, lambda: (self.chunks, self.said))
        return self

    def samples(self, stream=None):
        some = [c for c in self.chunks if stream in (None, c.stream)]
        return np.concatenate([np.frombuffer(c.data, DTYPES[c.form.dtype]) for c in some]) if some else np.empty(0)


def options(model=None, **given):
    return SourceOptions(model, **given)


def wav(samples, rate=8000, *, length=None, more=b""):
    """A WAV of one channel, as it looks at the beginning of a stream."""
    import struct

    kind, bits = (3, 32) if samples.dtype == np.float32 else (1, 16)
    size = samples.nbytes if length is None else length
    header = struct.pack("<4sIHHIIHH", b"fmt ", 16, kind, 1, rate, rate * bits // 8, bits // 8, bits)
    head = b"RIFF" + struct.pack("<I", 36) + b"WAVE" + b"LIST" + struct.pack("<I", 3) + b"abc\0" + header
    return head + b"data" + struct.pack("<I", size) + samples.tobytes() + more
