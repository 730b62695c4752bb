"""A self-contained page about one fit: what was learned from, how it went, and how far to trust it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from string import Template

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
  :root { --ink: #1d2733; --quiet: #5c6b78; --line: #dde4e9; --accent: #1f6f8b; --paper: #f6f8f9; }
  * { box-sizing: border-box; }
  body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
  main { max-width: 860px; margin: 0 auto; padding: 40px 20px 64px; }
  h1 { font-size: 28px; line-height: 1.2; margin: 0 0 8px; letter-spacing: -0.01em; }
  h2 { font-size: 18px; margin: 0 0 4px; }
  .lead { color: var(--quiet); margin: 0 0 24px; max-width: 66ch; }
  section { background: #fff; border: 1px solid var(--line); border-radius: 10px; padding: 22px 24px; margin: 18px 0; }
  section > p { margin: 0 0 12px; color: var(--quiet); max-width: 70ch; }
  .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 0 0 18px; }
  .tile { background: #fff; border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; }
  .tile b { display: block; font-size: 25px; line-height: 1.2; font-weight: 600; color: var(--accent); }
  .tile span { color: var(--quiet); font-size: 13.5px; }
  svg { display: block; width: 100%; min-width: 520px; height: auto; }
  .scroll { overflow-x: auto; }
  table { border-collapse: collapse; width: 100%; font-size: 14.5px; }
  th, td { text-align: left; padding: 6px 10px 6px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
  th { font-weight: 600; color: var(--quiet); font-size: 13.5px; }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; padding-right: 18px; }
  tr:last-child td { border-bottom: 0; }
</style>
</head>
<body><main>
<h1>$title</h1>
<p class="lead">$lead</p>
<div class="tiles">$tiles</div>
$sections
</main></body></html>
""")


def tile(value: str, caption: str) -> str:
    """A headline number."""
    return f'<div class="tile"><b>{escape(value)}</b><span>{escape(caption)}</span></div>'


def section(title: str, text: str, body: str) -> str:
    """A titled part of the page; `body` is HTML, the rest is text."""
    return f'<section><h2>{escape(title)}</h2><p>{escape(text)}</p><div class="scroll">{body}</div></section>'


def table(header: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """An HTML table; the columns listed in `numbers` are set to the right."""

    def line(cells: Sequence[str], tag: str) -> str:
        kinds = (' class="number"' if i in numbers else "" for i in range(len(cells)))
        return "".join(f"<{tag}{kind}>{escape(cell)}</{tag}>" for kind, cell in zip(kinds, cells, strict=True))

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return f"<table><thead><tr>{line(header, 'th')}</tr></thead><tbody>{body}</tbody></table>"


def facts(pairs: Mapping[str, str]) -> str:
    """A table of names and values."""
    rows = "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in pairs.items())
    return f"<table><tbody>{rows}</tbody></table>"


def page(title: str, lead: str, tiles: Sequence[str], sections: Sequence[str]) -> str:
    """The whole document."""
    return _PAGE.substitute(title=escape(title), lead=escape(lead), tiles="".join(tiles), sections="\n".join(sections))
