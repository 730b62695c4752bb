"""Logits to probabilities, and means of these by their logarithms; along the last axis."""

import numpy as np

from dualres.utils.arrays import Exact


def softmax(logits: Exact) -> Exact:
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))


def log_softmax(logits: Exact) -> Exact:
    below = logits - logits.max(-1, keepdims=True)
    return np.asarray(below - np.log(np.exp(below).sum(-1, keepdims=True)))


def log_mean(log_probabilities: Exact) -> Exact:
    """The logarithm of the mean probability over the first axis, precise where probabilities are tiny."""
    highest = log_probabilities.max(0)
    return np.asarray(highest + np.log(np.exp(log_probabilities - highest).mean(0)))
