"""What objects look like in a notebook: a few elements with styles of their own, and no script."""

from collections.abc import Mapping, Sequence

from dualres.utils.html import escape

_BOX = (
    "display:inline-block;max-width:44em;padding:.6em .9em;border:1px solid #8886;border-radius:6px;"
    "font:14px/1.45 system-ui,sans-serif;text-align:left"
)
_NAME = "text-align:left;font-weight:normal;opacity:.7;padding:0 1em 0 0;vertical-align:top;background:none"
_VALUE = "text-align:left;padding:0;background:none;overflow-wrap:anywhere"
_TRACK = "display:inline-block;width:12em;height:.6em;background:#8883;border-radius:3px"
_WIDTH, _HEIGHT = 480, 60  # of a wave, in pixels
_COLOUR = "#2a78b8"  # readable on white and on black
_FILLED = f"display:block;height:100%;border-radius:3px;background:{_COLOUR}"


def box(title: str, lead: str, *parts: str) -> str:
    """A frame with a heading and a sentence, both text; `parts` are HTML."""
    heading = f'<div style="font-weight:600">{escape(title)}</div>'
    said = f'<div style="opacity:.85;margin:.1em 0 .4em">{escape(lead)}</div>' if lead else ""
    return f'<div style="{_BOX}">{heading}{said}{"".join(parts)}</div>'


def facts(pairs: Mapping[str, str]) -> str:
    """Names and values, both text."""
    rows = (
        f'<tr style="background:none"><th style="{_NAME}">{escape(name)}</th>'
        f'<td style="{_VALUE}">{escape(value)}</td></tr>'
        for name, value in pairs.items()
    )
    return f'<table style="border-collapse:collapse;margin:0;border:0"><tbody>{"".join(rows)}</tbody></table>'


def bars(shares: Mapping[str, float]) -> str:
    """Numbers from 0 to 1 by their names, each as a bar."""
    rows = (
        f'<tr style="background:none"><th style="{_NAME}">{escape(name)}</th>'
        f'<td style="{_VALUE}"><span style="{_TRACK}"><span style="{_FILLED};width:{100 * share:.1f}%"></span></span>'
        f" {100 * share:.1f} %</td></tr>"
        for name, share in shares.items()
    )
    return f'<table style="border-collapse:collapse;margin:0;border:0"><tbody>{"".join(rows)}</tbody></table>'


def sentences(said: Sequence[str]) -> str:
    """Lines of text, one below the other."""
    return "".join(f'<div style="white-space:pre-wrap">{escape(one)}</div>' for one in said)


def wave(low: Sequence[float], high: Sequence[float], caption: str) -> str:
    """The span of a signal in successive columns, from their lowest and highest samples."""
    top, bottom = max(high), min(low)
    scale = (_HEIGHT - 2) / ((top - bottom) or 1.0)
    step = _WIDTH / len(low)

    def points(levels: Sequence[float], columns: Sequence[int]) -> str:
        return " ".join(f"{step * (i + 0.5):.1f},{1 + (top - levels[i]) * scale:.1f}" for i in columns)

    forth = range(len(low))
    outline = f"{points(high, forth)} {points(low, forth[::-1])}"
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'style="display:block;margin:.3em 0 0;max-width:100%"><title>{escape(caption)}</title>'
        f'<polygon points="{outline}" fill="{_COLOUR}" stroke="{_COLOUR}" stroke-width="1"/></svg>'
        f'<div style="opacity:.7;font-size:12px">{escape(caption)}</div>'
    )
