"""How much memory a piece of work takes: the process' resident set, looked at every 10 ms, and PyTorch's on a GPU."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

PAUSE_S = 0.010
STATM = Path("/proc/self/statm")  # Linux


@dataclass
class Resident:
    """Bytes of the process in main memory; what lies between two looks is not seen."""

    before: int
    peak: int

    @property
    def rise(self) -> int:
        return self.peak - self.before


@dataclass(frozen=True)
class Memory:
    """What one workload took, in bytes; None where the system or the device does not tell."""

    rss_peak: int | None
    rss_rise: int | None  # above what was there before; zero also where freed memory was used again
    cuda_allocated: int | None = None  # most held by tensors, the model's among them
    cuda_reserved: int | None = None  # most that PyTorch took from the device for them
    cuda_rise: int | None = None  # of the allocated bytes above what was there before

    def as_json(self) -> dict[str, int | None]:
        return asdict(self)


def memory_of(work: Callable[[], object], times: int, device: str) -> Memory:
    """Do the work so often, untimed, and watch."""
    on_gpu = device.startswith("cuda")
    gc.collect()
    before = 0
    if on_gpu:
        torch.cuda.synchronize(device)
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
    with watched() as resident:
        for _ in range(times):
            work()
    peak, rise = (None, None) if resident is None else (resident.peak, resident.rise)
    if not on_gpu:
        return Memory(peak, rise)
    allocated = torch.cuda.max_memory_allocated(device)
    return Memory(peak, rise, allocated, torch.cuda.max_memory_reserved(device), allocated - before)


@contextmanager
def watched() -> Iterator[Resident | None]:
    """The resident set while the body runs, complete afterwards; None where the system does not tell."""
    if not STATM.exists():
        yield None
        return
    first = resident_bytes()
    seen, over = Resident(first, first), threading.Event()

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
