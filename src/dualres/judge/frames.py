"""Verdicts as a table, for whoever works with DataFrames."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dualres.utils.optional_imports import need

if TYPE_CHECKING:
    from dualres.judge.verdict import Verdict


def to_frame(verdicts: "Iterable[Verdict]") -> Any:
    """A pandas DataFrame of verdicts, one row each, in their order.

    The index is the recording. Columns: `verdict`, `probability`, `runner_up`, `windows`; `answer`, `set`, `error`,
    `promise` (the unit that it holds for), `reason` and `calibrated`, missing for verdicts without an answer; `rpm`,
    missing where no speed is known; and `p_CLASS`, the probability of each class.
    """
    need("to_frame", "pandas")
    import pandas as pd

    given = list(verdicts)
    known = {
        "verdict": [one.label for one in given],
        "probability": [one.probability for one in given],
        "runner_up": [one.runner_up if len(one.probabilities) > 1 else None for one in given],
        "windows": [one.windows for one in given],
        "answer": [one.answer.kind if one.answer else None for one in given],
        "set": [", ".join(one.answer.classes) if one.answer else None for one in given],
        "error": [one.answer.error if one.answer and one.answer.promise else float("nan") for one in given],
        "promise": [one.answer.promise if one.answer else None for one in given],
        "reason": [one.answer.reason if one.answer else None for one in given],
        "calibrated": [_number(one.answer.probability if one.answer else None) for one in given],
        "rpm": [_number(one.speed.rpm if one.speed else None) for one in given],
    }
    classes = dict.fromkeys(name for one in given for name in one.probabilities)
    shares = {f"p_{name}": [_number(one.probabilities.get(name)) for one in given] for name in classes}
    return pd.DataFrame({**known, **shares}, index=pd.Index([one.recording for one in given], name="recording"))


def _number(known: float | None) -> float:
    return float("nan") if known is None else known
