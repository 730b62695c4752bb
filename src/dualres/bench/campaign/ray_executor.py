"""Jobs on many machines, by Ray."""

import os
import platform
import tempfile
from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import Any

import torch

from dualres.bench.campaign.dataset_signals import present_datasets
from dualres.bench.campaign.executors import JOBS_ON_A_GPU, ExecutorEvent, JobFailure, JobLoss, JobSuccess, begun
from dualres.bench.campaign.job import Job, read_job
from dualres.bench.campaign.run_job import run_job
from dualres.bench.campaign.workers import failure
from dualres.errors import RecordingError
from dualres.utils.cluster import CallFailedError, Cluster, ClusterError, Ref, WorkerLostError
from dualres.utils.files import write_whole

CACHE_VARIABLE = "DUALRES_CACHE"


class RayExecutor:
    """Does jobs on a Ray cluster, or with a Ray of its own on this machine if there is no address.

    A worker keeps resampled signals on its own disk and sends the model file back, which is written to `folder`/models
    here. `stores` must be the same path on every machine. `jobs` run side by side: by default one for every `threads`
    CPUs, or on CUDA four on every GPU. A job counts as begun when the cluster has it; how far it has got is not
    reported.
    """

    def __init__(
        self,
        stores: Path,
        folder: Path,
        *,
        address: str | None = None,
        jobs: int | None = None,
        device: str = "cpu",
        threads: int = 1,
    ) -> None:
        self._stores, self._folder = stores.absolute(), folder.absolute()
        self._cache = self._folder / "cache" if address is None else None
        self._jobs, self._threads, self._on_gpus = jobs, threads, device == "cuda"
        self._running: dict[Ref, str] = {}
        self._begun: list[ExecutorEvent] = []  # not told yet
        self._cluster = Cluster(address, cpus=None if jobs is None else jobs * threads)
        if lacking := self._lacking():
            self._cluster.close()
            raise ClusterError(lacking)
        self._per_gpu = ceil(jobs / self._cluster.gpus) if jobs and self._on_gpus else JOBS_ON_A_GPU

    def _lacking(self) -> str:
        """What no machine has would be waited for without end."""
        if (most := self._cluster.most_cpus) < self._threads:
            return f"a job with {self._threads} threads fits on no machine: the largest has {most} CPUs"
        gpus_missing = self._on_gpus and not self._cluster.gpus
        return "no machine of the cluster has a GPU that Ray knows of; leave out --device cuda" if gpus_missing else ""

    @property
    def slots(self) -> int:
        """Follows the cluster, which may grow and shrink."""
        if self._jobs is not None:
            return self._jobs
        room = self._cluster.cpus // self._threads
        return max(1, min(room, self._cluster.gpus * self._per_gpu) if self._on_gpus else room)

    workers = slots  # each does one job

    def start(self, job: Job) -> None:
        gpus, name = 1 / self._per_gpu if job.device == "cuda" else 0, f"dualres job {job.key[:16]}"
        given = job.plan(), self._stores, self._cache
        ref = self._cluster.submit(_run_remotely, *given, cpus=job.threads, gpus=gpus, name=name)
        self._running[ref] = job.key
        self._begun.append(begun(job.key))

    def wait(self, seconds: float) -> list[ExecutorEvent]:
        events, self._begun = self._begun, []
        for ref in self._cluster.finished(list(self._running), 0 if events else seconds):
            try:
                events.append(self._event(ref, self._running[ref]))
            except ClusterError:  # what came before it is kept; the next call says that the cluster is lost
                if not events:
                    raise
                break
            del self._running[ref]
        return events

    def close(self) -> None:
        self._running.clear()
        self._cluster.close()

    def _event(self, ref: Ref, key: str) -> ExecutorEvent:
        event: ExecutorEvent
        try:
            event, model_file = self._cluster.result(ref)
        except WorkerLostError as error:
            return JobLoss(key, str(error))
        except CallFailedError as error:
            return JobFailure(key, str(error))
        if isinstance(event, JobSuccess):
            write_whole(self._folder / "models" / f"{key}.safetensors", model_file)
        return event


def _run_remotely(plan: Mapping[str, Any], stores: Path, cache: Path | None) -> tuple[ExecutorEvent, bytes]:
    """On a worker: how the job ended, and the content of its model file."""
    job = read_job(plan)
    try:
        shared = os.environ.get(CACHE_VARIABLE) or f"{tempfile.gettempdir()}/dualres-cache-{os.getuid()}"
        return _finished(job, stores, cache or Path(shared))
    except (MemoryError, torch.cuda.OutOfMemoryError) as error:
        return JobLoss(job.key, f"not enough memory beside the other jobs on {platform.node()}; {failure(error)}"), b""
    except Exception as error:
        return JobFailure(job.key, failure(error)), b""


def _finished(job: Job, stores: Path, cache: Path) -> tuple[ExecutorEvent, bytes]:
    if job.dataset not in present_datasets(stores):
        missing, here = stores / job.dataset, platform.node()
        raise RecordingError(f"{missing}: is not on {here}; prepared datasets must be at the same path on each machine")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="dualres-job-") as own:
        # The model file is this attempt's own, resampled signals are shared between jobs.
        folder = Path(own)
        (folder / "cache").symlink_to(cache, target_is_directory=True)
        outcome = run_job(job, stores, folder)
        return JobSuccess(job.key, outcome), (folder / "models" / f"{job.key}.safetensors").read_bytes()
