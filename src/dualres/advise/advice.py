"""From a folder's recordings, some of them labelled, to advice: what `dualres advise` does."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dualres.advise.choice import Suggestion, choose, class_probabilities, distances_between
from dualres.advise.curve import CurveRefusedError, LearningCurve, learning_curve
from dualres.advise.features import Looks, looks_of
from dualres.errors import RecordingError
from dualres.learn.holdout import HoldOutError
from dualres.recordings.recording import Recording
from dualres.utils.progress import Progress, quiet


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
