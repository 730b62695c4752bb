"""A self-contained page about one fit: what was learned from, how it went, and how far to trust it."""

import html
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from string import Template

from dualres.errors import OutputError
from dualres.utils.files import check_writable
from dualres.utils.printable import printable

OURS = b'<meta name="generator" content="DualRes">'  # near the top of a page that may be replaced

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="DualRes">
<title>$title</title>
<style>
$style
</style>
</head>
<body><main>
<h1>$title</h1>
<p class="lead">$lead</p>
$tiles
$sections
</main></body></html>
""")


def escape(text: str) -> str:
    """Text from files for a page: what would be markup is not, and what would steer or turn the text is shown."""
    return html.escape(printable(text))


def tile(value: str, caption: str) -> str:
    """A headline number."""
    return f'<div class="tile"><b>{escape(value)}</b><span>{escape(caption)}</span></div>'


def section(title: str, text: str, body: str) -> str:
    """A titled part of the page; `body` is HTML, the rest is text."""
    return f'<section><h2>{escape(title)}</h2><p>{escape(text)}</p><div class="scroll">{body}</div></section>'


def name(text: str) -> str:
    """The name of a file or a class, which may break after a slash, an underscore or a dot."""
    return re.sub(r"([/_.])", r"\1<wbr>", escape(text))


def listed(sentences: Sequence[str]) -> str:
    """Sentences as a list."""
    return f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in sentences)}</ul>"


def command(line: str, what: str) -> str:
    """Something to type, under what it does."""
    return f'<div class="command"><span>{escape(what)}</span><code>{escape(line)}</code></div>'


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
    return f'<table class="facts"><tbody>{rows}</tbody></table>'


def page(title: str, lead: str, tiles: Sequence[str], sections: Sequence[str]) -> str:
    """The whole document."""
    return _PAGE.substitute(
        style=f"{asset('base.css')}{asset('fit.css')}",
        title=escape(title),
        lead=escape(lead),
        tiles=f'<div class="tiles">{"".join(tiles)}</div>' if tiles else "",
        sections="\n".join(sections),
    )


def check_page(path: Path, otherwise: str = "choose another name") -> None:
    """An error now if the page could not be written, or would replace something else."""
    check_writable(path)
    if path.exists() and OURS not in path.read_bytes()[:2000]:
        raise OutputError(f"{path}: is there already, and is no report of DualRes; move it, or {otherwise}")


def asset(name: str) -> str:
    """A file that pages are made of."""
    return resources.files(__package__).joinpath("page_assets", name).read_text()
