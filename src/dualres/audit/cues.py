"""Classes given away by how they were recorded: rate, length, offset, amplitude, clipping."""

from collections.abc import Iterator, Mapping, Sequence

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


def given_away(support: Recordings, evaluation: Recordings, known: Mapping[str, Traits]) -> Iterator[Finding]:
    """Cues by which the nearest support recording names others far above chance; without `known`, only the rate."""
    support = [r for r in support if r.label]
    classes = sorted({r.label for r in support if r.label})
    evaluation = [r for r in evaluation if r.label in classes]
    if len(classes) < 2 or len({r.label for r in evaluation}) < 2:
        return
    learned, judged = _one_hot(support, classes), _one_hot(evaluation, classes)
    level = float(np.median([known[r.id].rms for r in support])) if known else 0.0
    for cue, given in _values(support, known, level).items():
        apart = np.abs(_values(evaluation, known, level)[cue][:, None] - given)
        near = apart <= apart.min(1, keepdims=True) + _TOLERANCE[cue]
        score = _right(near, learned, judged)
        rng = np.random.default_rng(0)  # scores where labels have nothing to do with recordings
        drawn = ((rng.permutation(learned), rng.permutation(judged)) for _ in range(_SHUFFLES))
        shuffled = np.array([_right(near, *labels) for labels in drawn])
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


def _right(near: npt.NDArray[np.bool_], learned: Exact, judged: Exact) -> float:
    """Share named right, averaged over the evaluated classes; classes equally near share the answer."""
    votes = (near @ learned) > 0  # (evaluated, classes)
    answers = votes / votes.sum(1, keepdims=True)
    members = judged.sum(0)
    return float(((answers * judged).sum(0)[members > 0] / members[members > 0]).mean())
