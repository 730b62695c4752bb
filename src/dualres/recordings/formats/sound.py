"""Sound files, one signal per channel."""

import os
import re
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dualres.recordings.formats.contents import Array, Contents, Vector, VectorSlice

# How libsndfile hands over each encoding, and by how many bits it shifts the counts of the file to fill the type.
_SAMPLES = {
    "PCM_S8": ("int16", 8),
    "PCM_U8": ("int16", 8),
    "PCM_16": ("int16", 0),
    "PCM_24": ("int32", 8),
    "PCM_32": ("int32", 0),
    "FLOAT": ("float32", 0),
    "DOUBLE": ("float64", 0),
}
_AT_ONCE = 1 << 18  # numbers of all channels: what is decoded for the others is dropped while it is in the cache


def read_sound(magic: tuple[bytes, ...], path: Path) -> Contents:
    """The channels, as `channel 1`, `channel 2` ...; integer encodings give counts. The file begins with a `magic`."""
    import soundfile

    with path.open("rb") as begin:
        if begin.read(4) not in magic:
            raise ValueError("it does not begin as one")
    file = soundfile.SoundFile(os.fsencode(path) if os.name == "posix" else path)  # a name need not be UTF-8
    dtype, _ = _SAMPLES.get(file.subtype, ("int16", 0))
    rate = Fraction(file.samplerate) if file.samplerate > 0 else None
    bits = re.fullmatch(r"PCM_[SU]?(\d+)", file.subtype)
    unit = f"{bits[1]}-bit counts" if bits else None
    contents: Contents = {}
    for i in range(file.channels):
        part = partial(_part, file, i)
        # Other encodings are not known to be the same wherever one begins to decode.
        load = VectorSlice(part) if file.subtype in _SAMPLES else partial(part, 0, file.frames)
        contents[Vector(f"channel {i + 1}", file.frames, np.dtype(dtype).kind, rate, unit=unit)] = load
    return contents


def _part(file: Any, channel: int, start: int, stop: int) -> Array:
    """Samples from `start` to `stop`; `file` is held here so that it stays open until then."""
    dtype, surplus = _SAMPLES.get(file.subtype, ("int16", 0))
    if file.seekable() and file.tell() != start:
        file.seek(start)
    samples = np.empty(stop - start, dtype)
    done = len(file.read(out=samples)) if file.channels == 1 else _pick(file, channel, samples)
    if done < len(samples):
        raise ValueError(f"it ends after {start + done} of {file.frames} samples")
    if surplus:
        samples >>= surplus
    return samples


def _pick(file: Any, channel: int, samples: Array) -> int:
    frames = np.empty((max(1, _AT_ONCE // file.channels), file.channels), samples.dtype)
    done = 0
    while done < len(samples):
        found = file.read(out=frames[: len(samples) - done])
        if not len(found):
            break
        samples[done : done + len(found)] = found[:, channel]
        done += len(found)
    return done
