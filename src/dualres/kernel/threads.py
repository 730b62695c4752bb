"""Threads that outlive a call: starting them anew would cost as much as many a call takes."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache


@cache
def pool(threads: int) -> ThreadPoolExecutor:
    """So many threads, the same at every call."""
    return ThreadPoolExecutor(threads, thread_name_prefix="dualres")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=pool.cache_clear)  # a forked process has the object, but not its threads
