"""Memory that begins where a line of the cache begins: else every vector of 64 bytes would lie across two."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_LINE = 16  # floats


def aligned(count: int) -> npt.NDArray[np.float32]:
    """Room for `count` floats, whose values are undefined."""
    room = np.empty(count + _LINE, np.float32)
    skipped = -room.ctypes.data % (4 * _LINE) // 4
    return room[skipped : skipped + count]
