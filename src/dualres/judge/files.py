"""Verdicts on many files: here one after another, or side by side on a cluster; each alone, or all together."""

import os
import platform
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from dualres.errors import DualResError, RecordingError
from dualres.judge.model import Model
from dualres.judge.trust.calibration import ADAPTED, ERROR, NO_PROMISE, Answer
from dualres.judge.verdict import Verdict, channels_to_read, diagnose_recording
from dualres.kernel.threads import limit_threads
from dualres.recordings.formats.sandbox import SHARED, Guard
from dualres.recordings.labels.read import LabelRow, read_row
from dualres.recordings.readers import Channel
from dualres.recordings.recording import Recording, Segment
from dualres.recordings.windows import covered, evenly
from dualres.utils.special_files import there

if TYPE_CHECKING:
    from dualres.recordings.speed_sources import SpeedKnown
    from dualres.utils.cluster import Cluster

AHEAD = 4  # calls handed out for every CPU, so that none waits for work
RETRIES = 3  # of a call whose worker was lost

Condition = tuple[tuple[str, str], ...]  # names and values, sorted


@dataclass(frozen=True)
class FileVerdict:
    """A file with its verdict, or with the reason why there is none."""

    path: Path
    verdict: Verdict | None
    problem: str = ""
    channel: str | None = None  # where a list names one
    condition: Condition = ()  # as far as it is known
    alone: Verdict | None = None  # the verdict without the other files, where they had a say
    part: Segment | None = None  # of the file, where a list names one


def as_object(one: FileVerdict) -> dict[str, object]:
    """What is said of a file, for JSON."""
    named: dict[str, object] = {"file": str(one.path), **({"channel": one.channel} if one.channel else {})}
    if one.part:
        named |= {"start_s": one.part.start_s, "end_s": one.part.end_s}
    if not one.verdict:
        return {**named, "error": one.problem}
    return {**named, **one.verdict.as_data(), "differences": [asdict(each) for each in one.verdict.differences]}


@dataclass(frozen=True)
class JointVerdicts:
    """Files that were judged together."""

    judged: tuple[FileVerdict, ...]
    unlabelled_s: float  # unique seconds of all recordings with a verdict, nobody having said what they are

    @property
    def verdicts(self) -> int:
        return sum(one.verdict is not None for one in self.judged)

    @property
    def changed(self) -> int:
        """Verdicts that would be others alone."""
        return sum(bool(one.verdict and one.alone and one.verdict.label != one.alone.label) for one in self.judged)

    @property
    def conditions(self) -> int:
        return len({one.condition for one in self.judged if one.verdict and one.condition})


def judge_files(
    model: Model,
    files: Iterable[Path | LabelRow],
    channel: Channel,
    rate: Fraction | None,
    *,
    error: float = ERROR,
    sure: float | None = None,
    speed: "SpeedKnown" = None,
) -> Iterator[FileVerdict]:
    """The files in their order; one that cannot be judged costs that file only.

    A row may bring its own channel, rate and speed; the arguments serve the others. Answers state the error rate
    `error`.
    """
    how = JudgeSettings(channel, rate, error, sure, speed)
    for file in files:
        yield judged_file(model, row_for(file), how)


def judge_files_by_ray(
    model: Model,
    files: Iterable[Path | LabelRow],
    channel: Channel,
    rate: Fraction | None,
    *,
    address: str | None = None,
    cpus: int | None = None,
    error: float = ERROR,
    sure: float | None = None,
    speed: "SpeedKnown" = None,
) -> Iterator[FileVerdict]:
    """As `judge_files`, on the cluster at that address, with all files at the same paths, or by a Ray started here
    with so many `cpus`, or with all."""
    from dualres.judge.archive.chunk_sizes import ChunkSizes
    from dualres.utils.cluster import Cluster

    how = JudgeSettings(channel, rate, error, sure, speed)
    with Cluster(address, cpus) as cluster:
        shared = cluster.share((model, how, Path.cwd()))
        sizes = ChunkSizes(max(1, cluster.cpus))
        under_way: deque[tuple[list[LabelRow], object]] = deque()
        left = map(row_for, files)
        while True:
            while len(under_way) < AHEAD * sizes.workers and (rows := list(islice(left, sizes.size))):
                exist = [there(row.file) for row in rows]
                ref = cluster.submit(_judged_there, shared, rows, exist, retries=RETRIES)
                under_way.append((rows, ref))
            if not under_way:
                return
            rows, ref = under_way.popleft()
            yield from _of_cluster(cluster, shared, rows, ref)
            sizes.add(len(rows))


