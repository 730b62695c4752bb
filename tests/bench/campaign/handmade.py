"""Outcomes of which every answer is chosen by hand."""

from dataclasses import replace

import numpy as np

from tests.bench.campaign.synthetic import synthetic_outcome


def answered(job, truth, said):
    """A job's outcome in which the recordings are of the classes `truth` and were given those of `said`."""
    outcome = synthetic_outcome(job)
    classes = len(outcome.classes)
    scores = np.full((len(said), classes), 0.1 / (classes - 1))
    scores[np.arange(len(said)), said] = 0.9
    count = len(said)
    return replace(
        outcome,
        recordings=tuple(f"recording {i}" for i in range(count)),  # as many as there are answers
        truth=tuple(truth),
        windows=outcome.windows[:1] * count,
        scores=tuple(map(tuple, scores.tolist())),
    )


def right(job, share):
    """A job's outcome in which that share of 24 recordings, 8 of each of three classes, is named right."""
    truth = [i % 3 for i in range(24)]
    wrong = round(24 * (1 - share))
    return answered(job, truth, [(t + 1) % 3 if i < wrong else t for i, t in enumerate(truth)])
