"""What work takes: time, and memory of a GPU."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch


@dataclass
class Spent:
    seconds: float = 0.0
    peak_bytes: int | None = None  # most memory allocated on the GPU beyond what had been before; None on a CPU


@contextmanager
def measured(device: str) -> Iterator[Spent]:
    """What is done within it; known when it is over."""
    on_gpu, spent = device.startswith("cuda"), Spent()
    before = torch.cuda.memory_allocated(device) if on_gpu else 0
    if on_gpu:
        torch.cuda.reset_peak_memory_stats(device)
    begin = time.perf_counter()
    yield spent
    spent.seconds = time.perf_counter() - begin
    spent.peak_bytes = torch.cuda.max_memory_allocated(device) - before if on_gpu else None
