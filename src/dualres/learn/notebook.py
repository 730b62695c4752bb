"""An estimate as a notebook shows it."""

from typing import TYPE_CHECKING

from dualres.utils.html import escape
from dualres.utils.notebook import box, sentences

if TYPE_CHECKING:
    from dualres.learn.estimate import Estimate

_CELL = "text-align:right;padding:0 .6em;background:none"


def estimate_html(estimate: "Estimate") -> str:
    """The score with its interval, and how often which class was taken for which."""
    first, *more = estimate.sentences
    return box(first, "", sentences([*more, *estimate.remarks]), _confusion(estimate))


def _confusion(estimate: "Estimate") -> str:
    classes = estimate.judged[0].classes
    head = "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in ("", *classes))
    rows = "".join(
        f'<tr style="background:none"><th style="{_CELL}">{escape(name)}</th>'
        + "".join(f'<td style="{_CELL}">{count}</td>' for count in counts)
        + "</tr>"
        for name, counts in zip(classes, estimate.confusion.tolist(), strict=True)
    )
    return (
        '<div style="opacity:.7;margin-top:.4em">true class by row, verdict by column</div>'
        f'<table style="border-collapse:collapse;margin:0;border:0"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )
