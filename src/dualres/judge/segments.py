"""A long recording, judged segment by segment."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import astuple, replace
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from dualres.errors import ConfigError, DualResError
from dualres.judge.files import FileVerdict, read_for
from dualres.judge.geometry import refuse_geometry
from dualres.judge.model import Model
from dualres.judge.training_profile import LevelMeter
from dualres.judge.trust.calibration import ERROR
from dualres.judge.trust.conditions import stated_of
from dualres.judge.trust.conformal import check_rates
from dualres.judge.trust.novelty import MOST_WINDOWS, NoveltyFeatures, look_at_windows
from dualres.judge.turning import Moments, unsearched_speeds
from dualres.judge.verdict import (
    Verdict,
    calibration_for,
    check_probabilistic,
    verdict_of,
    window_scores,
    without_calibration,
)
from dualres.recordings.labels.read import LabelRow
from dualres.recordings.readers import Channel
from dualres.recordings.recording import Recording, Segment, axes_of
from dualres.recordings.speed_sources import SpeedKnown
from dualres.recordings.windows import half_overlapping
from dualres.utils.progress import Progress, quiet

JUDGE = "Judge windows"  # the stage that progress is told of


class _SegmentNovelty:
    """How each segment of a recording looks to a model, by its first windows, as they pass by."""

    def __init__(self, model: Model, recording: Recording, seconds: float) -> None:
        self._model, self._rate, self._seconds = model, recording.rate, seconds
        self._found: dict[int, list[tuple[int, NoveltyFeatures]]] = defaultdict(list)  # with their numbers of windows

    def __call__(self, moments: Moments) -> None:
        places = _segment_of(self._model, moments.numbers, self._seconds)
        for at in np.unique(places).tolist():
            taken = sum(count for count, _ in self._found[at])
            chosen = np.flatnonzero(places == at)[: MOST_WINDOWS - taken]
            if len(chosen):
                look = look_at_windows(self._model, moments.part(chosen[0], chosen[-1] + 1), self._rate)
                self._found[at].append((len(chosen), look))

    def of(self, at: int) -> NoveltyFeatures:
        counts, looks = zip(*self._found[at], strict=True)
        return NoveltyFeatures(*np.average([astuple(look) for look in looks], axis=0, weights=counts).tolist())


def _segment_of(model: Model, numbers: npt.NDArray[np.int_], seconds: float) -> npt.NDArray[np.int_]:
    config = model.card.config
    middles = (numbers * (config.window // 2) + config.window / 2) / config.rate
    return np.floor(middles / seconds).astype(int)


def segment_verdicts(
    model: Model,
    recording: Recording,
    seconds: float,
    progress: Progress = quiet,
    *,
    error: float = ERROR,
    sure: float | None = None,
) -> list[tuple[Segment, Verdict]]:
    """A verdict for every `seconds` of a recording, from the windows whose middle lies there.

    The last segment ends where the recording does; a rest without the middle of a window belongs to the one before. An
    answer promises a rate where a segment is as long as the recordings that were held out.
    """
    check_probabilistic(model)
    check_rates(error, sure)
    refuse_geometry(model.card, "a verdict over time")
    config = model.card.config
    if not config.window <= seconds * config.rate < float("inf"):
        raise ConfigError(
            f"a stretch of {seconds:g} s was asked for; one window takes {config.window / config.rate:.3f} s, so give "
            "as many seconds or more"
        )
    end_s = float(recording.length / recording.rate)
    expected = len(half_overlapping(int(end_s * config.rate), config.window)) * len(axes_of(recording))
    heard, done = LevelMeter(), 0
    calibration, looks = calibration_for(model, recording), _SegmentNovelty(model, recording, seconds)

    def watch(moments: Moments) -> None:
        nonlocal done
        for block in moments.axes:
            heard(block.windows)
            done += len(block.windows)
        if calibration:
            looks(moments)
        progress(JUDGE, min(done, expected), expected, recording.id)

    progress(JUDGE, 0, expected, recording.id)
    speeds = unsearched_speeds(model, recording, partial(_segment_of, model, seconds=seconds))
    scores = window_scores(model, recording, watch=watch, speeds=speeds)
    progress(JUDGE, expected, expected, "")
    remembered = model.training_profile
    differences = remembered.differences(recording, heard.level) if remembered else ()
    place = _segment_of(model, np.arange(len(scores)), seconds)
    found = []
    for at in range(place[-1] + 1):
        stop_s = round(end_s, 3) if at == place[-1] else (at + 1) * seconds
        verdict = verdict_of(model, recording.id, scores[place == at], differences)
        if speeds:
            verdict = replace(verdict, speed=speeds.found(at), speed_margin=speeds.margin(at))
        answer = without_calibration(model, error, sure)
        if calibration:
            said, part = list(verdict.probabilities.values()), verdict.windows if place[-1] else None
            answer = calibration.answer(said, looks.of(at), stated_of(recording), error=error, sure=sure, part=part)
        found.append((Segment(at * seconds, stop_s), replace(verdict, answer=answer)))
    return found


def judge_segments(
    model: Model,
    row: LabelRow,
    channel: Channel,
    rate: Fraction | None,
    *,
    seconds: float,
    progress: Progress = quiet,
    error: float = ERROR,
    sure: float | None = None,
    speed: SpeedKnown = None,
) -> Iterator[FileVerdict]:
    """The segments of a file, or of the part of it that a list names; or the reason why there are none."""
    try:
        recording = read_for(model, row, channel, rate, speed=speed)
        segments = segment_verdicts(model, recording, seconds, progress, error=error, sure=sure)
    except ConfigError:
        raise  # no other file would do better
    except DualResError as error:
        yield FileVerdict(row.file, None, str(error), row.channel, part=row.part)
        return
    begin = row.part.start_s if row.part else 0.0
    for part, verdict in segments:
        assert part.end_s is not None
        there = Segment(begin + part.start_s, begin + part.end_s)
        yield FileVerdict(row.file, verdict, channel=row.channel, part=there)
