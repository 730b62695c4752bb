"""What held-out recordings say about a verdict: one class, a set of them, none of these, or no promise."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from dualres.errors import MISFIT, ModelFileError, reason_of
from dualres.judge.trust.class_limits import class_limits
from dualres.judge.trust.conditions import as_labelled
from dualres.judge.trust.conformal import least_error, limit, rank, surprise, tempered
from dualres.judge.trust.held_out_recording import LARGEST, NAMES, HeldOutRecording, as_columns, parsed_columns
from dualres.judge.trust.name_limits import name_limits
from dualres.judge.trust.novelty import PARTS, NoveltyFeatures
from dualres.judge.trust.standing import HZ, ORDER, Standing
from dualres.utils.arrays import Exact

NAMED, ONE_OF, NONE_OF_THESE, NO_PROMISE = "named", "one_of", "none_of_these", "no_promise"
COMPONENT = "component"
ERROR = 0.1  # that is stated where nobody asks for another
WITHOUT = "the model was fitted without an estimate, so its error rate is not known"
NOT_KNOWN = "its speed is not known, and the error rate was measured with speeds"
ADAPTED = "unlabelled recordings changed the verdict, and the error rate was measured without them"
# How far beyond everything that was held out a recording must lie to be unlike it, whatever error is asked for: so much
# of the way from the middle to the outermost, and at least so much in the units of `NoveltyFeatures`.
BEYOND = 0.25
LEAST = {"spectrum": 0.1, "level": float(np.log(2)), "bandwidth": 0.25, "rate": 0.02}
DIFFERING = ("temperature", "surprise", "look", *NAMES)  # in a card, where the same recordings are judged otherwise
ONE_SIDED = ("spectrum",)  # nothing is too near
_SCALES = {"spectrum": np.exp, "level": np.exp, "bandwidth": np.exp2, "rate": np.exp2}
_WORDS = {
    "spectrum": "its spectrum is {:.2g} times as far from every class as is usual",
    "level": "its level is {:.2g} times the usual",
    "bandwidth": "its bandwidth is {:.2g} times the usual",
    "rate": "its rate is {:.2g} times the usual",
}


@dataclass(frozen=True)
class Answer:
    """What can be said of one recording at a stated error rate."""

    kind: str  # named, one_of, none_of_these or no_promise
    classes: tuple[str, ...]  # the set, the most probable first; empty where nothing was calibrated
    error: float
    sure: float | None = None  # the share of calibrations that keep the rate; None for on average over them
    promise: str | None = None  # the unit that the rate holds for, an unseen "component" say; None for no promise
    reason: str = ""  # why nothing is promised, or what is unlike the labelled recordings
    probability: float | None = None  # of the most probable class, calibrated
    # Conditions that the recording does not state: where it has a promise, they are taken to be like the labelled ones.
    assumed: tuple[str, ...] = ()
    names: bool = False  # whether it is promised of names, too: of what is named at most `error` is wrong

    def __str__(self) -> str:
        return {
            NAMED: f"named: {self.classes[0] if self.classes else ''}, {_rate_of_names(self.error)}",
            ONE_OF: f"one of {', '.join(self.classes)}",
            NONE_OF_THESE: f"none of these: {self.reason}",
            NO_PROMISE: f"no promise: {self.reason}",
        }[self.kind]

    def as_data(self) -> dict[str, Any]:
        """For JSON; its keys stand beside those of a verdict."""
        promise = {"unit": self.promise, "error": self.error, "sure": self.sure} if self.promise else None
        names_error = self.error if self.names else None
        data = {"answer": self.kind, "set": list(self.classes), "promise": promise, "names_error": names_error}
        return {**data, "reason": self.reason, "calibrated": self.probability, "assumed": list(self.assumed)}


@dataclass(frozen=True)
class Calibration:
    """Scores of all that was held out, from which any error rate is stated when a recording is judged.

    A promise is about the question that was asked of the model when something was held out: how it does on an unseen
    component, say, or on another recording of the components that it knows. Each question has scores of its own. Which
    one a recording is answered by follows from what was held out and from what the recording states of itself, before
    its scores are looked at. So a rate holds among all recordings that are answered by the same question.
    """

    classes: tuple[str, ...]
    unit: str  # that was held out
    held: tuple[HeldOutRecording, ...]
    temperature: float = 1.0
    conditions: Mapping[str, Sequence[str]] = field(default_factory=dict)  # outside these values nothing is promised
    windows: int = 0  # of the longest held-out recording; 0 where nobody kept it
    without_speed: "Calibration | None" = None  # by the same recordings, judged as if their speeds were not known
    standings: Mapping[str, Standing] = field(default_factory=dict)  # by axis, by which looks are compared with classes
    others: tuple["Calibration", ...] = ()  # of further units, each held out for itself; the hardest come first

    @property
    def questions(self) -> tuple["Calibration", ...]:
        """What a promise may be about."""
        return (self, *self.others)

    def answer(
        self,
        probabilities: Sequence[float],
        look: NoveltyFeatures,
        condition: Mapping[str, str] | None = None,
        *,
        error: float = ERROR,
        sure: float | None = None,
        part: int | None = None,
    ) -> Answer:
        """By the probabilities of all classes, from `part` windows if not of all; `condition` is by `stated_of`."""
        condition = as_labelled(condition or {}, self._conditions)
        order = np.argsort(probabilities)[::-1]
        calibrated = float(tempered(probabilities, self.temperature).max())
        unlike = self.beyond(look)
        asked, reason = self.asked(condition, error=error, sure=sure)
        promise = None if reason else asked.unit
        if promise and part is not None and (short := asked._too_short(part)):
            promise, reason = None, short
        surprises = surprise(probabilities)
        chosen = asked._set(surprises, error, sure)
        kind, promised = ONE_OF, promise is not None and asked._names_at(error, sure) is not None
        if unlike:
            kind, reason = NONE_OF_THESE, unlike
        elif promise is None:
            kind = NO_PROMISE
        else:
            _, most = asked._limits_at(error, sure)
            if most is not None and look.distance > most:
                kind = NONE_OF_THESE
                reason = f"no class stands out: the nearest by {-look.distance:.2f} nats, with {-most:.2f} as the limit"
            elif len(chosen) == 1:
                reason = asked._unnamed(surprises, error, sure)
                kind, chosen = (ONE_OF, {self.classes[c] for c in order[:2]}) if reason else (NAMED, chosen)
        classes = tuple(self.classes[c] for c in order if self.classes[c] in chosen)
        assumed = asked.assumed(condition) if promise else ()
        return Answer(kind, classes, error, sure, promise, reason, calibrated, assumed, promised)

    def asked(
        self, condition: Mapping[str, str], *, error: float = ERROR, sure: float | None = None
    ) -> tuple["Calibration", str]:
        """The hardest question about a recording of this condition whose rate can be stated; else one that would have
        said a set, with the reason why that is not promised. What is of a labelled component asks nothing about unseen
        ones: that question comes last."""
        order = sorted(self.questions, key=lambda one: one._knows(condition))
        reasons = [one._why_not(condition, error, sure) or self._unstated(one, condition) for one in order]
        if "" in reasons:
            return order[reasons.index("")], ""
        says = [one for one in order if one._limits_at(error, sure)[0] is not None]
        return (says[-1] if says else order[-1]), "; ".join(dict.fromkeys(reasons))

    def sets(self, surprises: Exact, unit: str, error: float, sure: float | None = None) -> set[str] | None:
        """The classes that are not too surprising (classes,), the first at any rate; None for too few units."""
        one = self._about(unit)
        return one._set(surprises, error, sure) if one and one._limits_at(error, sure)[0] else None

    def limits(self, unit: str, error: float, sure: float | None = None) -> list[float] | None:
        """How surprising each class may be to belong to a set; None for too few units."""
        one = self._about(unit)
        return one._limits_at(error, sure)[0] if one else None

    def name_limits(self, unit: str, error: float, sure: float | None = None) -> list[float] | None:
        """Beyond how many nats ahead each class is named, infinite for never; None where no class can be."""
        one = self._about(unit)
        return one._names_at(error, sure) if one else None

    def doubt_limit(self, unit: str, error: float, sure: float | None = None) -> float | None:
        one = self._about(unit)
        return one._limits_at(error, sure)[1] if one else None

    def units_of(self, unit: str) -> int:
        one = self._about(unit)
        return len(one._units) if one else 0

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The classes of which no such unit was held out. Nothing rules them out, so without them no set is sure."""
        known = {one.label for one in self._known}
        return tuple(label for label in self.classes if label not in known)

    def promises(self, sure: float = 0.9) -> list[str]:
        """The error rates that can be stated, in words."""
        said = []
        for one in self.questions:
            least, surely = (f"{100 * least_error(len(one._units), share):.2g} %" for share in (None, sure))
            rates = f"error rates from {least}, with --sure {sure} from {surely}"
            said.append(f"about an unseen {one.unit} {f'no error rate: {one._missed()}' if one.missing else rates}")
        return said

    def assumed(self, condition: Mapping[str, str]) -> tuple[str, ...]:
        """The labelled conditions that a recording does not state, and that a promise is bound to."""
        return tuple(name for name in self.conditions if name not in (self.unit, COMPONENT, *condition))

    def _about(self, unit: str) -> "Calibration | None":
        return next((one for one in self.questions if one.unit == unit), None)

    def _knows(self, condition: Mapping[str, str]) -> bool:
        """Whether a recording states that it is of a unit that was labelled."""
        return condition.get(self.unit) in self._labelled

    @cached_property
    def _conditions(self) -> dict[str, set[str]]:
        """Every labelled value of the conditions that a promise may be bound to."""
        found: dict[str, set[str]] = {}
        for one in self.questions:
            for name, values in one.conditions.items():
                found.setdefault(name, set()).update(values)
        return found

    @cached_property
    def _labelled(self) -> set[str]:
        return {one.unit for one in self.held}

    def _why_not(self, condition: Mapping[str, str], error: float, sure: float | None) -> str:
        """Why no rate is stated about this unit of a recording made so, in words; else nothing."""
        count = len(self._units)
        if self._limits_at(error, sure)[0] is None:
            units = f"{count} held-out {self.unit}{'s' * (count != 1)}"
            return f"{units} state no error rate below {100 * least_error(count, sure):.2g} %"
        for name, value in condition.items():
            if value not in self.conditions.get(name, (value,)) and name != self.unit:
                return f"{name} {value} was not labelled"
        return self._missed()

    def _missed(self) -> str:
        if not self.missing:
            return ""
        return f"no {self.unit} of {', '.join(self.missing)} was held out, so nothing rules that out"

    def _unstated(self, asked: "Calibration", condition: Mapping[str, str]) -> str:
        """Why what was measured on known components is no promise: a component that nobody names may be a new one."""
        unseen = any(one.unit == COMPONENT for one in self.questions)
        return "its component is not stated" if unseen and {COMPONENT}.isdisjoint({asked.unit, *condition}) else ""

    def _too_short(self, part: int) -> str:
        """Why so many windows do not stand for a recording, in words: a mean over fewer windows errs more often."""
        if not self.windows:
            return "how long the held-out recordings were is not known; fit the model again"
        shorter = f"a stretch of {part} windows is shorter than held-out recordings, of up to {self.windows}"
        return shorter if part < self.windows else ""

    def _set(self, surprises: Exact, error: float, sure: float | None) -> set[str]:
        limits = self._limits_at(error, sure)[0]
        if limits is None:
            return set()
        return {c for c, s, most in zip(self.classes, surprises, limits, strict=True) if s <= most or s < 0}

    def _unnamed(self, surprises: Exact, error: float, sure: float | None) -> str:
        """Why the first class is not named though it makes up a set alone, in words; else nothing."""
        limits, first = self._names_at(error, sure), int(surprises.argmin())
        rate = _rate_of_names(error)
        if limits is None:
            count = len(self._units)
            return f"{count} held-out {self.unit}{'s' * (count != 1)} do not show that {rate}"
        if np.isinf(limits[first]):
            return f"held-out names of {self.classes[first]} do not show that {rate}"
        ahead = f"{self.classes[first]} is {-surprises[first]:.2f} nats ahead"
        return "" if -surprises[first] > limits[first] else f"{ahead}, and {rate} beyond {limits[first]:.2f}"

    @cached_property
    def _known(self) -> list[HeldOutRecording]:
        """Those whose unit was new to the model that judged them."""
        return [one for one in self.held if one.new]

    @cached_property
    def _units(self) -> dict[str, list[HeldOutRecording]]:
        units: dict[str, list[HeldOutRecording]] = defaultdict(list)
        for one in self._known:
            units[one.unit].append(one)
        return units

    def _limits_at(self, error: float, sure: float | None) -> tuple[list[float] | None, float | None]:
        """Those of surprise and that of doubt, computed once: many recordings are answered at one rate."""
        if (error, sure) not in self._computed:
            scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
            for one in self._known:
                scores[one.label][one.unit].append(one.surprise)
            units = self._units.values()
            k, limits = rank(len(units), error, sure), class_limits(self.classes, scores, error, sure)
            doubt = None if k is None else limit([[one.look.distance for one in held] for held in units], k)
            self._computed[error, sure] = limits, doubt
        return self._computed[error, sure]

    def _names_at(self, error: float, sure: float | None) -> list[float] | None:
        """As `name_limits`, where a set has a rate at all; computed once."""
        if (error, sure) not in self._named:
            named = [one.as_name for one in self._known]
            sets = self._limits_at(error, sure)[0]
            self._named[error, sure] = name_limits(self.classes, named, error, sure) if sets else None
        return self._named[error, sure]

    @cached_property
    def _named(self) -> dict[tuple[float, float | None], list[float] | None]:
        return {}

    @cached_property
    def _computed(self) -> dict[tuple[float, float | None], tuple[list[float] | None, float | None]]:
        return {}

    @cached_property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The middle of what was held out, and how far from it the outermost lies."""
        looks = np.array([astuple(one.look) for one in self.held])
        found = {}
        for name in LEAST:
            values = looks[:, PARTS.index(name)]
            middle = _median(values)
            away = values - middle
            found[name] = (middle, float((away if name in ONE_SIDED else np.abs(away)).max()))
        return found

    @cached_property
    def familiar(self) -> dict[str, tuple[float, float]]:
        """The least and the most of each part of a look that do not lie far beyond all that was held out."""
        found = {}
        for name, (middle, outermost) in self.ranges.items():
            room = (1 + BEYOND) * outermost + LEAST[name]
            found[name] = (-np.inf if name in ONE_SIDED else middle - room, middle + room)
        return found

    def beyond(self, look: NoveltyFeatures) -> str:
        """In what a recording lies far beyond all that was held out, in words."""
        for name, (least, most) in self.familiar.items():
            if not least <= (value := getattr(look, name)) <= most:
                (middle, outermost), times = self.ranges[name], _SCALES[name]
                away, usual = float(times(value - middle)), float(times(outermost))
                return f"{_WORDS[name].format(away)}, with at most {usual:.2g} among those held out"
        return ""

    def as_data(self) -> dict[str, Any]:
        """For a card: columns of numbers."""
        return {
            "unit": self.unit,
            "temperature": self.temperature,
            "conditions": {name: list(values) for name, values in self.conditions.items()},
            **as_columns(self.held, self.classes),
            **({"windows": self.windows} if self.windows else {}),
            **({"without_speed": self.without_speed._differing()} if self.without_speed else {}),
            **({"standings": {axis: one.as_data() for axis, one in self.standings.items()}} if self.standings else {}),
            **({"others": [one.as_data() for one in self.others]} if self.others else {}),
        }

    def _differing(self) -> dict[str, Any]:
        """What is not the same of recordings that are judged in another way."""
        data = self.as_data()
        return _only(data)

    def asking(self, others: Sequence["Calibration"]) -> "Calibration":
        """With further questions, each with what is known of it without speeds."""
        without = self.without_speed
        if without:
            without = replace(without, others=tuple(one.without_speed for one in others if one.without_speed))
        return replace(self, others=tuple(others), without_speed=without)

    @classmethod
    def parsed(cls, data: Mapping[str, Any], classes: Sequence[str], unlabelled: Sequence[str] = ()) -> "Calibration":
        """As it stands in a card; of the `unlabelled` classes nothing was ever held out."""
        try:
            held = parsed_columns(data, classes)
            conditions = {str(name): tuple(map(str, values)) for name, values in data["conditions"].items()}
            temperature, windows = float(data["temperature"]), int(data.get("windows", 0))
            if not (0 < temperature < LARGEST and windows >= 0):
                raise ValueError("its numbers are not those of recordings")
            stated = str(data["unit"]), held, temperature, conditions, windows
            other = data.get("without_speed")
            plain = {name: value for name, value in data.items() if name not in NAMES}
            plain |= {"without_speed": None, "others": (), "standings": {}}
            without = cls.parsed({**plain, **_only(other)}, classes, unlabelled) if other else None
            others = [cls.parsed({**more, "others": ()}, classes, unlabelled) for more in data.get("others", ())]
            told = data.get("standings", {}).items()
            standings = {axis: Standing.parsed(one, len(classes)) for axis, one in told if axis in (HZ, ORDER)}
            return cls((*classes, *unlabelled), *stated, without, standings).asking(others)
        except MISFIT as error:
            raise ModelFileError(
                f"the calibration in the model's card cannot be understood ({reason_of(error)}); fit the model again"
            ) from error


def held_out(
    classes: Sequence[str], label: str, unit: str, new: bool, *, probabilities: Sequence[float], look: NoveltyFeatures
) -> HeldOutRecording:
    """A held-out recording by what its model said."""
    surprises, first = surprise(probabilities), int(np.argmax(probabilities))
    truth = float(surprises[list(classes).index(label)])
    return HeldOutRecording(label, unit, new, truth, look, classes[first], float(-surprises[first]))


def _rate_of_names(error: float) -> str:
    return f"at most {100 * error:.3g} % of names are wrong"


def _only(differing: Mapping[str, Any]) -> dict[str, Any]:
    return {name: differing[name] for name in DIFFERING if name in differing}


def _median(values: Exact) -> float:
    """As NumPy's, which imports all that NumPy knows of masked arrays."""
    ordered = np.sort(values)
    return float(ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1].mean())
