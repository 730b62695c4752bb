"""Classes given away by how they were recorded: rate, length, offset, amplitude, clipping."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dualres.audit.finding import Finding, Recordings, Severity
from dualres.audit.signals import Traits
from dualres.utils.arrays import Exact

# The model removes offset and amplitude. But where classes differ in rate or length they come from different
# campaigns, and a resampler leaves its trace in the spectrum.
_LEAKS = ("rate", "length")
# Values no further apart count as equal: 1 % of a length or amplitude, 0.1 % of the amplitude for an offset.
_TOLERANCE = {"rate": 1e-9, "length": 0.01, "offset": 1e-3, "amplitude": 0.01, "clipping": 1e-4}

# A cue that sets one class apart from all others doubles the share of right answers, whatever the number of classes.
# Half of that is worth reporting.
_LIFT = 1.5
# Lengths, offsets and levels scatter by themselves, and in a small split they may sort the classes by accident.
_P_VALUE = 0.01
_SHUFFLES = 999
_AT_ONCE = 2**18  # numbers, which stay in the processor's cache

Indices = npt.NDArray[np.intp]


def given_away(support: Recordings, evaluation: Recordings, known: Mapping[str, Traits]) -> Iterator[Finding]:
    """Cues by which the nearest support recording names others far above chance; without `known`, only the rate."""
    support = [r for r in support if r.label]
    classes = sorted({r.label for r in support if r.label})
    evaluation = [r for r in evaluation if r.label in classes]
    if len(classes) < 2 or len({r.label for r in evaluation}) < 2:
        return
    learned, judged = _one_hot(support, classes), _one_hot(evaluation, classes)
    level = float(np.median([known[r.id].rms for r in support])) if known else 0.0
    judged_values = _values(evaluation, known, level)
    for cue, given in _values(support, known, level).items():
        near = _Near.of(judged_values[cue], given, _TOLERANCE[cue])
        score = float(_right(near, learned[None], judged[None])[0])
        shuffled = np.concatenate([_right(near, *labels) for labels in _shuffled(learned, judged)])
        chance = float(shuffled.mean())
        p_value = float((1 + np.count_nonzero(shuffled >= score - 1e-9)) / (1 + _SHUFFLES))
        # A rate is set, it does not scatter: two classes of one recording each at two rates are no accident.
        if score >= _LIFT * chance and (p_value <= _P_VALUE or cue == "rate"):
            message = f"the {cue} alone names {score:.0%} of the evaluation right, by chance it would be {chance:.0%}"
            evidence: dict[str, float | str] = {"cue": cue, "right": score, "chance": chance, "p_value": p_value}
            severity: Severity = "leak" if cue in _LEAKS else "warning"
            yield Finding("class-given-away", severity, message, tuple(r.id for r in evaluation), evidence)


def _values(recordings: Recordings, known: Mapping[str, Traits], level: float) -> dict[str, Exact]:
    values = {"rate": np.log([float(r.rate) for r in recordings])}
    if known:
        traits = [known[r.id] for r in recordings]
        values["length"] = np.log([t.seconds for t in traits])
        values["offset"] = np.array([t.offset for t in traits]) / (level or 1.0)
        values["amplitude"] = np.log([t.rms + 1e-12 for t in traits])
        values["clipping"] = np.array([t.clipped for t in traits])
    return values


def _one_hot(recordings: Recordings, classes: Sequence[str]) -> Exact:
    return np.array([[r.label == label for label in classes] for r in recordings], dtype=np.float64)


@dataclass(frozen=True)
class _Near:
    """Which learned values are nearest to each judged one: neighbours, once the learned ones are in order."""

    order: Indices  # of the learned values, rising
    first: Indices  # of those nearest to each judged value, a place in the order
    last: Indices  # the place after the last one

    @classmethod
    def of(cls, judged: Exact, learned: Exact, tolerance: float) -> "_Near":
        order = np.argsort(learned, kind="stable")
        first, last = np.empty(len(judged), np.intp), np.empty(len(judged), np.intp)
        step = max(1, _AT_ONCE // len(learned))
        for begin in range(0, len(judged), step):
            some = slice(begin, begin + step)
            apart = np.abs(judged[some, None] - learned[order])
            near = apart <= apart.min(1, keepdims=True) + tolerance
            first[some] = near.argmax(1)
            last[some] = first[some] + near.sum(1)
        return cls(order, first, last)


def _shuffled(learned: Exact, judged: Exact) -> Iterator[tuple[Exact, Exact]]:
    """Labels that have nothing to do with recordings, `_SHUFFLES` times, some at once: (shuffles, recordings, classes),
    the same for every cue.
    """
    rng = np.random.default_rng(0)
    step = max(1, _AT_ONCE // (learned.size + judged.size))
    for done in range(0, _SHUFFLES, step):
        drawn = [(rng.permutation(learned), rng.permutation(judged)) for _ in range(min(step, _SHUFFLES - done))]
        yield np.stack([one for one, _ in drawn]), np.stack([one for _, one in drawn])


def _right(near: _Near, learned: Exact, judged: Exact) -> Exact:
    """Share named right, averaged over the evaluated classes, of each way in which labels lie, (ways, recordings,
    classes); classes equally near share the answer.
    """
    before = np.zeros((len(learned), learned.shape[1] + 1, learned.shape[2]))  # how many of each class come before
    np.cumsum(learned[:, near.order], 1, out=before[:, 1:])
    votes = before[:, near.last] > before[:, near.first]  # (ways, judged, classes)
    answers = votes / votes.sum(2, keepdims=True)
    members = judged[0].sum(0)  # the same however they lie
    there = members > 0
    return np.asarray(((answers * judged).sum(1)[:, there] / members[there]).mean(1))
