"""Memory as the kernel wants it: runs of floats that begin where a line of the cache begins."""

import ctypes

import numpy as np

from dualres.utils.arrays import Floats

LINE = 16  # floats in a line of the cache


def aligned(count: int) -> Floats:
    """Room for `count` floats, whose values are undefined.

    It begins where a line of the cache begins: else every vector of 64 bytes would lie across two.
    """
    room = np.empty(count + LINE, np.float32)
    skipped = -room.ctypes.data % (4 * LINE) // 4
    return room[skipped : skipped + count]


def address(array: Floats) -> int:
    """Where an array that may be written begins. Asking the array itself takes twice as long."""
    return ctypes.addressof(ctypes.c_char.from_buffer(array.data))
