"""What to expect on what was not learned from, estimated from the labelled recordings alone."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dualres.errors import ConfigError
from dualres.judge.model import Model
from dualres.judge.trust.novelty import NoveltyFeatures, Told
from dualres.judge.turning import labelled_speeds, unsearched_speeds
from dualres.judge.verdict import Judged, judged_each_way, recording_scores
from dualres.learn.estimate_text import sentences
from dualres.learn.fit import fit_recordings
from dualres.learn.holdout import Rounds
from dualres.learn.interval import Score, clearly_ahead, score_of
from dualres.learn.settings import FitSettings
from dualres.metrics import Counts, Evaluation
from dualres.model_file.card import APART, SHARED
from dualres.recordings.recording import Recording
from dualres.utils.progress import Progress, quiet, renamed

FitWithout = Callable[[Sequence[Recording], str], Model]  # what is left of the recordings, and the name of the stage


@dataclass(frozen=True)
class HeldOut:
    """A recording as it was judged by a model that had not learned from it."""

    recording: str  # id
    unit: str  # its component, load ..., or itself, as the estimate's unit says
    label: str  # the true one
    probabilities: Mapping[str, float]  # of every class
    round: int  # from 1
    new: bool  # whether the model had learned from nothing of its unit; else it is told apart from the score

    @property
    def verdict(self) -> str:
        return max(self.probabilities, key=self.probabilities.__getitem__)


@dataclass(frozen=True)
class Estimate:
    """Recordings judged by models that had not learned from their unit."""

    judged: tuple[Evaluation, ...]  # one per round
    plan: Rounds
    fits: int  # networks that were fitted for it
    same_components: bool = False  # whether all held-out components were learned from, too; false if not known
    looks: tuple[Mapping[str, NoveltyFeatures], ...] = ()  # of every round's recordings, by their ids
    # What they were made of.
    told: tuple[Mapping[str, tuple[Told, ...]], ...] = field(default=(), repr=False, compare=False)
    # Of the same recordings, judged as if nobody knew the speed of their shafts; None where no speed was learned from.
    without_speed: "Estimate | None" = None
    by_labels: "Estimate | None" = None  # of the same, without what geometry says; None where it says nothing

    @property
    def unit(self) -> str:
        return self.plan.unit

    @property
    def remarks(self) -> tuple[str, ...]:
        return self.plan.remarks

    @property
    def rounds(self) -> int:
        return len(self.judged)

    @cached_property
    def held(self) -> tuple[HeldOut, ...]:
        """Every recording that was held out, as often as it was."""
        return tuple(
            HeldOut(
                name,
                self.plan.units.get(name, name),
                one.classes[truth],
                dict(zip(one.classes, scores, strict=True)),
                number,
                name not in self.plan.easier,
            )
            for number, one in enumerate(self.judged, start=1)
            for name, truth, scores in zip(one.recordings, one.truth, one.scores, strict=True)
        )

    @property
    def confusion(self) -> Counts:
        """Over all held-out recordings, also those whose unit was not new."""
        return np.asarray(np.sum([one.confusion for one in self.judged], axis=0))

    @cached_property
    def score(self) -> Score:
        """Over those whose unit was new, and over their classes."""
        classes = self.judged[0].classes
        by_unit: dict[str, Counts] = defaultdict(lambda: np.zeros((len(classes), len(classes)), np.int64))
        for one in self.held:
            if one.new:
                by_unit[one.unit][classes.index(one.label), classes.index(one.verdict)] += 1
        return score_of(list(by_unit.values()), self.rounds)

    @property
    def macro_f1(self) -> float:
        return self.score.macro_f1

    @property
    def covered(self) -> tuple[str, ...]:
        """The classes that the score is of."""
        new = {one.label for one in self.held if one.new}
        return tuple(label for label in self.judged[0].classes if label in new)

    def _repr_html_(self) -> str:
        from dualres.learn.notebook import estimate_html

        return estimate_html(self)

    def as_score(self) -> dict[str, float]:
        """What a card tells of it in short."""
        return {**self.score.as_data(), "rounds": float(self.rounds)}

    def as_data(self) -> dict[str, Any]:
        """What a card tells of it."""
        others = [label for label in self.judged[0].classes if label not in self.covered]
        easier = {label: [one.verdict == label for one in self.held if one.label == label] for label in others}
        return {
            "unit": self.unit,
            **self.as_score(),
            "fits": self.fits,
            "classes": list(self.covered),
            "classes_not_covered": others,
            "on_another_recording": {label: [sum(right), len(right)] for label, right in easier.items() if right},
            "not_known": dict(self.plan.not_known),
            "same_components": self.same_components,
            "notes": list(self.plan.notes),
            **self._worth(),
        }

    def _worth(self) -> dict[str, Any]:
        """The score without any speed, where one was known of something that was held out, and without geometry."""
        without = self.without_speed
        worth = {"without_speed": without.score.as_data()} if without and without.judged != self.judged else {}
        return worth | ({"by_labels": self.by_labels.score.as_data()} if self.by_labels else {})

    @property
    def sentences(self) -> list[str]:
        return sentences(self.as_data())


def estimate(
    settings: FitSettings, rounds: Rounds, *, axes: str = APART, stage: str = "Hold out", progress: Progress = quiet
) -> Estimate:
    """Fit once per round, with all members, and judge what it holds out; `axes` is as for `fit_recordings`."""

    def fit(known: Sequence[Recording], stage: str) -> Model:
        labels = [str(r.label) for r in known]
        told = renamed(progress, stage)
        model, _ = fit_recordings(known, labels, settings.classes, settings, axes=axes, progress=told)
        return model

    return judge_rounds(settings.recordings, rounds, fit, stage)


def round_stage(stage: str, number: int, rounds: Rounds) -> str:
    """What a round, from 1, is called while it goes on."""
    return f"{stage}, round {number} of {len(rounds.held_out)}"


def judge_rounds(recordings: Sequence[Recording], rounds: Rounds, fit: FitWithout, stage: str = "Hold out") -> Estimate:
    """Fit without what each round holds out, by whatever `fit` does, and judge that."""
    as_known, as_unknown, fits = list["JudgedRound"](), list["JudgedRound | None"](), 0
    for number, held in enumerate(rounds.held_out, start=1):
        model = fit([r for r in recordings if r.id not in held], round_stage(stage, number, rounds))
        fits += len(model.members)
        known, unknown = judge_unseen(model, [r for r in recordings if r.id in held])
        as_known.append(known)
        as_unknown.append(unknown)
    plain = Estimate((), rounds, fits, _same_components(recordings, rounds))
    if not any(as_unknown):
        return _of_rounds(plain, as_known)
    unknown_or_same = [unknown or known for known, unknown in zip(as_known, as_unknown, strict=True)]
    return replace(_of_rounds(plain, as_known), without_speed=_of_rounds(plain, unknown_or_same))


def _of_rounds(plain: Estimate, rounds: Sequence["JudgedRound"]) -> Estimate:
    evaluations, looks, told, by_labels = zip(*rounds, strict=True)
    alone = replace(plain, judged=by_labels) if all(by_labels) else None
    return replace(plain, judged=evaluations, looks=looks, told=told, by_labels=alone)


class JudgedRound(NamedTuple):
    """What a round's model says of the recordings that it was not shown."""

    evaluation: Evaluation
    looks: Mapping[str, NoveltyFeatures]  # by the recordings' ids
    told: Mapping[str, tuple[Told, ...]]
    by_labels: Evaluation | None = None  # without geometry, where the model knows some


