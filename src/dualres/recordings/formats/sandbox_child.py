"""What runs in the process that `Guard` watches over.

The child says one byte when it is ready. A request is one line of JSON, for a vector or a part of it; the answer is two
sizes, a JSON header and the samples as raw bytes. Nothing is pickled.
"""

import contextlib
import json
import logging
import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from dualres.errors import ConfigError
from dualres.recordings.formats.contents import MOST_VECTORS, READY, SIZES, Array, Contents, Vector, in_plain_numbers
from dualres.recordings.formats.registry import Format, format_named, pick


def serve(first_format: str) -> None:
    """Answer requests until there are no more; `first_format` is the one whose library will be needed first."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):  # a library that prints must not speak to the parent
        os.dup2(nothing, stream)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # crashes are expected here
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    logging.disable()  # nobody reads what a library has to say about a damaged file
    with contextlib.suppress(ImportError, OSError, ConfigError):  # a request will meet the same error, and tell
        import_module(format_named(first_format).library or "numpy")
    answers.write(READY)
    answers.flush()
    reader = _Reader()
    for line in requests:
        header, vector = reader.answer(json.loads(line))
        encoded = json.dumps(header).encode()
        answers.write(SIZES.pack(len(encoded), 0 if vector is None else vector.nbytes) + encoded)
        if vector is not None:
            answers.write(vector.view(np.uint8).data)
        answers.flush()


class _Reader:
    """Answers requests, and knows the file of the last one: FLAC takes long to find a place if one does not go on."""

    def __init__(self) -> None:
        self._in_use: dict[str, int] = {}  # library -> bytes of address space when it had been imported
        self._contents: Contents = {}
        self._continued_by: tuple[Any, ...] | None = None

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, Any], Array | None]:
        """Header and samples of the answer."""
        try:
            format = format_named(request["format"])
        except ConfigError as error:
            return {"error": str(error)}, None
        assert format.library
        if format.library not in self._in_use:
            _limit_memory(None)
            try:
                import_module(format.library)
            except ImportError:
                return {"missing": format.library}, None
            except OSError as error:  # soundfile is there, and libsndfile is not
                return {"error": f"{format.library} does not load; install what it asks for ({error})"}, None
            try:
                pages = int(Path("/proc/self/statm").read_text().split()[0])
                self._in_use[format.library] = pages * os.sysconf("SC_PAGE_SIZE")
            except OSError:  # the system does not tell, and does not limit either
                self._in_use[format.library] = 0
        _limit_memory(max(self._in_use.values()) + request["memory"])
        _limit_time(request["seconds"])
        answer = self._read(format, request)
        _limit_time(0)
        return answer

    def _read(self, format: Format, request: dict[str, Any]) -> tuple[dict[str, Any], Array | None]:
        try:
            listing, vector = self._extract(format, request)
            if len(listing) > MOST_VECTORS:
                return {"error": f"it holds {len(listing)} vectors, more than {MOST_VECTORS}"}, None
            vector = None if vector is None else in_plain_numbers(vector)
        except MemoryError:
            return {"error": f"it takes more than {request['memory'] / 2**30:.3g} GiB of memory"}, None
        except Exception as error:  # whatever the library makes of the file
            return {"error": f"{error}"[:500] or type(error).__name__}, None
        rows = [
            (one.name, one.length, one.kind, one.rate and str(one.rate), one.note, one.unit, one.speed_hz)
            for one in listing
        ]
        return {"listing": rows, "dtype": None if vector is None else vector.dtype.str[1:]}, vector

    def _extract(self, format: Format, request: dict[str, Any]) -> tuple[list[Vector], Array | None]:
        """As `formats.pick`; the first part of a vector is always read from a file that was opened for it."""
        start, stop = request["start"], request["stop"]
        which = (request["path"], format.name, request["channel"])
        goes_on = start > 0 and self._continued_by == (*which, start)
        contents = self._contents if goes_on else format.parse(Path(request["path"]))
        self._contents, self._continued_by = {}, None
        listing, vector = pick(contents, request["channel"], start, stop)
        if vector is not None and stop is not None and len(vector) == stop - start:
            self._contents, self._continued_by = contents, (*which, stop)
        return listing, vector


def _limit_memory(size: int | None) -> None:
    """Of the address space, in bytes; None for as much as the system grants."""
    if sys.platform != "win32":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        wanted = most if size is None else size
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))


def _limit_time(seconds: float) -> None:
    """An alarm that nothing catches ends the process, whatever it is busy with; 0 for no alarm."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    serve(sys.argv[1])
