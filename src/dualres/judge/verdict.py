"""From a recording to a verdict: the only place that scores the windows of a recording and averages them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dualres.errors import ConfigError, RecordingError
from dualres.judge.backends import Scores
from dualres.judge.model import Model
from dualres.judge.training_profile import Difference, LevelMeter
from dualres.judge.trust.calibration import ADAPTED, ERROR, NO_PROMISE, WITHOUT, Answer, Calibration, known_of
from dualres.judge.trust.conformal import check_rates
from dualres.judge.trust.novelty import MOST_WINDOWS, NoveltyFeatures, look_at, look_at_windows, mean_look
from dualres.judge.windows import STRETCH, mean_over_axes, model_windows
from dualres.model_file.card import Card
from dualres.recordings.axes import in_order
from dualres.recordings.readers import Channel
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.resample import resample
from dualres.utils.rates import Rate, exact_rate

WindowObserver = Callable[[Samples, int], None]


@dataclass(frozen=True)
class Verdict:
    """What a model says of one recording."""

    recording: str
    label: str
    probabilities: dict[str, float]  # of every class, mean over the windows
    windows: int
    differences: tuple[Difference, ...] = ()  # from all that the model learned from
    answer: Answer | None = None  # what can be said at a stated error rate

    @property
    def probability(self) -> float:
        return self.probabilities[self.label]

    @property
    def runner_up(self) -> str:
        return sorted(self.probabilities, key=self.probabilities.__getitem__)[-2]

    def as_data(self) -> dict[str, object]:
        """For JSON, without the differences."""
        return {
            "verdict": self.label,
            "probability": self.probability,
            "runner_up": self.runner_up,
            "probabilities": self.probabilities,
            "windows": self.windows,
            **(self.answer.as_data() if self.answer else {}),
        }


def diagnose_recording(
    model: Model, recording: Recording, limit: int | None = None, *, error: float = ERROR, sure: float | None = None
) -> Verdict:
    """One verdict from the half-overlapping windows of a recording, the first `limit` of them if given.

    Its answer keeps the error rate on average over calibrations, or in a share of `sure` of them.
    """
    check_probabilistic(model)
    check_rates(error, sure)
    profile, calibration, level = model.training_profile, model.calibration, LevelMeter()
    looks: dict[int, NoveltyFeatures] = {}

    def watch(windows: Samples, axis: int) -> None:
        if profile:
            level(windows)
        if calibration and axis not in looks:  # the first windows of an axis come at once
            looks[axis] = look_at_windows(model, axis, windows[:MOST_WINDOWS], recording.rate)

    scores = window_scores(model, recording, limit, watch=watch)
    differences = profile.differences(recording, level.level) if profile else ()
    verdict = verdict_of(model, recording.id, scores, differences)
    if calibration is None:
        return replace(verdict, answer=without_calibration(model.card, error, sure))
    enough = limit is None or limit >= MOST_WINDOWS
    look = mean_look(looks.values()) if enough else look_at(model, recording)
    said = list(verdict.probabilities.values())
    return replace(verdict, answer=calibration.answer(said, look, known_of(recording), error=error, sure=sure))


def without_calibration(card: Card, error: float, sure: float | None) -> Answer:
    """That of a model whose error rate is not known, with the reason."""
    return Answer(NO_PROMISE, (), error, sure, reason=ADAPTED if card.unlabelled_s else WITHOUT)


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
    return Calibration.parsed(card.calibration, card.classes).promises() if card.calibration else [WITHOUT]


def recording_scores(model: Model, recording: Recording, limit: int | None = None) -> tuple[Scores, int]:
    """The mean score of every class, (classes,), and the number of windows behind it."""
    each = window_scores(model, recording, limit)
    return np.asarray(each.mean(0)), len(each)


def signal_scores(model: Model, signal: Samples, rate: Rate) -> tuple[Scores, int]:
    """As `recording_scores`, of samples in memory at `rate` Hz."""
    return recording_scores(model, Recording.from_array(signal, rate))


def channels_to_read(model: Model, channel: Channel) -> Channel:
    """What to read of a file for the model: what somebody chose, or the axes that it knows."""
    return channel or (model.card.channels if model.card.axes else None)


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
) -> Scores:
    """Scores of every half-overlapping window, the first `limit` if given, (windows, classes); the mean over axes.

    The model is given `at_once` windows at a time; `watch` is shown them and the number of their axis after that.
    """
    signals = in_order(recording, model.card.channels)
    each = []
    for axis, signal in enumerate(signals):
        found = []
        for windows in model_windows(model, signal, limit, at_once):
            found.append(model.scores(windows, axis))
            if watch:
                watch(windows, axis)
        each.append(np.concatenate(found))
    return mean_over_axes(each)
