"""Verdicts on many files: here one after another, or side by side on a cluster."""

import os
import platform
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path

from dualres.errors import DualResError, RecordingError
from dualres.file import Model
from dualres.judge import Verdict, diagnose_recording
from dualres.kernel.threads import limit_threads
from dualres.machinery.cluster import Cluster
from dualres.recordings.readers import read

AHEAD = 4  # files handed out for every CPU, so that none waits for work
RETRIES = 3  # of a file whose worker was lost


@dataclass(frozen=True)
class Judged:
    """A file with its verdict, or with the reason why there is none."""

    path: Path
    verdict: Verdict | None
    problem: str = ""


def judge_files(model: Model, paths: Iterable[Path], channel: str | None, rate: Fraction | None) -> Iterator[Judged]:
    """The files in their order; one that cannot be judged costs that file only."""
    for path in paths:
        yield _judged(path, partial(_judge, model, path, channel, rate))


def judge_files_by_ray(
    model: Model, paths: Iterable[Path], channel: str | None, rate: Fraction | None, address: str | None = None
) -> Iterator[Judged]:
    """As `judge_files`, on the cluster at that address, or by a Ray of this machine's own if there is none.

    Files must lie at the same path on every machine.
    """
    with Cluster(address) as cluster:
        shared = cluster.share(model)
        room = max(1, AHEAD * cluster.cpus)
        under_way: deque[tuple[Path, Callable[[], Verdict]]] = deque()
        for path in paths:
            if len(under_way) == room:
                yield _judged(*under_way.popleft())
            arguments = (shared, path, Path.cwd(), path.exists(), channel, rate)
            ref = cluster.submit(_judge_there, *arguments, retries=RETRIES)
            under_way.append((path, partial(cluster.result, ref)))
        yield from (_judged(*each) for each in under_way)


def _judged(path: Path, verdict: Callable[[], Verdict]) -> Judged:
    try:
        return Judged(path, verdict())
    except DualResError as error:
        return Judged(path, None, str(error))


def _judge(model: Model, path: Path, channel: str | None, rate: Fraction | None) -> Verdict:
    return diagnose_recording(model, replace(read(path, channel, rate), id=str(path)))


def _judge_there(
    model: Model, path: Path, folder: Path, exists: bool, channel: str | None, rate: Fraction | None
) -> Verdict:
    """On a worker: `folder` is where the command was given, and `exists` what is so there."""
    limit_threads(1)
    if exists and not (folder / path).exists():
        raise RecordingError(f"{path}: is not on {platform.node()}; files must be at the same path on every machine")
    if not path.is_absolute():
        os.chdir(folder)
    return _judge(model, path, channel, rate)
