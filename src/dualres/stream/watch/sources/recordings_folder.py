"""A folder that fills: every new file that is complete is a recording, and a stream of its own."""

import re
import threading
import time
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np

from dualres.errors import DualResError, RecordingError
from dualres.judge.model import Model
from dualres.judge.verdict import channels_to_read
from dualres.recordings.axes import in_order
from dualres.recordings.labels.read import files_below
from dualres.recordings.readers import read
from dualres.recordings.recording import Recording
from dualres.stream.monitor.chunk import Chunk, Form
from dualres.stream.watch.sources.file_identity import FileIdentity
from dualres.stream.watch.sources.path_names import stream_name
from dualres.stream.watch.sources.source import Put, Say, Source, SourceOptions, StreamPosition
from dualres.utils.special_files import open_regular

POLL_S = 0.5
SETTLED_S = 2.0  # a file that did not change for so long is complete
AT_ONCE = 1 << 16  # samples of each channel in a chunk

SizeAndTime = tuple[int, int]  # size and time of the last change
_CHANNEL = re.compile(r"\[\d+\]$")


class RecordingsFolder(Source):
    def __init__(self, name: str, options: SourceOptions) -> None:
        self._folder = Path(name)
        super().__init__(stream_name(self._folder), options)
        self.ends = not options.follow
        self._sizes: dict[Path, tuple[SizeAndTime, float]] = {}  # since when a file has been as it is
        self._attempts: dict[Path, SizeAndTime] = {}

    def machine_of(self, stream: str) -> str | None:
        """The folder that a recording lies in; where channels are a stream each, a place on a machine for each."""
        path, channel = Path(stream), _CHANNEL.search(stream)
        return f"{path.parent}{channel[0] if channel else ''}" if Path(self.name) in path.parents else None

    def run(self, put: Put, say: Say, stopped: threading.Event, positions: Mapping[str, StreamPosition]) -> None:
        self._say, done = say, {name for name, one in positions.items() if one.ended}
        while not stopped.is_set():
            for path in self._complete(done):
                try:
                    self._put(path, put, stopped, positions.get(stream_name(path)))
                    done.add(stream_name(path))
                    del self._sizes[path], self._attempts[path]  # a folder may fill for years
                except DualResError as error:
                    say(f"not judged  {error}")
                if stopped.is_set():
                    return
            if not self.options.follow:
                return
            stopped.wait(POLL_S)

    def _complete(self, done: set[str]) -> list[Path]:
        """Files that nobody writes to any more, and that were not looked at as they are now."""
        found = []
        for path in files_below(self._folder):
            if stream_name(path) in done:
                continue
            try:
                status = path.stat()
            except OSError:  # gone in between
                continue
            stamp, now = (status.st_size, status.st_mtime_ns), time.monotonic()
            before, since = self._sizes.get(path, (None, now))
            if before != stamp:
                self._sizes[path] = (stamp, now)
                since = now
            old = time.time() - status.st_mtime >= SETTLED_S
            if (old or now - since >= SETTLED_S or not self.options.follow) and self._attempts.get(path) != stamp:
                self._attempts[path] = stamp  # unless it turns out well: a changed file is tried again
                found.append(path)
        return found

    def _put(self, path: Path, put: Put, stopped: threading.Event, before: StreamPosition | None) -> None:
        name, run, reached, first = stream_name(path), "", 0, 0
        identity = _identity_of(path)
        if before and not before.ended:
            run, reached = before.start.partition("@")[0], before.stop
            known = FileIdentity.parsed(run)
            if known and known != identity:
                self._say(f"{name}: is another file than was judged in part; it is judged from its beginning")
                run, reached = "", 0
        run = run or identity.new_run()
        axes = axes_in(path, self.options.model, self.options.rate)
        form, speed = Form(axes[0].rate, "f32", len(axes)), axes[0].speed
        side = {"speed": f"{speed.mean_hz!r}Hz"} if speed else {}
        for blocks in zip(*(axis.blocks(AT_ONCE) for axis in axes), strict=True):
            count = len(blocks[0])
            if first + count > reached and not stopped.is_set():
                data = np.stack(blocks, axis=1).astype("<f4").tobytes()
                put(Chunk(name, form, data, first, start=run, side=side))
            first += count
        if not stopped.is_set():
            put(Chunk(name, form, last=True))


def _identity_of(path: Path) -> FileIdentity:
    try:
        with open_regular(path) as file:
            return FileIdentity.of(file)
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read ({error.strerror})") from error


def axes_in(path: Path, model: Model, rate: Fraction | None) -> tuple[Recording, ...]:
    """The signals of a file that the model judges; `rate` in Hz if it does not state it."""
    recording = read(path, channels_to_read(model, None), rate, usual=model.training_profile)
    return in_order(recording, model.card.channels)
