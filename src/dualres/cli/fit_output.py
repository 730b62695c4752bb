"""What `dualres fit` and `dualres tune` say: how long it will take, and what to expect of what they made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from dualres.cli.console import console, errors, say

if TYPE_CHECKING:
    from dualres.cli.progress_display import ProgressDisplay
    from dualres.learn.settings import FitSettings
    from dualres.learn.trained.tune import Choice
    from dualres.learn.trained.tune_plan import Forecast, GroupedSupport
    from dualres.learn.workflow import FitForecast, FittedModel
    from dualres.model_file.card import Card


def announce(display: ProgressDisplay, settings: FitSettings, forecast: FitForecast) -> None:
    """How many fits there will be and how long they take, before the first of them."""
    from dualres.recordings.axes import common_channels

    channels, members = common_channels(settings.recordings), settings.members
    in_all = f", {forecast.total_s:.0f} s in all for {members} members" if members > 1 else ""
    each = f"about {max(forecast.each_s, 1):.0f} s each{in_all}"
    of_axes = f" of {len(channels)} axes ({', '.join(channels)})" if channels else ""
    errors.print(f"{forecast.fits} fits{of_axes}, {each}; recipe: {settings.chosen}", highlight=False)
    display.expect(forecast.stages)


MOST_NOTES = 5  # that are printed; the report has them all


def show_fitted(fitted: FittedModel, settings: FitSettings, out: Path, report: Path | None) -> None:
    """What to expect of the model, question by question, and where it lies.

    What was held out is told of the hardest question, or of those that somebody asked; the report has the others.
    """
    from dualres.cli.folder import cost_of
    from dualres.judge.verdict import promised_under, promises_of
    from dualres.learn.estimate_text import NOTE

    card, notes = fitted.model.card, list[str]()
    show_questions(card)
    for one in fitted.detailed:
        said = one.sentences
        notes += [sentence for sentence in said if sentence.startswith(NOTE)]
        for sentence in said:
            if not sentence.startswith(NOTE):
                say(sentence)
        table = Table(title="Held-out recordings: truth in rows, verdicts in columns", title_justify="left")
        table.add_column("")
        for label in one.judged[0].classes:
            table.add_column(escape(label), justify="right")
        for label, row in zip(one.judged[0].classes, one.confusion, strict=True):
            table.add_row(escape(label), *(str(n) if n else "." for n in row))
        console.print(table)
    for promise in promises_of(card) if fitted.estimates else ():
        say(f"dualres diagnose can state {promise}")
    if fitted.estimates and (under := promised_under(card)):
        say(f"  {under}")
    if geometry := fitted.model.geometry:
        for sentence in ("Geometry", *geometry.sentences):
            say(sentence if sentence == "Geometry" else f"  {sentence}")
        if geometry.unlabelled:
            say("  no error rate can be stated beside what nobody labelled; --labelled-only leaves that out")
    notes = [f"{NOTE}{note}" for note in (fitted.about_speeds, fitted.about_axes) if note] + notes
    for note in few_of(notes, f"{NOTE}{{}} more: {report or '--json has them'}"):
        say(note)
    if report:
        say(f"Report  {report}")
    say(f"Model  {out}")
    if card.channels:
        say(f"  {cost_of(card)}")
    if card.members > 1:
        longer = f"a verdict takes about {card.members} times as long as with one"
        say(f"  {card.members} members in {out.stat().st_size:,} bytes; {longer}")


def show_questions(card: Card) -> None:
    """A row for everything that may be new to the model, the hardest first."""
    from dualres.judge.questions import questions_of

    if not card.estimates:
        return
    table = Table(title="What to expect, the hardest first", title_justify="left")
    table.add_column("What is new to the model")
    table.add_column("Macro-F1", justify="right")
    table.add_column("How sure, or what would tell")
    for one in questions_of(card.estimates):
        table.add_row(escape(one.words), one.score, escape(one.sure))
    console.print(table)


def few_of(notes: Sequence[str], others: str) -> list[str]:
    """At most `MOST_NOTES` lines; the last says how many `others` there are."""
    if len(notes) <= MOST_NOTES:
        return list(notes)
    return [*notes[: MOST_NOTES - 1], others.format(len(notes) - MOST_NOTES + 1)]


def as_object(fitted: FittedModel, out: Path, report: Path | None = None) -> dict[str, Any]:
    """What `--json` prints: every question, the card's fields of the estimate, its sentences, and every held-out
    recording."""
    from dualres.judge.questions import questions_of
    from dualres.learn.estimate_text import expected

    card = fitted.model.card
    held = [(one.unit, each) for one in fitted.estimates for each in one.held]
    return {
        "model": str(out),
        "classes": card.classes,
        "exposure_s": card.exposure_s,
        "held_out": card.held_out,
        "score": card.score,
        "questions": [one.as_data() for one in questions_of(card.estimates)],
        "estimates": card.estimates,
        "remarks": card.remarks,
        **({"geometry": {**card.geometry, "said": fitted.model.geometry.sentences}} if fitted.model.geometry else {}),
        "expected": expected(card.estimates),
        "recordings": [{"held_out": unit, **asdict(each), "verdict": each.verdict} for unit, each in held],
        "copies": fitted.copies,
        **({"report": str(report)} if report else {}),
    }


def announce_tuning(display: ProgressDisplay, forecast: Forecast) -> None:
    """As `announce`, of the fits that compare recipes."""
    from dualres.learn.trained.tune import FITS

    before = f", {forecast.known} more already done" if forecast.known else ""
    errors.print(f"{forecast.fits} fits{before}; about {forecast.seconds:.0f} s in all", highlight=False)
    fits = forecast.fits + forecast.known
    display.expect({FITS: forecast.seconds * fits / forecast.fits})
    display(FITS, forecast.known, fits, "")


def show_choice(choice: Choice, divided: GroupedSupport) -> None:
    """The recipes with their scores, and why one of them is chosen."""
    if choice.reason:
        say(f"Chosen: {choice.name}, the default: {choice.reason}")
        return
    say(f"Held out in turn: {divided.held_out}")
    for remark in divided.remarks:
        say(f"  note: {remark}")
    table = Table(title="Macro-F1 over the windows that were held out", title_justify="left")
    table.add_column("Recipe")
    for column in ("Mean %", "Standard error", "Rounds", "Chosen"):
        table.add_column(column, justify="right")
    for one in choice.candidates:
        mark = "<-" if one.name == choice.name else ""
        cells = f"{100 * one.mean:.1f}", f"{100 * one.standard_error:.1f}", str(len(one.rounds)), mark
        table.add_row(escape(one.name), *cells)
    console.print(table)
    first = choice.candidates[0].name
    why = f"no other is clearly ahead of {first}" if choice.name == first else f"clearly ahead of {first}, the default"
    say(f"Chosen: {choice.name}: {why}")
    if max(one.mean for one in choice.candidates) <= 1 / len(divided.classes):
        say("  note: no recipe did better than guessing, so the choice means little; label more recordings")