def judge_unseen(model: Model, recordings: Sequence[Recording]) -> tuple[JudgedRound, JudgedRound | None]:
    """As what is known of the recordings says, and as if the speeds of their shafts were not known, if the model
    learned from any."""
    _check_labels(recordings, model.classes)
    known, unknown = zip(*(_judged(model, recording) for recording in recordings), strict=True)
    without_speed = None if labelled_speeds(model) is None else _round(model.names, recordings, unknown)
    return _round(model.names, recordings, known), without_speed


def _judged(model: Model, recording: Recording) -> tuple[Judged, Judged]:
    """Both ways; its windows are looked at once. A speed that was found among all that is labelled is none that anybody
    knows when a recording is judged."""
    untold = unsearched_speeds(model, replace(recording, speed=None))
    ways = [unsearched_speeds(model, recording), untold] if recording.speed_told and untold else [untold]
    found = judged_each_way(model, recording, ways)
    return found[0], found[-1]


def _round(classes: tuple[str, ...], recordings: Sequence[Recording], found: Sequence[Judged]) -> JudgedRound:
    ids, truth = tuple(r.id for r in recordings), tuple(classes.index(str(r.label)) for r in recordings)
    windows = tuple(one.windows for one in found)
    evaluation = Evaluation(classes, ids, truth, windows, tuple(tuple(one.scores.tolist()) for one in found))
    alone = tuple(tuple(one.by_labels.tolist()) for one in found if one.by_labels is not None)
    by_id = dict(zip(ids, found, strict=True))
    looks, told = ({name: getattr(one, part) for name, one in by_id.items()} for part in ("look", "told"))
    return JudgedRound(evaluation, looks, told, replace(evaluation, scores=alone) if alone else None)


