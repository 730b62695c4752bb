"""A file that grows: raw samples or WAV, followed as it is written."""

import os
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from dualres.errors import RecordingError
from dualres.stream.monitor.chunk import Chunk, Form
from dualres.stream.watch.sources.file_identity import FileIdentity
from dualres.stream.watch.sources.path_names import stream_name
from dualres.stream.watch.sources.source import Put, Say, Source, SourceOptions, StreamPosition, position_in
from dualres.stream.watch.sources.wav import WAV_BEGIN, begins_wav, form_in_header
from dualres.utils.special_files import open_regular

MOST = 1 << 18  # bytes at a time
POLL_S = 0.1


class GrowingFile(Source):
    """Where a file was replaced or cut off, another run of the stream begins with what is there now."""

    def __init__(self, name: str, options: SourceOptions) -> None:
        self._path = Path(name)
        super().__init__(stream_name(self._path), options)
        self.ends = not options.follow

    def run(self, put: Put, say: Say, stopped: threading.Event, positions: Mapping[str, StreamPosition]) -> None:
        self._put, self._say, self._stopped, known = put, say, stopped, dict(positions)
        while not stopped.is_set():
            try:
                file = open_regular(self._path)
            except FileNotFoundError:
                if not self.options.follow:
                    raise
                stopped.wait(POLL_S)  # between two of them
                continue
            with file:
                header = self._begin(file)
                if header is None:
                    continue
                form, length = header
                if not self._judge(file, form, length, position_in(known, self.name, form)):
                    return
            if stopped.is_set():
                return
            put(Chunk(self.name, form, last=True))
            if not self.options.follow:
                return
            say(f"{self.name}: is another file now; it is read from its beginning")
            known = {}

    def _judge(self, file: BinaryIO, form: Form, length: int | None, before: StreamPosition | None) -> bool:
        """Put what is new in it, up to its end; False where all was before."""
        run, reached, identity = "", 0, None
        if before and before.ended and not self.options.follow:
            self._say(f"{self.name}: was read to its end before; a fresh --state FOLDER judges it again")
            return False
        if before and not before.ended:
            run, reached = before.start.partition("@")[0], before.stop
            identity = FileIdentity.parsed(run)
            if identity and not identity.fits(file):
                self._put(Chunk(self.name, form, last=True))
                self._say(
                    f"{self.name}: is another file than the one that was read before; it is read from its beginning"
                )
                run, reached, identity = "", 0, None
        identity = identity or FileIdentity.awaited(file, lambda: self._over(file), self._wait)
        run = run or identity.new_run()
        begin = file.tell()
        file.seek(begin + reached * form.width)
        if file.tell() <= os.fstat(file.fileno()).st_size:
            end = None if self.options.follow or length is None else begin + length
            self._follow(file, Chunk(self.name, form, first=reached, start=run), identity, end)
        return True

    def _follow(self, file: BinaryIO, chunk: Chunk, identity: FileIdentity, end: int | None) -> None:
        """Put what there is and what is added behind an empty chunk, until the file is another one, or up to its end if
        that is wanted."""
        rest = b""
        while not self._stopped.is_set():
            more = file.read(MOST if end is None else max(0, min(MOST, end - file.tell())))
            if more and not identity.fits(file):  # written anew from its beginning, longer than before
                return
            whole, rest = chunk.form.split(rest + more)
            if whole:
                assert chunk.first is not None
                self._put(replace(chunk, data=whole, at=time.time()))
                chunk = replace(chunk, first=chunk.first + chunk.form.count(whole))
            if not more:
                if not self.options.follow or self._replaced(file):
                    if rest:
                        self._say(f"{self.name}: the last {len(rest)} bytes are no whole sample, and are left out")
                    return
                self._wait()

    def _wait(self) -> None:
        self._stopped.wait(POLL_S)

    def _over(self, file: BinaryIO) -> bool:
        """Whether no more comes of this file."""
        return self._stopped.is_set() or not self.options.follow or self._replaced(file)

    def _replaced(self, file: BinaryIO) -> bool:
        try:
            there, here = self._path.stat(), os.fstat(file.fileno())
        except FileNotFoundError:  # between two of them
            return False
        return (there.st_ino, there.st_dev) != (here.st_ino, here.st_dev) or there.st_size < file.tell()

    def _begin(self, file: BinaryIO) -> tuple[Form, int | None] | None:
        """What its samples are, and how many bytes if that is known; None if it is another file before it says so."""

        def over() -> bool:
            return self._stopped.is_set() or (self.options.follow and self._replaced(file))

        def read(count: int) -> bytes:
            """So many bytes, as soon as whoever writes the file has come so far; fewer where no more will come."""
            found = b""
            while len(found) < count:
                more = file.read(count - len(found))
                if not more:
                    if not self.options.follow or over():
                        break
                    self._stopped.wait(POLL_S)
                found += more
            return found

        try:
            if begins_wav(read(WAV_BEGIN)):
                return form_in_header(read, self.name)
        except RecordingError:
            if not over():
                raise
        if over():
            return None
        file.seek(0)
        return self.options.form(self.name), None
