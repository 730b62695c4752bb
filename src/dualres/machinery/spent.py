"""What work takes: time, and memory of a GPU."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch


@dataclass
class Spent:
    """What a piece of work took, all at once or in turns with others."""

    seconds: float = 0.0
    peak_bytes: int | None = None  # most memory that it had allocated on the GPU; None on a CPU
    _held_bytes: int = field(default=0, repr=False)

    @contextmanager
    def allocating(self, device: str) -> Iterator[None]:
        """All of the work that allocates memory goes on within it, and nothing else."""
        if not device.startswith("cuda"):
            yield
            return
        before = torch.cuda.memory_allocated(device)
        torch.cuda.reset_peak_memory_stats(device)
        try:
            yield
        finally:
            peak = self._held_bytes + torch.cuda.max_memory_allocated(device) - before
            self.peak_bytes = max(self.peak_bytes or 0, peak)
            self._held_bytes += torch.cuda.memory_allocated(device) - before


@contextmanager
def measured(device: str) -> Iterator[Spent]:
    """What is done within it; known when it is over."""
    spent, begin = Spent(), time.perf_counter()
    with spent.allocating(device):
        yield spent
    spent.seconds = time.perf_counter() - begin
