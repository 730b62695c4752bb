"""Which executor does the jobs of a run, and how many of them side by side."""

from __future__ import annotations

import os
from pathlib import Path

from dualres.campaign import local
from dualres.campaign.executors import FITS_TOGETHER, JOBS_ON_A_GPU, Executor
from dualres.config import ModelConfig
from dualres.learn.fit import fits_together


def local_executor(stores: Path, folder: Path, *, jobs: int | None, threads: int, device: str) -> Executor:
    """This machine; by default as many jobs as its cores allow, a few on a GPU."""
    by_cores = max(1, _cores() // threads)
    if device == "cpu":
        return local.LocalExecutor(jobs or by_cores, stores, folder)
    together = FITS_TOGETHER if fits_together(ModelConfig(), device) else 1
    return local.LocalExecutor(jobs or min(by_cores, JOBS_ON_A_GPU), stores, folder, together)


def ray_executor(
    stores: Path, folder: Path, *, address: str | None, jobs: int | None, threads: int, device: str
) -> Executor:
    """The Ray cluster at that address, or one on this machine."""
    from dualres.campaign.ray_executor import RayExecutor

    return RayExecutor(stores, folder, address=address, jobs=jobs, device=device, threads=threads)


def _cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
