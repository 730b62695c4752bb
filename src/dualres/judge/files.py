"""Verdicts on many files: here one after another, or side by side on a cluster; each alone, or all together."""

import os
import platform
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dualres.errors import DualResError, RecordingError
from dualres.judge.model import Model
from dualres.judge.trust.calibration import ADAPTED, ERROR, NO_PROMISE, Answer
from dualres.judge.verdict import Verdict, channels_to_read, diagnose_recording
from dualres.kernel.threads import limit_threads
from dualres.recordings.labels.read import LabelRow, read_row
from dualres.recordings.readers import Channel
from dualres.recordings.recording import Recording, Segment
from dualres.recordings.windows import covered, evenly
from dualres.utils.special_files import there

if TYPE_CHECKING:
    from dualres.recordings.speed_sources import SpeedKnown

AHEAD = 4  # files handed out for every CPU, so that none waits for work
RETRIES = 3  # of a file whose worker was lost

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
    for row in map(_row, files):
        yield _judged(row, partial(_judge, model, JudgeTask(row, channel, rate, error, sure, speed)))


def judge_files_by_ray(
    model: Model,
    files: Iterable[Path | LabelRow],
    channel: Channel,
    rate: Fraction | None,
    *,
    address: str | None = None,
    error: float = ERROR,
    sure: float | None = None,
    speed: "SpeedKnown" = None,
) -> Iterator[FileVerdict]:
    """As `judge_files`, on the cluster at that address, with all files at the same paths, or by a Ray started here."""
    from dualres.utils.cluster import Cluster

    with Cluster(address) as cluster:
        shared = cluster.share(model)
        room = max(1, AHEAD * cluster.cpus)
        under_way: deque[tuple[LabelRow, Callable[[], Verdict]]] = deque()
        for row in map(_row, files):
            if len(under_way) == room:
                yield _judged(*under_way.popleft())
            task = JudgeTask(row, channel, rate, error, sure, speed)
            ref = cluster.submit(_judge_there, shared, task, Path.cwd(), there(row.file), retries=RETRIES)
            under_way.append((row, partial(cluster.result, ref)))
        yield from (_judged(*each) for each in under_way)


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


def _row(file: Path | LabelRow) -> LabelRow:
    return file if isinstance(file, LabelRow) else LabelRow(file)


def _judged(row: LabelRow, verdict: Callable[[], Verdict]) -> FileVerdict:
    condition = tuple(sorted(row.known.get("condition", {}).items()))
    try:
        return FileVerdict(row.file, verdict(), channel=row.channel, part=row.part, condition=condition)
    except DualResError as error:
        return FileVerdict(row.file, None, str(error), row.channel, condition, part=row.part)


def read_for(
    model: Model, row: LabelRow, channel: Channel, rate: Fraction | None, *, speed: "SpeedKnown" = None
) -> Recording:
    """The recording that a row names, named as its file: with the axes that the model knows, and as it remembers."""
    recording = read_row(row, channels_to_read(model, channel), rate, model.training_profile, speed=speed)
    return replace(recording, id=str(row.file))


@dataclass(frozen=True)
class JudgeTask:
    """A file, how to read it and at what error rate to answer."""

    row: LabelRow
    channel: Channel = None
    rate: Fraction | None = None
    error: float = ERROR
    sure: float | None = None
    speed: "SpeedKnown" = None


def _judge(model: Model, task: JudgeTask) -> Verdict:
    recording = read_for(model, task.row, task.channel, task.rate, speed=task.speed)
    return diagnose_recording(model, recording, error=task.error, sure=task.sure)


def _judge_there(model: Model, task: JudgeTask, folder: Path, exists: bool) -> Verdict:
    """On a worker: `folder` is where the command was given, and `exists` whether the file is there."""
    limit_threads(1)
    row = task.row
    if exists and not there(folder / row.file):
        raise RecordingError(
            f"{row.file}: is not on {platform.node()}; files must be at the same path on every machine"
        )
    if not row.file.is_absolute():
        os.chdir(folder)
    return _judge(model, task)
