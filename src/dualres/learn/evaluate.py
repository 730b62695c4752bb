"""Recordings with known labels, judged by a model."""

from collections.abc import Sequence

from dualres.errors import ConfigError
from dualres.judge.model import Model
from dualres.judge.verdict import recording_scores
from dualres.metrics import Evaluation
from dualres.recordings.recording import Recording
from dualres.utils.progress import Progress, quiet


def evaluate(
    model: Model, recordings: Sequence[Recording], *, limit: int | None = None, progress: Progress = quiet
) -> Evaluation:
    """One score per class for every recording: the mean over its windows, the first `limit` of them if given."""
    classes = model.classes
    for recording in recordings:
        if recording.label not in classes:
            raise ConfigError(
                f"{recording.id}: label {recording.label!r} is not among the classes {', '.join(classes)}"
            )
    windows, scores = [], []
    for done, recording in enumerate(recordings, start=1):
        mean, count = recording_scores(model, recording, limit)
        windows.append(count)
        scores.append(tuple(mean.tolist()))
        progress("Judge unseen recordings", done, len(recordings), "")
    return Evaluation(
        classes=classes,
        recordings=tuple(r.id for r in recordings),
        truth=tuple(classes.index(str(r.label)) for r in recordings),
        windows=tuple(windows),
        scores=tuple(scores),
    )
