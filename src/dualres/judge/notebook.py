"""Verdicts and models as a notebook shows them."""

from typing import TYPE_CHECKING

from dualres.judge.questions import questions_of
from dualres.utils.notebook import bars, box, facts, sentences

if TYPE_CHECKING:
    from dualres.judge.model import Model
    from dualres.judge.verdict import Verdict

MOST_CLASSES = 12  # that a verdict shows with a bar


def verdict_html(verdict: "Verdict") -> str:
    """The class, what can be promised of it, and the probabilities of all classes."""
    answer = str(verdict.answer) if verdict.answer else ""
    ranked = sorted(verdict.probabilities.items(), key=lambda one: one[1], reverse=True)
    known = {"speed": verdict.speed_words, "from": verdict.source_words, "windows": str(verdict.windows)}
    few = len(ranked) - MOST_CLASSES
    notes = [*([f"and {few} less probable ones"] if few > 0 else []), *map(str, verdict.differences)]
    return box(
        f"{verdict.recording}: {verdict.label}",
        answer,
        bars(dict(ranked[:MOST_CLASSES])),
        facts({name: value for name, value in known.items() if value}),
        sentences(notes),
    )


def model_html(model: "Model") -> str:
    """What it tells apart, what it was shown, and what to expect of it."""
    card = model.card
    labelled = ", ".join(f"{name} {seconds:.4g} s" for name, seconds in card.exposure_s.items())
    known = {
        "classes": ", ".join(card.classes),
        "from geometry": ", ".join(card.unlabelled),
        "labelled": labelled,
        "axes": ", ".join(card.channels) + (f", {card.axes}" if card.axes else ""),
        "learned by": card.learned_by if card.kind else "",
        "networks": str(card.networks) if card.networks > 1 else "",
    }
    asked = {one.words: f"macro-F1 {one.score} ({one.sure})" for one in questions_of(card.estimates)}
    lead = "Expected:" if asked else "Nothing was held out: how well it does is not known."
    return box(
        f"Model of {len(model.names)} classes, {card.method}",
        "",
        facts({name: value for name, value in known.items() if value}),
        sentences([lead]),
        facts(asked),
        sentences(card.remarks),
    )
