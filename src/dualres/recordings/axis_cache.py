"""Axes of one file, read at once: those beside the one that is needed are kept until they are, or another file is."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from dualres.recordings.readers import read
from dualres.recordings.recording import FileStamp, Samples

_Key = tuple[Path, FileStamp | None, tuple[str, ...], Fraction]
_kept: tuple[_Key | None, dict[str, Samples]] = (None, {})  # of the last file, each until it is handed out


@dataclass(frozen=True)
class Axis:
    """Loads the samples of an axis, and with them those of the others: most who need one need the next one, too."""

    path: Path
    channels: tuple[str, ...]
    channel: str  # one of them
    rate: Fraction

    def __call__(self) -> Samples:
        global _kept
        stamp = FileStamp.of(self.path.stat()) if self.path.exists() else None  # `read` says what is wrong then
        key = (self.path, stamp, self.channels, self.rate)
        last, others = _kept
        found = others.pop(self.channel, None) if last == key else None
        if found is None:
            whole = read(self.path, self.channels, self.rate)
            others = {axis.origin.channel or "": axis.signal for axis in whole.axes}
            found = others.pop(self.channel)
            _kept = key, others
        return found
