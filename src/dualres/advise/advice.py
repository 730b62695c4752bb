"""From a folder's recordings, some of them labelled, to advice: what `dualres advise` does.

A condition or component that has no label comes first. Among what is left, the recording is chosen that is typical of
most others which no labelled one is like (facility location): so the typical come before the odd, and near-copies of
what is labelled, or of what was just chosen, come last. Where the labels tell two classes apart already, recordings
whose class is in doubt count for more, and so do those that are likely of a class with few labels.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dualres.advise.curve import CurveRefusedError, LearningCurve, learning_curve
from dualres.advise.features import WINDOWS, Looks, Places, looks_of
from dualres.errors import RecordingError
from dualres.learn.holdout import HoldOutError
from dualres.recordings.recording import Recording
from dualres.utils.arrays import Exact
from dualres.utils.progress import Progress, quiet

DOUBT = 2  # power with which doubt counts
LEAST_SPREAD = 0.1  # of the mean spread over features, added to each: what hardly changes must not decide
FEW = 2  # imagined recordings at the mean of all, beside those of a condition


@dataclass(frozen=True)
class Suggestion:
    """A recording to label."""

    place: int  # among all recordings
    new: tuple[str, ...]  # what has no label before: "load 2", "component B7"
    like: int  # unlabelled recordings that it is closer to than any labelled one, itself among them
    doubt: float | None  # 0 where its class is beyond doubt, 1 where two are equally likely; None without a model

    @property
    def reason(self) -> str:
        first = f"no label yet at {' and '.join(self.new)}; " if self.new else ""
        others = self.like - 1
        typical = f"typical of {others} other{'s' * (others != 1)} without a label" if others else "like no other"
        return first + typical + (", class in doubt" if self.doubt is not None and self.doubt > 1 / 2 else "")


def choose(
    recordings: Sequence[Recording], distances: Exact, count: int, likely: Exact | None = None
) -> list[Suggestion]:
    """The next `count` recordings without a label, each as if those before it had been labelled.

    `distances` between all recordings, (n, n); `likely` as `class_probabilities` tells, (n, classes).
    """
    labelled = [i for i, r in enumerate(recordings) if r.label is not None]
    left = [i for i, r in enumerate(recordings) if r.label is None]
    facts = [_facts(r) for r in recordings]
    known = {fact for i in labelled for fact in facts[i]}
    waiting = np.array([r.label is None for r in recordings])
    weight, doubt = waiting.astype(float), None
    if likely is not None:
        each = np.sort(likely, axis=1)
        doubt = 1 - (each[:, -1] - each[:, -2])  # one less the lead of the likeliest class over the next
        labels = np.unique([str(recordings[i].label) for i in labelled], return_counts=True)[1]
        weight *= doubt**DOUBT * (likely @ (1 / labels))  # few labels of what it is likely to be count for more
    apart = distances[distances > 0]  # neither a recording from itself nor from its copies
    # Farther than the median counts as no more unlike: else a few odd recordings take the first labels.
    nearest = distances[labelled].min(0, initial=np.median(apart) if apart.size else 0.0)
    picks: list[Suggestion] = []
    while left and len(picks) < count:
        news = [sum(fact not in known for fact in facts[i]) for i in left]
        candidates = [i for i, n in zip(left, news, strict=True) if n == max(news) or not known]
        closer = np.maximum(nearest - distances[candidates], 0)
        best = candidates[int((closer @ weight).argmax())]
        new = tuple(f"{name} {value}" for name, value in facts[best] if (name, value) not in known)
        like = int((waiting & (distances[best] < nearest)).sum())
        in_doubt = None if doubt is None else float(doubt[best])
        picks.append(Suggestion(best, new if known else (), max(like, 1), in_doubt))
        left.remove(best)
        known |= set(facts[best])
        nearest = np.minimum(nearest, distances[best])
    return picks


def distances_between(looks: Looks, conditions: Sequence[Mapping[str, str]]) -> Exact:
    """How unlike recordings are, (n, n): in spectra and in what repeats, beside what their conditions explain.

    A view counts by the share of what differs in it between recordings that differing windows do not explain.
    """
    parts = []
    for mean, within in looks.averages():
        beside = without_conditions(mean, conditions)
        spread = np.sqrt(within**2 + (LEAST_SPREAD * within.mean()) ** 2 + np.finfo(np.float32).eps)
        scaled = beside / spread
        scaled -= scaled.mean(0)
        differing = float((scaled**2).sum(1).mean()) + float(np.finfo(np.float32).eps)
        by_chance = float(((within / spread) ** 2).sum()) / (WINDOWS - 1)
        parts.append(scaled * np.sqrt(max(1 - by_chance / differing, 0.0) / differing))
    points = np.concatenate(parts, axis=1)
    squares = (points**2).sum(1)
    between: Exact = np.sqrt(np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0))
    np.fill_diagonal(between, 0)
    return between


def without_conditions(mean: Exact, conditions: Sequence[Mapping[str, str]]) -> Exact:
    """Features (n, features) less what recordings of the same speed, load or the like have in common."""
    left: Exact = mean - mean.mean(0)
    for name in sorted({name for one in conditions for name in one}):
        values = np.array([one.get(name, "") for one in conditions])
        for value in sorted(set(values)):
            same = values == value
            left[same] -= left[same].sum(0) / (same.sum() + FEW)
    return left


def class_probabilities(looks: Looks, recordings: Sequence[Recording]) -> Exact | None:
    """Of each recording by what is labelled, (n, classes), classes by name; None before two classes have labels."""
    known: Places = np.array([i for i, r in enumerate(recordings) if r.label is not None], dtype=np.int64)
    classes, labels = np.unique([str(recordings[i].label) for i in known], return_inverse=True)
    if len(classes) < 2:
        return None
    return looks.probabilities(known, labels, len(classes), np.arange(len(recordings)))


def _facts(recording: Recording) -> tuple[tuple[str, str], ...]:
    component = (("component", recording.component),) if recording.component else ()
    return (*component, *recording.condition.items())


@dataclass(frozen=True)
class Advice:
    """What to label next, and what more labels would bring."""

    picks: tuple[tuple[Recording, Suggestion], ...]  # the first to label first
    labelled: int  # recordings
    unlabelled: int
    curve: LearningCurve | None
    refusal: str  # why there is no curve


def advise(recordings: Sequence[Recording], count: int = 5, progress: Progress = quiet) -> Advice:
    """Rank the recordings whose label is None by what those with a label lack."""
    known = [i for i, r in enumerate(recordings) if r.label is not None]
    if len(known) == len(recordings):
        raise RecordingError("every recording has a label; add those to choose from, or leave their labels empty")
    looks = looks_of(recordings, progress)
    distances = distances_between(looks, [r.condition for r in recordings])
    picks = choose(recordings, distances, count, class_probabilities(looks, recordings))
    curve, refusal = None, ""
    try:
        labelled = Looks(looks.of(np.array(known, dtype=np.int64)), looks.config)
        curve = learning_curve([recordings[i] for i in known], labelled, progress)
    except (CurveRefusedError, HoldOutError) as error:
        refusal = str(error)
    chosen = tuple((recordings[pick.place], pick) for pick in picks)
    return Advice(chosen, len(known), len(recordings) - len(known), curve, refusal)
