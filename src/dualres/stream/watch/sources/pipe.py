"""Standard input: raw samples or WAV, until it ends."""

import os
import sys
import threading
from collections.abc import Mapping

from dualres.errors import ConfigError
from dualres.stream.monitor.chunk import Chunk
from dualres.stream.watch.sources.source import Put, Say, Source, StreamPosition
from dualres.stream.watch.sources.wav import WAV_BEGIN, begins_wav, form_in_header

MOST = 1 << 18  # bytes at a time: what a fast writer has ready


class Pipe(Source):
    live = ends = True

    def run(self, put: Put, say: Say, stopped: threading.Event, positions: Mapping[str, StreamPosition]) -> None:
        if sys.stdin is None:
            raise ConfigError("standard input is closed; pipe samples into the command, or name another source")
        descriptor = sys.stdin.fileno()
        begin = _read(descriptor, WAV_BEGIN)
        if begins_wav(begin):
            (form, left), rest = form_in_header(lambda count: _read(descriptor, count), self.name), b""
        else:
            form, left, rest = self.options.form(self.name), None, begin
        any_samples = False
        while not stopped.is_set():
            more = os.read(descriptor, MOST if left is None else min(MOST, left))  # other things may follow samples
            left = None if left is None else left - len(more)
            whole, rest = form.split(rest + more)
            if whole:
                put(Chunk(self.name, form, whole))
                any_samples = True
            if not more:
                if rest:
                    say(f"{self.name}: the last {len(rest)} bytes are no whole sample, and are left out")
                if not any_samples:
                    say(f"{self.name}: ended before a sample came; look at what writes to it")
                put(Chunk(self.name, form, last=True))
                return


def _read(descriptor: int, count: int) -> bytes:
    """So many bytes; fewer at the end."""
    found = b""
    while len(found) < count and (more := os.read(descriptor, count - len(found))):
        found += more
    return found
