"""Part of a fit's page about how sure verdicts may be: what is promised, and whether stated probabilities hold."""

from collections.abc import Sequence

import numpy as np

from dualres.fit_page import svg as sketch
from dualres.judge.trust.calibration import ERROR, NAMED, NO_PROMISE, NONE_OF_THESE, ONE_OF, WITHOUT, Calibration
from dualres.judge.verdict import promised_under
from dualres.learn.calibrate import Bin, HeldOutAnswer, answered, bins_of
from dualres.learn.workflow import FittedModel
from dualres.recordings.recording import Recording
from dualres.utils import html

COARSE = 100  # held-out recordings: with fewer, a bin or two hold so few that their shares say little
_ANSWERS = {
    NAMED: "Named: one class",
    ONE_OF: "One of several",
    NONE_OF_THESE: "None of these",
    NO_PROMISE: "No promise",
}


def section(fitted: FittedModel, recordings: Sequence[Recording]) -> str:
    """The whole part; of a model without a calibration, why there is none."""
    title, card = "How sure it may be", fitted.model.card
    if not card.calibration or fitted.estimate is None:
        return html.section(title, f"Nothing is promised: {WITHOUT}.", "")
    calibration = Calibration.parsed(card.calibration, card.classes, card.unlabelled)
    unit = calibration.asked({})[0].unit  # that of which most recordings are answered
    estimate = next(one for one in fitted.estimates if one.unit == unit)
    known = answered(estimate, recordings, calibration)
    text = (
        f"How held-out recordings would be answered, each of an unseen {unit}, if sets may miss the truth in "
        f"{100 * ERROR:.0f} % of cases and as large a share of the names may be wrong. Their own scores set the "
        "limits. Of other recordings, a few more sets may miss it."
    )
    under = promised_under(card)
    promised = html.listed(
        [*(f"dualres diagnose can state {promise}." for promise in calibration.promises()), f"P{under[1:]}."]
    )
    body = promised + _answers(known) + _reliability(known, calibration.temperature)
    return html.section(title, text, body).replace(" %", "&nbsp;%")


def _answers(known: Sequence[HeldOutAnswer]) -> str:
    """How many recordings have each kind of answer, and of those with a set, how many sets hold the truth."""
    rows = []
    for kind, title in _ANSWERS.items():
        own = [one for one in known if one.answer.kind == kind]
        right = sum(one.held.label in one.answer.classes for one in own)
        rows.append([title, str(len(own)), f"{right} of {len(own)}" if own and kind in (NAMED, ONE_OF) else ""])
    return html.table([f"Answer at {100 * ERROR:.0f} %", "Recordings", "Hold the truth"], rows, numbers=(1, 2))


def _reliability(known: Sequence[HeldOutAnswer], temperature: float) -> str:
    right = [one.right for one in known]
    stated, after = [one.stated for one in known], [one.calibrated for one in known]
    before_bins, after_bins = bins_of(stated, right), bins_of(after, right)
    said = (
        f"{100 * np.mean(right):.0f} % of these verdicts are right. On average they are stated with "
        f"{100 * np.mean(stated):.0f} %, and with {100 * np.mean(after):.0f} % after a temperature of "
        f"{temperature:.2g}, which was fitted to them. On the dotted line what is stated is true."
    )
    if len(known) < COARSE:
        said += f" With {len(known)} recordings this picture is coarse."
    drawn = sketch.reliability(_points(before_bins), _points(after_bins))
    rows = [
        [f"{100 * low:.0f} to {100 * high:.0f} %", _share(before_bins, low), _share(after_bins, low)]
        for low, high in sorted({(one.low, one.high) for one in (*before_bins, *after_bins)}, reverse=True)
    ]
    table = html.table(["Stated", "Right, before", "Right, after"], rows, numbers=(1, 2))
    return f'<div class="sure">{drawn}<div><p>{said}</p>{table}</div></div>'


def _points(bins: Sequence[Bin]) -> list[sketch.CurvePoint]:
    return [(one.stated, one.right / one.count, one.count) for one in bins]


def _share(bins: Sequence[Bin], low: float) -> str:
    return "".join(f"{one.right} of {one.count}" for one in bins if one.low == low)
