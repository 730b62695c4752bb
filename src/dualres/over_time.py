"""A long recording, judged stretch by stretch."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from dualres.errors import ConfigError, DualResError
from dualres.file import Model
from dualres.judge import Verdict, check_probabilistic, remembered_by, verdict_of, window_scores
from dualres.judge_files import Judged, read_for
from dualres.machinery.progress import Progress, quiet
from dualres.recordings.folder import Row
from dualres.recordings.looks import Heard
from dualres.recordings.readers import Channel
from dualres.recordings.recording import Interval, Recording, Samples, axes_of
from dualres.recordings.windows import half_overlapping

JUDGE = "Judge windows"  # the stage that progress is told of


def over_time(
    model: Model, recording: Recording, seconds: float, progress: Progress = quiet
) -> list[tuple[Interval, Verdict]]:
    """A verdict for every `seconds` of a recording, from the windows whose middle lies there.

    The last stretch ends where the recording does. It may be shorter; a rest in which no window has its middle belongs
    to the stretch before. A recording that stays on disk is read in blocks.
    """
    check_probabilistic(model)
    config = model.card.config
    if not config.window <= seconds * config.rate < float("inf"):
        raise ConfigError(
            f"a stretch of {seconds:g} s was asked for; one window takes {config.window / config.rate:.3f} s, so give "
            "as many seconds or more"
        )
    end_s = float(recording.length / recording.rate)
    expected = len(half_overlapping(int(end_s * config.rate), config.window)) * len(axes_of(recording))
    heard, done = Heard(), 0

    def watch(windows: Samples) -> None:
        nonlocal done
        heard(windows)
        done += len(windows)
        progress(JUDGE, min(done, expected), expected, recording.id)

    progress(JUDGE, 0, expected, recording.id)
    scores = window_scores(model, recording, watch=watch)
    progress(JUDGE, expected, expected, "")
    remembered = remembered_by(model)
    differences = remembered.differences(recording, heard.level) if remembered else ()
    middles = (np.arange(len(scores)) * (config.window // 2) + config.window / 2) / config.rate
    place = np.floor(middles / seconds).astype(int)
    found = []
    for at in range(place[-1] + 1):
        stop_s = round(end_s, 3) if at == place[-1] else (at + 1) * seconds
        verdict = verdict_of(model, recording.id, scores[place == at], differences)
        found.append((Interval(at * seconds, stop_s), verdict))
    return found


def judge_over_time(
    model: Model, row: Row, channel: Channel, rate: Fraction | None, seconds: float, progress: Progress = quiet
) -> Iterator[Judged]:
    """The stretches of a file, or of the part of it that a list names; or the reason why there are none."""
    try:
        recording = read_for(model, row, channel, rate)
        stretches = over_time(model, recording, seconds, progress)
    except ConfigError:
        raise  # no other file would do better
    except DualResError as error:
        yield Judged(row.file, None, str(error), row.channel, part=row.part)
        return
    begin = row.part.start_s if row.part else 0.0
    for part, verdict in stretches:
        assert part.end_s is not None
        yield Judged(row.file, verdict, channel=row.channel, part=Interval(begin + part.start_s, begin + part.end_s))
