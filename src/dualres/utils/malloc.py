"""What a whole process is told once; the command line does so, a library's user may."""

import ctypes
import sys

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # from glibc's malloc.h
_KEPT = 256 * 2**20  # bytes
_LARGEST_BLOCK = 32 * 2**20  # bytes; the most glibc allows


def keep_freed_memory() -> bool:
    """Keep freed memory for the next tensor, True if that took effect: glibc hands large blocks back at once, and to
    take them again costs up to a third of the time of one window. With other C libraries this does nothing."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is None:
        return False
    return bool(mallopt(_M_TRIM_THRESHOLD, _KEPT) and mallopt(_M_MMAP_THRESHOLD, _LARGEST_BLOCK))