def _of_cluster(cluster: "Cluster", shared: object, rows: list[LabelRow], ref: object) -> list[FileVerdict]:
    """What the call says of these files; where its workers were lost, each file is tried by itself."""
    from dualres.utils.cluster import ClusterError

    try:
        found: list[FileVerdict] = cluster.result(ref)
    except ClusterError:
        raise
    except DualResError as error:
        if len(rows) == 1:
            return [unjudged(rows[0], error)]
        refs = [cluster.submit(_judged_there, shared, [row], [there(row.file)], retries=RETRIES) for row in rows]
        alone = zip(rows, refs, strict=True)
        return [one for row, own in alone for one in _of_cluster(cluster, shared, [row], own)]
    return found


def together(model: Model, judged: Iterable[FileVerdict]) -> JointVerdicts:
    """All verdicts, corrected by what the files say together, per operating condition; `alone` holds those before."""
    from dualres.judge.batch_correction import corrected

    every = tuple(judged)
    alone = [one.verdict for one in every if one.verdict]
    if not alone:
        return JointVerdicts(every, 0.0)
    probabilities = [[verdict.probabilities[label] for label in model.names] for verdict in alone]
    conditions = [one.condition or None for one in every if one.verdict]
    rows = iter(corrected(probabilities, conditions).tolist())
    config, half = model.card.config, model.card.config.window // 2
    return JointVerdicts(
        tuple(
            replace(one, verdict=_verdict(one.verdict, model.names, next(rows)), alone=one.verdict)
            if one.verdict
            else one
            for one in every
        ),
        sum(covered(evenly(0, verdict.windows, half), config.window) / config.rate for verdict in alone),
    )


def _verdict(alone: Verdict, classes: Sequence[str], probabilities: Sequence[float]) -> Verdict:
    named = dict(zip(classes, probabilities, strict=True))
    answer = alone.answer
    if answer and named != alone.probabilities:  # what was held out was judged alone
        answer = Answer(NO_PROMISE, (), answer.error, answer.sure, reason=ADAPTED)
    return replace(alone, label=max(named, key=named.__getitem__), probabilities=named, answer=answer)


def row_for(file: Path | LabelRow) -> LabelRow:
    return file if isinstance(file, LabelRow) else LabelRow(file)


def judged_file(model: Model, row: LabelRow, how: "JudgeSettings", guard: Guard = SHARED) -> FileVerdict:
    """The verdict on a file, or why there is none."""
    try:
        recording = read_for(model, row, how.channel, how.rate, speed=how.speed, guard=guard)
        verdict = diagnose_recording(model, recording, error=how.error, sure=how.sure)
    except DualResError as error:
        return unjudged(row, error)
    return FileVerdict(row.file, verdict, channel=row.channel, part=row.part, condition=_condition(row))


def unjudged(row: LabelRow, error: DualResError) -> FileVerdict:
    """A file without a verdict."""
    return FileVerdict(row.file, None, str(error), row.channel, _condition(row), part=row.part)


def _condition(row: LabelRow) -> Condition:
    return tuple(sorted(row.known.get("condition", {}).items()))


def read_for(
    model: Model,
    row: LabelRow,
    channel: Channel,
    rate: Fraction | None,
    *,
    speed: "SpeedKnown" = None,
    guard: Guard = SHARED,
) -> Recording:
    """The recording that a row names, named as its file: with the axes that the model knows, and as it remembers."""
    channels, known = channels_to_read(model, channel), model.training_profile
    recording = read_row(row, channels, rate, known, speed=speed, guard=guard)
    return replace(recording, id=str(row.file))


@dataclass(frozen=True)
class JudgeSettings:
    """How to read files that do not say it themselves, and at what error rate to answer."""

    channel: Channel = None
    rate: Fraction | None = None
    error: float = ERROR
    sure: float | None = None
    speed: "SpeedKnown" = None


def _judged_there(
    shared: tuple[Model, JudgeSettings, Path], rows: Sequence[LabelRow], exist: Sequence[bool]
) -> list[FileVerdict]:
    """On a worker: `shared` names the folder where the command was given, and `exist` says which files are there."""
    limit_threads(1)
    model, how, folder = shared
    os.chdir(next((folder for row in rows if not row.file.is_absolute()), Path.cwd()))
    return [_judged_where(model, row, how, expected) for row, expected in zip(rows, exist, strict=True)]


def _judged_where(model: Model, row: LabelRow, how: JudgeSettings, expected: bool) -> FileVerdict:
    if expected and not there(row.file):
        missing = f"{row.file}: is not on {platform.node()}; files must be at the same path on every machine"
        return unjudged(row, RecordingError(missing))
    return judged_file(model, row, how)
