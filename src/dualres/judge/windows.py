"""One walk from a signal to the windows that a model judges: the only place that resamples and cuts for one.

Live streams cut as they come, and are held to this by a test.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from dualres.judge.backends import Scores
from dualres.judge.model import Model
from dualres.kernel.inference import TOGETHER
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.windows import window_blocks

STRETCH = 4 * TOGETHER  # windows: enough for a few threads or a GPU, and a file of any length needs little memory


def model_windows(
    model: Model, signal: Recording, limit: int | None = None, at_once: int = STRETCH
) -> Iterator[Samples]:
    """Every half-overlapping window of one signal, the first `limit` if given, `at_once` at a time: (n, window).

    The signal is resampled as the model's card says. Windows are views.
    """
    card = model.card
    size = {"rate": card.config.rate, "window": card.config.window}
    return window_blocks(signal, **size, resampler=card.resampler, at_once=at_once, limit=limit)


def mean_over_axes(scores: Sequence[Scores]) -> Scores:
    """Of a window's scores (n, classes) along each axis; those of a single axis to the last bit."""
    return scores[0] if len(scores) == 1 else np.asarray(np.mean(scores, axis=0))
