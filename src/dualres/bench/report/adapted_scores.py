"""What a fold's recordings score when they are judged together, from the probabilities that each had alone."""

import re
from functools import cache

from dualres.bench.campaign.ledger import Outcome
from dualres.config import ModelConfig
from dualres.judge.batch_correction import corrected
from dualres.metrics import confusion, macro_f1

# Speed and load, as the names of recordings state them. A fold of CWRU judges a single load.
CONDITION = {"phm2009": r"\d+hz_[a-z]+", "simulated": r"\d+rpm_\d+Nm", "machines": r"\d+rpm_\d+pc", "cwru": r"_\d$"}


@cache
def condition_of(dataset: str, recording: str) -> str:
    """The operating condition that a recording was made at."""
    (found,) = re.findall(CONDITION[dataset], recording)
    return str(found)


def f1_together(outcome: Outcome, dataset: str = "") -> float:
    """Macro-F1 in percent, all recordings being one batch, at conditions known from `dataset`, or else unknown."""
    conditions = [condition_of(dataset, name) if dataset else None for name in outcome.recordings]
    named = corrected(outcome.scores, conditions).argmax(1)
    return 100 * macro_f1(confusion(outcome.truth, named.tolist(), len(outcome.classes)))


def unlabelled_s(outcome: Outcome) -> float:
    """Seconds of the batch, which nobody labelled; windows overlap by half."""
    return ModelConfig().window_s * sum((count + 1) / 2 for count in outcome.windows)
