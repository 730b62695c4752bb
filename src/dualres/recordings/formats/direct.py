"""Reading binary files in this very process, where it is one that may be lost: a worker that judges an archive."""

import math
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dualres.recordings.formats.contents import MOST_VECTORS, Array, Vector, in_plain_numbers
from dualres.recordings.formats.registry import Format, pick
from dualres.recordings.formats.sandbox import MEMORY, SECONDS, Guard

LARGEST = 16 << 20  # bytes of a file: of a larger one the way to another process is no part worth saving


class DirectGuard(Guard):
    """As `Guard`, whose child is asked only for what cannot be read here, and says what is wrong with it.

    A file that crashes its library, or keeps it busy for longer than is allowed, ends this process. Whoever started it
    gives the file to another one, which reads it by a `Guard`.
    """

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        super().__init__(seconds, memory)
        limit_this_process(memory)

    def extract(
        self, path: Path, format: Format, channel: str | None, *, start: int = 0, stop: int | None = None
    ) -> tuple[list[Vector], Array | None]:
        """As `Guard.extract`."""
        try:
            if start == 0 and path.stat().st_size <= LARGEST:
                with _alarm(self.seconds):
                    listing, vector = pick(format.parse(path), channel, start, stop)
                    if len(listing) <= MOST_VECTORS and all(map(_is_sound, listing)):
                        return list(map(_plain, listing)), None if vector is None else in_plain_numbers(vector)
        except Exception:
            pass
        return super().extract(path, format, channel, start=start, stop=stop)


def limit_this_process(memory: int) -> None:
    """Let this process have `memory` bytes more than now, and leave no picture of its memory where it crashes."""
    if sys.platform == "win32":
        return
    import resource

    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:  # the system does not tell, and does not limit either
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = pages * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """One that nothing catches ends the process, whatever it is busy with."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_REAL, 0)


def _is_sound(one: Vector) -> bool:
    return one.length >= 0 and (one.speed_hz is None or 0 < one.speed_hz < math.inf)


def _plain(one: Vector) -> Vector:
    """As the child tells of it."""
    return Vector(one.name, one.length, one.kind[:1], one.rate, one.note, one.unit, one.speed_hz)
