"""Random generators for the length of a fit."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed PyTorch's and Python's generators, and afterwards leave them as they were."""
    python = random.getstate()
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):  # seeding touches every device
        torch.manual_seed(seed)
        random.seed(seed)
        try:
            yield
        finally:
            random.setstate(python)
