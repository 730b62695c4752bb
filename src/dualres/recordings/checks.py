"""Whether what a file holds can be a signal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from dualres.errors import RecordingError
from dualres.recordings.listing import Array
from dualres.recordings.recording import Samples


def checked(path: Path, vectors: Iterable[Array]) -> Iterator[Samples]:
    """Successive blocks of a signal as float32; after the last one, an error unless all are finite and some differ.

    Blocks are held back from the first one on that is not usable.
    """
    count: Counter[str] = Counter()
    first: dict[str, int] = {}
    low, high, length = np.float32(np.inf), np.float32(-np.inf), 0
    for vector in vectors:
        if vector.dtype.kind == "f" and not np.isfinite(vector).all():
            for name, wrong in (("NaN", np.isnan(vector)), ("infinite", np.isinf(vector))):
                if wrong.any():
                    count[name] += int(np.count_nonzero(wrong))
                    first.setdefault(name, length + int(np.argmax(wrong)))
        elif not count:
            with np.errstate(over="ignore"):
                samples = vector.astype(np.float32, copy=False)
            low, high = min(low, samples.min()), max(high, samples.max())
            if np.isfinite(low) and np.isfinite(high):
                yield samples
        length += len(vector)
    for name in ("NaN", "infinite"):
        if name in count:
            raise RecordingError(
                f"{path}: {count[name]} of {length} samples are {name}, the first is number {first[name]}; "
                "repair or leave out the recording"
            )
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RecordingError(f"{path}: it has samples beyond 3.4e38, the range of float32; scale the recording")
    if low == high:
        raise RecordingError(
            f"{path}: the signal is constant, all {length} samples are {low:g}; was the sensor connected?"
        )
