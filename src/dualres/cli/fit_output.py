"""What `dualres fit` says of how well a model will do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from dualres.cli.console import console, say
from dualres.errors import ConfigError

if TYPE_CHECKING:
    from dualres.learn.estimate import Estimate
    from dualres.learn.workflow import FittedModel


def units_in(given: Sequence[str] | None) -> tuple[str, ...]:
    """The names after --held-out, which stand apart or between commas."""
    names = [name.strip() for text in given or () for name in text.split(",")]
    if not all(names):
        raise ConfigError(f"--held-out {','.join(given or ())}: a name is missing; write component,load")
    return tuple(names)


def show_estimate(expected: Estimate, classes: Sequence[str]) -> None:
    """What to expect in sentences, then which classes are taken for which."""
    for sentence in expected.sentences:
        say(sentence)
    table = Table(title="Held-out recordings: truth in rows, verdicts in columns", title_justify="left")
    table.add_column("")
    for label in classes:
        table.add_column(escape(label), justify="right")
    for label, row in zip(classes, expected.confusion, strict=True):
        table.add_row(escape(label), *(str(n) if n else "." for n in row))
    console.print(table)


def as_object(fitted: FittedModel, out: Path) -> dict[str, Any]:
    """What `--json` prints: the card's fields of the estimate, its sentences, and every held-out recording."""
    card = fitted.model.card
    held = [
        {"held_out": one.unit, **asdict(each), "verdict": each.verdict} for one in fitted.estimates for each in one.held
    ]
    return {
        "model": str(out),
        "classes": card.classes,
        "exposure_s": card.exposure_s,
        "held_out": card.held_out,
        "score": card.score,
        "estimates": card.estimates,
        "remarks": card.remarks,
        "expected": [sentence for one in fitted.estimates for sentence in one.sentences],
        "recordings": held,
        "copies": fitted.copies,
    }
