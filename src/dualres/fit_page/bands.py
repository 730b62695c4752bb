"""Part of a fit's page about what a model listens to: what told the typical recording of a class from its rival."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dualres.explain.nearest import Neighbour, halfway, portrait
from dualres.explain.reasons import Reasons, compare_classes, explanation_of
from dualres.explain.sentence import marks_of, sentence_of
from dualres.judge.model import Model
from dualres.judge.verdict import recording_scores
from dualres.learn.estimate import Estimate
from dualres.learn.workflow import FittedModel
from dualres.recordings.axes import in_order
from dualres.recordings.recording import Recording
from dualres.utils import html
from dualres.utils.html import escape

WINDOWS = 4  # of a recording, from its start: reasons cost little then
TOP = 3  # regions of a class


def section(fitted: FittedModel, typical: Mapping[str, Recording]) -> str:
    """The whole part, by a typical recording of each class; of several axes the first is explained."""
    model, card, of_axes = fitted.model, fitted.model.card, ""
    if card.kind is None or card.kind.explanation is None:
        return html.section("What it listens to", "Reasons are known of DualRes alone.", "")
    if card.axes:
        typical = {label: replace(in_order(one, card.channels)[0], label=label) for label, one in typical.items()}
        model, of_axes = model.along(0), f" Of the axes {', '.join(card.channels)}, {card.channels[0]} is explained."
    found = reasons_of(model, typical, fitted.estimate)
    turns = " 3 x shaft is what comes three times in a turn." if any(one.speed for one in found) else ""
    text = (
        "What tells the typical recording of each class from the class that it was confused with most often, or else "
        "from the one that comes next. Below it is what spoke most for it: the longer the bar, the more."
        f"{turns} dualres explain says it for any recording.{of_axes}"
    )
    rows = (_row(one, float(typical[one.label].rate) / 2) for one in found)
    return html.section("What it listens to", text, "".join(rows))


def reasons_of(model: Model, typical: Mapping[str, Recording], estimate: Estimate | None) -> list[Reasons]:
    """For each class and against its rival; frequencies of the paper's network are counted from halfway between."""
    counts = explanation_of(model).counts_from
    known = [Neighbour(one, portrait(model, one, WINDOWS), 0.0) for one in typical.values() if counts]
    found = []
    for label, recording in typical.items():
        rival = confused_with(label, estimate)
        if rival not in model.classes:  # the most probable other class
            said = dict(zip(model.names, recording_scores(model, recording, WINDOWS)[0], strict=True))
            rival = max((said[other], other) for other in model.classes if other != label)[1]
        neutral = halfway(known, label, rival)
        found.append(compare_classes(model, recording, label, rival, neutral=neutral, limit=WINDOWS))
    return found


def confused_with(label: str, estimate: Estimate | None) -> str | None:
    """The class that held-out recordings were most often taken for instead of this one, or the other way round."""
    if estimate is None:
        return None
    classes, own = estimate.judged[0].classes, estimate.judged[0].classes.index(label)
    mistaken = estimate.confusion[own] + estimate.confusion[:, own]
    mistaken[own] = 0
    return classes[int(np.argmax(mistaken))] if mistaken.any() else None


def _row(reasons: Reasons, highest_hz: float) -> str:
    against = f"<span>against {html.name(reasons.rival)}</span>"
    about = f'<div class="about"><h3>{escape(reasons.label)}</h3>{against}</div>'
    sentence = f"<p>{escape(sentence_of(reasons, marks_of(reasons, highest_hz)))}</p>"
    top = reasons.top(TOP)
    lines = "".join(
        f'<li><b style="--share:{share.whole / top[0].whole:.2f}"></b><i>{share.region.view}</i>'
        f"<span>{share.region.heard(highest_hz)}</span></li>"
        for share in top
    )
    return (
        f'<div class="heard">{about}<div>{sentence}<ul>{lines or "<li>No region spoke for it.</li>"}</ul></div></div>'
    )
