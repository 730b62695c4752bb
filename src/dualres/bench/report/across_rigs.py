"""The rule by which a default is chosen across rigs. It was fixed before a score of the suite was known.

Chosen is the candidate with the best mean gain over the paper's recipe, among those that lose at most 2 points on any
rig. The paper's recipe is a candidate, so there is always one. What the rule chooses without a rig is judged on that
rig, and only such figures count; what ships is what it chooses from all rigs.
"""

import statistics
from collections.abc import Iterable, Mapping

REFERENCE = "paper"
MOST_LOST = 2.0  # percentage points

RigScores = Mapping[str, Mapping[str, float]]  # candidate -> rig -> macro-F1 in percent


def gains(scores: RigScores, candidate: str, rigs: Iterable[str]) -> dict[str, float]:
    """Over the reference, in percentage points, rig by rig."""
    return {rig: scores[candidate][rig] - scores[REFERENCE][rig] for rig in rigs}


def choose(scores: RigScores, rigs: Iterable[str]) -> str:
    """What the rule chooses from these rigs; of equals, the candidate that is named first."""
    by_candidate = {name: list(gains(scores, name, list(rigs)).values()) for name in scores}
    allowed = {name: found for name, found in by_candidate.items() if min(found) >= -MOST_LOST}
    return max(allowed, key=lambda name: statistics.fmean(allowed[name]))


def chosen_without(scores: RigScores, rigs: Iterable[str]) -> dict[str, str]:
    """For every rig, what the rule chooses from the others."""
    rigs = list(rigs)
    return {left: choose(scores, [rig for rig in rigs if rig != left]) for left in rigs}
