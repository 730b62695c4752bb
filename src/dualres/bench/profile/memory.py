"""How much memory a piece of work takes: the process' resident set, looked at every 10 ms, and PyTorch's on a GPU."""

import gc
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch

PAUSE_S = 0.010
STATM = Path("/proc/self/statm")  # Linux


@dataclass(frozen=True)
class Before:
    """Bytes that were held before any work was done; None where the system or the device does not tell."""

    rss: int | None
    cuda: int | None = None


@dataclass
class Resident:
    """Most bytes of the process in main memory; what lies between two looks is not seen."""

    peak: int


@dataclass(frozen=True)
class Memory:
    """What one workload took, in bytes; None where the system or the device does not tell."""

    rss_peak: int | None
    rss_rise: int | None  # above what was there before
    cuda_allocated: int | None = None  # most held by tensors, the model's among them
    cuda_reserved: int | None = None  # most that PyTorch took from the device for them
    cuda_rise: int | None = None  # of the allocated bytes above what was there before


def held_now(device: str) -> Before:
    """For a model that is loaded and has not been called: what it makes at its first call is a rise above this."""
    gc.collect()
    rss = resident_bytes() if STATM.exists() else None
    return Before(rss, torch.cuda.memory_allocated(device) if device.startswith("cuda") else None)


def memory_of(work: Callable[[], object], times: int, device: str, before: Before) -> Memory:
    """Do the work so often, untimed, and watch."""
    gc.collect()
    if before.cuda is not None:
        torch.cuda.synchronize(device)
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)
    with watched() as resident:
        for _ in range(times):
            work()
    peak = None if resident is None else resident.peak
    rise = None if peak is None or before.rss is None else peak - before.rss
    if before.cuda is None:
        return Memory(peak, rise)
    allocated = torch.cuda.max_memory_allocated(device)
    return Memory(peak, rise, allocated, torch.cuda.max_memory_reserved(device), allocated - before.cuda)


@contextmanager
def watched() -> Iterator[Resident | None]:
    """The resident set while the body runs, complete afterwards; None where the system does not tell."""
    if not STATM.exists():
        yield None
        return
    seen, over = Resident(resident_bytes()), threading.Event()

    def look() -> None:
        while not over.wait(PAUSE_S):
            seen.peak = max(seen.peak, resident_bytes())

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()
        seen.peak = max(seen.peak, resident_bytes())


def resident_bytes() -> int:
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
