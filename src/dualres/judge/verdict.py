"""From a recording to a verdict: the only place that scores the windows of a recording and averages them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dualres.errors import ConfigError, RecordingError
from dualres.judge.backends import Scores
from dualres.judge.model import Model
from dualres.judge.training_profile import Difference, LevelMeter
from dualres.judge.trust.calibration import (
    ADAPTED,
    COMPONENT,
    ERROR,
    NO_PROMISE,
    NOT_KNOWN,
    WITHOUT,
    Answer,
    Calibration,
)
from dualres.judge.trust.conditions import stated_of
from dualres.judge.trust.conformal import check_rates
from dualres.judge.trust.novelty import MOST_WINDOWS, NoveltyFeatures, Told, look_at, look_at_windows, told_of_windows
from dualres.judge.turning import (
    Moments,
    WindowSpeeds,
    labelled_speeds,
    turned_each_way,
    turned_windows,
    unsearched_speeds,
)
from dualres.judge.windows import STRETCH, mean_over_axes
from dualres.model_file.card import Card
from dualres.recordings.readers import Channel, Recorded, read
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.resample import resample
from dualres.recordings.speed import Speed
from dualres.utils.rates import Rate, exact_rate

if TYPE_CHECKING:
    from dualres.judge.geometry import VerdictSources

SPEED_WORDS = {
    "stated": "as stated",
    "refined": "stated and refined by vibration",
    "measured": "as measured",
    "estimated": "found by vibration",
}
MOST_VALUES = 6  # of a condition that are listed
WindowObserver = Callable[[Moments], None]  # is shown windows of all axes once they are scored


@dataclass(frozen=True, eq=False)
class Judged:
    """A recording as a model judges it."""

    scores: Scores  # of all that a verdict may be, (names,): the mean over its windows, joined with geometry's
    windows: int
    look: NoveltyFeatures
    told: tuple[Told, ...] = ()  # what its look was made of, by network
    by_labels: Scores | None = None  # without geometry, likewise; None of a model that knows labels alone


@dataclass(frozen=True)
class Verdict:
    """What a model says of one recording."""

    recording: str
    label: str
    probabilities: dict[str, float]  # of every class, mean over the windows
    windows: int
    differences: tuple[Difference, ...] = ()  # from all that the model learned from
    answer: Answer | None = None  # what can be said at a stated error rate
    speed: Speed | None = None  # of the shaft, at which it was judged
    speed_margin: float | None = None  # nats by which any other speed fits it worse, where one was searched for
    sources: "VerdictSources | None" = None  # what came from labels and what from geometry, where both had a say

    @property
    def probability(self) -> float:
        return self.probabilities[self.label]

    @property
    def asked_for_speed(self) -> bool:
        """Whether it depends on the speed, or would if that were clear."""
        return self.speed is not None or self.speed_margin is not None

    @property
    def speed_words(self) -> str:
        """At which speed it was judged, in words; empty where that does not matter."""
        if self.speed is None:
            return "its speed is not clear" if self.asked_for_speed else ""
        return f"at {self.speed.rpm:.0f} rpm, {SPEED_WORDS[self.speed.source]}"

    @property
    def source_words(self) -> str:
        """What came from labels and what from geometry, in words; empty where labels are all there is."""
        return self.sources.words(self.label) if self.sources else ""

    @property
    def runner_up(self) -> str:
        return sorted(self.probabilities, key=self.probabilities.__getitem__)[-2]

    def _repr_html_(self) -> str:
        from dualres.judge.notebook import verdict_html

        return verdict_html(self)

    def to_frame(self) -> Any:
        """As a pandas DataFrame of one row; `dualres.to_frame` makes one of many verdicts, and names its columns."""
        from dualres.judge.frames import to_frame

        return to_frame([self])

    def as_data(self) -> dict[str, object]:
        """For JSON, without the differences."""
        return {
            "verdict": self.label,
            "probability": self.probability,
            "runner_up": self.runner_up,
            "probabilities": self.probabilities,
            "windows": self.windows,
            **({"speed": speed_data(self.speed, self.speed_margin)} if self.asked_for_speed else {}),
            **(self.answer.as_data() if self.answer else {}),
            **({"geometry": self.sources.as_data(self.label)} if self.sources else {}),
        }


def diagnose_recording(
    model: Model, recording: Recorded, limit: int | None = None, *, error: float = ERROR, sure: float | None = None
) -> Verdict:
    """One verdict from the half-overlapping windows of a recording, the first `limit` of them if given.

    A recording may also be the path of a file, or a table as `dualres.read` takes it. Its answer keeps the error rate
    on average over calibrations, or in a share of `sure` of them.
    """
    recording = recording_for(model, recording)
    check_probabilistic(model)
    check_rates(error, sure)
    profile, calibration, level = model.training_profile, calibration_for(model, recording), LevelMeter()
    looks: list[NoveltyFeatures] = []

    def watch(moments: Moments) -> None:
        for block in moments.axes if profile else ():
            level(block.windows)
        if calibration and not looks:  # the first windows come at once
            looks.append(look_at_windows(model, moments.part(0, MOST_WINDOWS), recording.rate))

    speeds = unsearched_speeds(model, recording)
    scores = window_scores(model, recording, limit, watch=watch, speeds=speeds)
    differences = profile.differences(recording, level.level) if profile else ()
    verdict = _with_geometry(model, recording, verdict_of(model, recording.id, scores, differences), speeds)
    if speeds:
        verdict = replace(verdict, speed=speeds.found(), speed_margin=speeds.margin())
    if calibration is None:
        return replace(verdict, answer=without_calibration(model, error, sure))
    enough = limit is None or limit >= MOST_WINDOWS
    look = looks[0] if enough else look_at(model, recording)
    said = list(verdict.probabilities.values())
    answer = calibration.answer(said, look, stated_of(recording), error=error, sure=sure)
    if verdict.label in model.card.unlabelled:  # how often that is right, nothing that was held out says
        answer = replace(answer, probability=None)
    return replace(verdict, answer=answer)


def speed_data(speed: Speed | None, margin: float | None = None) -> dict[str, object] | None:
    """For JSON: the speed of the shaft at which something was judged, by how much it may be off, as a share, and how
    much worse any other fits, in nats; None for a speed that was sought and is not clear."""
    if speed is None:
        return None
    sure = {} if margin is None or math.isinf(margin) else {"margin": round(margin, 4)}
    return {"rpm": round(speed.rpm, 2), "source": speed.source, "spread": speed.usual_spread, **sure}


def calibration_for(model: Model, recording: Recording) -> Calibration | None:
    """What was held out and judged as the recording is: with the speed of its shaft or without; None where nothing
    was."""
    return calibration_where(model, recording.speed_told)


def calibration_where(model: Model, speed_told: bool) -> Calibration | None:
    """The same of anything of which a speed is told or not."""
    known = model.calibration
    return known if known is None or speed_told or labelled_speeds(model) is None else known.without_speed


def without_calibration(model: Model, error: float, sure: float | None) -> Answer:
    """That of a model whose error rate is not known of a recording, with the reason."""
    reason = ADAPTED if model.card.unlabelled_s else NOT_KNOWN if model.calibration else WITHOUT
    return Answer(NO_PROMISE, (), error, sure, reason=reason)


def verdict_of(model: Model, name: str, scores: Scores, differences: tuple[Difference, ...] = ()) -> Verdict:
    """The verdict by the scores of some windows, (windows, classes)."""
    mean = scores.mean(0)
    if not np.isfinite(mean).all():
        raise RecordingError(f"{name}: its samples are beyond what float32 can be computed with; scale the recording")
    return Verdict(
        recording=name,
        label=model.classes[int(mean.argmax())],
        probabilities=dict(zip(model.classes, mean.tolist(), strict=True)),
        windows=len(scores),
        differences=differences,
    )


def check_probabilistic(model: Model) -> None:
    """An error for a model that gives no probabilities: a verdict states those."""
    if not model.card.probabilistic:
        raise ConfigError(
            f"a fitted {model.card.method} scores by decision values, which are no probabilities, and a verdict states "
            "those; dualres.judge.verdict.recording_scores gives its values"
        )


def promises_of(card: Card) -> list[str]:
    """The error rates that a model can state, in words."""
    if not card.calibration:
        return [WITHOUT]
    return Calibration.parsed(card.calibration, card.classes, card.unlabelled).promises()


def promised_under(card: Card) -> str:
    """Under which conditions promises are made, in words; empty where none are."""
    if not card.calibration:
        return ""
    known = Calibration.parsed(card.calibration, card.classes, card.unlabelled)
    values = {name: some for one in known.questions for name, some in one.conditions.items() if name != COMPONENT}
    if not values:
        return "promises are for machines run like the labelled ones; the labels name no condition, such as a load"
    listed = "; ".join(f"{name} {_several(some)}" for name, some in sorted(values.items()))
    return f"promises are for conditions like the labelled ones: {listed}"


def _several(values: Sequence[str]) -> str:
    if len(values) <= MOST_VALUES:
        return ", ".join(values)
    return f"{', '.join(values[: MOST_VALUES - 1])} and {len(values) - MOST_VALUES + 1} more"


def recording_scores(model: Model, recording: Recording, limit: int | None = None) -> tuple[Scores, int]:
    """The score of all that a verdict may be, (names,): the mean over windows, joined with what geometry says; and
    the number of windows behind it."""
    speeds = unsearched_speeds(model, recording)
    each = window_scores(model, recording, limit, speeds=speeds)
    return joined_scores(model, recording, each.mean(0), speeds)[0], len(each)


def judged_each_way(model: Model, recording: Recording, ways: Sequence[WindowSpeeds | None]) -> list[Judged]:
    """At several speeds, or without any, for which its windows are looked at once."""
    scores: list[list[Scores]] = [[] for _ in ways]
    looks: list[tuple[NoveltyFeatures, tuple[Told, ...]]] = []
    for each in turned_each_way(model, recording, ways):
        first = [] if looks else [one.part(0, MOST_WINDOWS) for one in each]
        looks += [(look_at_windows(model, one, recording.rate), told_of_windows(model, one)) for one in first]
        for known, moments in zip(scores, each, strict=True):
            known.append(scores_of(model, moments))
    found = [np.concatenate(known) for known in scores]
    means = [np.asarray(all_.mean(0)) for all_ in found]
    joined = [joined_scores(model, recording, one, speeds)[0] for one, speeds in zip(means, ways, strict=True)]
    alone = [np.pad(one, (0, len(model.card.unlabelled))) if model.geometry else None for one in means]
    return [
        Judged(scores, len(all_), *look, by_labels)
        for scores, all_, look, by_labels in zip(joined, found, looks, alone, strict=True)
    ]


def joined_scores(
    model: Model, recording: Recording, by_labels: Scores, speeds: WindowSpeeds | None
) -> "tuple[Scores, VerdictSources | None]":
    """The mean scores of a recording's windows, (classes,), with what geometry says of it, (names,), and where they
    come from; as they are of a model that knows labels alone."""
    geometry = model.geometry
    if geometry is None:
        return by_labels, None
    from dualres.judge.geometry import VerdictSources, speed_of

    heard = geometry.heard(recording, speed_of(recording, speeds))
    sources = VerdictSources(dict(zip(model.classes, by_labels.tolist(), strict=True)), geometry, heard)
    return geometry.joined(model.classes, by_labels, heard), sources


def _with_geometry(model: Model, recording: Recording, verdict: Verdict, speeds: WindowSpeeds | None) -> Verdict:
    by_labels = np.array(list(verdict.probabilities.values()))
    scores, sources = joined_scores(model, recording, by_labels, speeds)
    if sources is None:
        return verdict
    probabilities = dict(zip(model.names, scores.tolist(), strict=True))
    return replace(verdict, label=model.names[int(scores.argmax())], probabilities=probabilities, sources=sources)


def signal_scores(model: Model, signal: Samples, rate: Rate) -> tuple[Scores, int]:
    """As `recording_scores`, of samples in memory at `rate` Hz."""
    return recording_scores(model, Recording.from_array(signal, rate))


def channels_to_read(model: Model, channel: Channel) -> Channel:
    """What to read of a file for the model: what somebody chose, or the axes that it knows."""
    return channel or (model.card.channels if model.card.axes else None)


def recording_for(model: Model, given: Recorded) -> Recording:
    """A recording as it is, or what is read of a file or a table: the channel that the model knows, and of a file that
    states none the rate."""
    if isinstance(given, Recording):
        return given
    return read(given, channels_to_read(model, None), usual=model.training_profile)


def at_model_rate(model: Model, signal: Samples, rate: Rate) -> Samples:
    """Samples at `rate` Hz as the model is shown them, before they are cut into windows."""
    return resample(signal, exact_rate(rate), model.card.config.rate, model.card.resampler)


def window_scores(
    model: Model,
    recording: Recording,
    limit: int | None = None,
    at_once: int = STRETCH,
    *,
    watch: WindowObserver | None = None,
    speeds: WindowSpeeds | None = None,
) -> Scores:
    """Scores of every half-overlapping window, the first `limit` if given, (windows, classes); the mean over axes.

    The model is given `at_once` windows at a time; `watch` is shown them after that. `speeds`, of `unsearched_speeds`,
    learn at which speeds they were scored.
    """
    speeds, found = speeds or unsearched_speeds(model, recording), list[Scores]()
    for moments in turned_windows(model, recording, limit, at_once, speeds=speeds):
        found.append(scores_of(model, moments))
        if watch:
            watch(moments)
    return np.concatenate(found)


def scores_of(model: Model, moments: Moments) -> Scores:
    """Of windows that were looked at, (windows, classes); the mean over axes."""
    return mean_over_axes([model.scores(one.seen, one.axis, one.hz) for one in moments.axes])