def _same_components(recordings: Sequence[Recording], rounds: Rounds) -> bool:
    tested = [{r.component for r in recordings if r.id in held} for held in rounds.held_out]
    learned = [{r.component for r in recordings if r.id not in held} for held in rounds.held_out]
    return all(r.component for r in recordings) and all(map(set.issubset, tested, learned))


def evaluate(
    model: Model, recordings: Sequence[Recording], *, limit: int | None = None, progress: Progress = quiet
) -> Evaluation:
    """One score per class for every recording: the mean over its windows, the first `limit` of them if given."""
    classes = model.names
    _check_labels(recordings, model.classes)
    windows, scores = [], []
    for done, recording in enumerate(recordings, start=1):
        mean, count = recording_scores(model, recording, limit)
        windows.append(count)
        scores.append(tuple(mean.tolist()))
        progress("Judge unseen recordings", done, len(recordings), "")
    truth = tuple(classes.index(str(r.label)) for r in recordings)
    return Evaluation(classes, tuple(r.id for r in recordings), truth, tuple(windows), tuple(scores))


def _check_labels(recordings: Sequence[Recording], classes: Sequence[str]) -> None:
    for recording in recordings:
        if recording.label not in classes:
            raise ConfigError(
                f"{recording.id}: label {recording.label!r} is not among the classes {', '.join(classes)}"
            )


def estimate_both(
    settings: FitSettings, rounds: Rounds, *, stage: str = "Hold out", progress: Progress = quiet
) -> tuple[str, Estimate, str]:
    """Whether to take a network for each axis or a shared one, its estimate, and why: shared if clearly ahead."""
    found = {
        APART: estimate(settings, rounds, axes=APART, stage=stage, progress=progress),
        SHARED: estimate(settings, rounds, axes=SHARED, stage=shared_stage(stage), progress=progress),
    }
    each, shared = (_right(found[axes].judged) for axes in (APART, SHARED))
    chosen = SHARED if clearly_ahead(shared, each) else APART
    ahead = "clearly" if chosen == SHARED else "not clearly"
    said = [f"{100 * float(np.mean(right)):.1f} %" for right in (each, shared)]
    why = f"axes: a network each is right on {said[0]} of what was held out, a shared one on {said[1]}"
    return chosen, found[chosen], f"{why}; the shared one is {ahead} ahead"


def shared_stage(stage: str) -> str:
    """What the rounds of a shared network are called, where those of a network each are called `stage`."""
    return f"{stage}, one network for all axes"


def _right(judged: Sequence[Evaluation]) -> tuple[float, ...]:
    """1 for every recording that is named right, 0 for the others, in an order that depends on the rounds alone."""
    return tuple(float(hit) for one in judged for hit in np.argmax(one.scores, axis=1) == one.truth)
