"""Recordings with known labels, judged by a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from dualres.errors import ConfigError
from dualres.machinery.progress import Progress, quiet
from dualres.metrics import Evaluation
from dualres.recordings.recording import Recording

Scores = npt.NDArray[np.float64]
WindowScores = Callable[[Recording, int | None], Scores]  # of at most that many windows: (windows, classes)


def evaluate(
    window_scores: WindowScores,
    recordings: Sequence[Recording],
    classes: Sequence[str],
    *,
    limit: int | None = None,
    progress: Progress = quiet,
) -> Evaluation:
    """One score per class for every recording: the mean over its windows, the first `limit` of them if given."""
    for recording in recordings:
        if recording.label not in classes:
            raise ConfigError(
                f"{recording.id}: label {recording.label!r} is not among the classes {', '.join(classes)}"
            )
    windows, scores = [], []
    for done, recording in enumerate(recordings, start=1):
        each = window_scores(recording, limit)
        windows.append(len(each))
        scores.append(tuple(each.mean(0).tolist()))
        progress("Judge unseen recordings", done, len(recordings), "")
    return Evaluation(
        classes=tuple(classes),
        recordings=tuple(r.id for r in recordings),
        truth=tuple(classes.index(str(r.label)) for r in recordings),
        windows=tuple(windows),
        scores=tuple(scores),
    )
