"""Whether what somebody else stored of a job has the types and sizes that everything here counts on."""

import sys
from typing import Any

from dualres.campaign.ledger import Outcome

_NEEDED = ("support", "labelled_s", "inputs")  # facts that jobs are compared and exported by


def well_formed(outcome: Outcome) -> bool:
    """Texts, counts and finite numbers where they belong, as many as there are classes and recordings."""
    facts, classes = outcome.facts, outcome.classes
    if not (_all(str, classes) and _all(str, outcome.recordings) and all(name in facts for name in _NEEDED)):
        return False
    judged = _all(int, outcome.truth) and _all(int, outcome.windows)
    judged = judged and all(0 <= truth < len(classes) for truth in outcome.truth)
    judged = judged and all(len(row) == len(classes) and _numbers(row) for row in outcome.scores)
    steps = _all(int, [step.update for step in outcome.history])
    steps = steps and all(_numbers((step.loss, step.learning_rate)) for step in outcome.history)
    return judged and steps and _of_use(facts)


def _of_use(facts: dict[str, Any]) -> bool:
    support, labelled, inputs = (facts[name] for name in _NEEDED)
    windows = isinstance(support, list) and all(isinstance(one, list) and len(one) == 2 for one in support)
    return (
        windows
        and _all(str, [name for name, _ in support])
        and _all(int, [start for _, start in support])
        and isinstance(labelled, dict)
        and _numbers(labelled.values())
        and isinstance(inputs, dict)
        and _all(str, inputs.values())
    )


def _all(kind: type, values: Any) -> bool:
    return all(isinstance(value, kind) and not isinstance(value, bool) for value in values)


def _numbers(values: Any) -> bool:
    """Finite ones: comparing lets no NaN pass, and no integer that a float cannot hold."""
    return all(isinstance(value, int | float) and abs(value) <= sys.float_info.max for value in values)
