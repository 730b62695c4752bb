"""The quantities that tables are made of, by the name they have in the CSV file."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dualres.bench.campaign.ledger import Outcome
from dualres.bench.profile.measurements import MIB
from dualres.bench.report.adapted_scores import f1_together, unlabelled_s
from dualres.bench.report.results import percent_accuracy, percent_f1
from dualres.errors import ConfigError

SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)  # a probability of zero would cost infinitely much


@dataclass(frozen=True)
class Metric:
    name: str
    of: Callable[[Outcome], float]  # NaN where there is no such thing
    digits: int = 2
    lowest: bool = False  # whether less is better


def metric(name: str) -> Metric:
    """By name; "recall:CLASS", "together:DATASET" and "loss@UPDATE" carry what they are of."""
    kind, _, detail = name.replace("@", ":").partition(":")
    if kind == "recall":
        return Metric(name, lambda outcome: 100 * float(outcome.recall[outcome.classes.index(detail)]))
    if kind == "together":
        return Metric(name, lambda outcome: f1_together(outcome, detail))
    if kind == "loss":
        return Metric(name, lambda outcome: outcome.history[int(detail) - 1].loss, 4, lowest=True)
    if name not in _METRICS:
        raise ConfigError(f"there is no metric {name!r}; there are {', '.join(_METRICS)}, recall:CLASS and loss@UPDATE")
    return _METRICS[name]


def log_loss(outcome: Outcome) -> float:
    """Mean over the recordings of -log(probability given to the true class), in nats."""
    given = np.asarray(outcome.scores)[np.arange(len(outcome.truth)), list(outcome.truth)]
    return float(-np.log(np.maximum(given, SMALLEST_PROBABILITY)).mean())


def classes_named(outcome: Outcome) -> float:
    """How many classes are the verdict on any recording."""
    return float(np.count_nonzero(outcome.confusion.sum(0)))


def top_share(outcome: Outcome) -> float:
    """Percent of the recordings that were given the most frequent verdict."""
    return 100 * float(outcome.confusion.sum(0).max()) / len(outcome.truth)


def last_loss(outcome: Outcome) -> float:
    """The training loss before the last update, in nats."""
    return outcome.history[-1].loss if outcome.history else math.nan


def _cost(field: str, unit: float = 1) -> Callable[[Outcome], float]:
    def of(outcome: Outcome) -> float:
        value = outcome.facts["cost"][field]
        return math.nan if value is None else value / unit

    return of


_METRICS = {
    m.name: m
    for m in (
        Metric("macro_f1", percent_f1),
        Metric("accuracy", percent_accuracy),
        Metric("unlabelled_s", unlabelled_s, 0),
        Metric("log_loss", log_loss, 4, lowest=True),
        Metric("classes_named", classes_named, 1),
        Metric("top_share", top_share, 1),
        Metric("last_loss", last_loss, 4, lowest=True),
        Metric("registered", _cost("registered"), 0, lowest=True),
        Metric("active", _cost("active"), 0, lowest=True),
        Metric("file_mib", _cost("file_bytes", MIB), 3, lowest=True),
        Metric("fit_s", _cost("fit_s"), 1, lowest=True),
        Metric("peak_mib", _cost("peak_bytes", MIB), 1, lowest=True),
    )
}
