"""One HTML file to browse results: no server, no network, nothing to install."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from dualres.bench.report.page_data import page_data
from dualres.bench.report.results import Results
from dualres.bench.report.tables import Table, Value
from dualres.utils.files import write_whole
from dualres.utils.html import asset

if TYPE_CHECKING:
    from dualres.bench.report.plots.picture import PictureFile  # which loads matplotlib


KEY_LETTERS = 12  # of a job's key in a link: enough to tell millions apart


def write_page(
    path: Path, results: Mapping[str, Results], tables: Sequence[Table], figures: Sequence[PictureFile]
) -> None:
    """Write the page; `results` by study."""
    data = json.dumps(page_data(results), separators=(",", ":"), allow_nan=False)
    known = {entry.key for found in results.values() for entry in found.entries}
    text = Template(asset("page.html")).substitute(
        style=asset("base.css") + asset("page.css"),
        script="".join(map(asset, ("common.js", "overview.js", "job.js", "page.js"))),
        data=data.replace("<", "\\u003c"),  # so that no text in it can end the element
        tables="".join(_table(table, known) for table in tables),
        figures="".join(map(_figure, figures)),
    )
    write_whole(path, text.encode())


def _table(table: Table, known: set[str]) -> str:
    head = "".join(f'<th scope="col"{_number(i, table)}>{escape(text)}</th>' for i, text in enumerate(table.header))
    rows = "".join(f"<tr>{''.join(_value(v, i, table, known) for i, v in enumerate(row))}</tr>" for row in table.rows)
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    body = f'<table class="printed"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    return _exhibit(table.name, table.title, table.caption, table.study, body, note)


def _value(value: Value, position: int, table: Table, known: set[str]) -> str:
    text = escape(value.text)
    keys = [key for each in value.jobs.values() for key in each if key in known]
    if keys:
        address = ",".join(key[:KEY_LETTERS] for key in keys)
        text = f'<a href="#keys={address}" title="The {len(keys)} job(s) behind this number">{text}</a>'
    if value.bold:
        text = f"<b>{text}</b>"
    if value.paper:
        text += f' <span class="paper" title="The paper\'s own value">[{escape(value.paper)}]</span>'
    if position < table.labels:
        return f'<th scope="row">{text}</th>'
    return f"<td{_number(position, table)}>{text}</td>"


def _number(position: int, table: Table) -> str:
    return "" if position < table.labels else ' class="number"'


def _figure(figure: PictureFile) -> str:
    picture = base64.b64encode(figure.png.read_bytes()).decode()
    image = f'<img class="plate" alt="{escape(figure.title)}" src="data:image/png;base64,{picture}">'
    return _exhibit(figure.name, figure.title, figure.caption, figure.study or "", image)


def _exhibit(name: str, title: str, caption: str, study: str, body: str, note: str = "") -> str:
    """A table or figure in a box that scrolls; the page's script shows those of the chosen study."""
    return (
        f'<section class="exhibit" data-study="{escape(study)}" data-name="{escape(name)}">'
        f'<h2 tabindex="-1">{escape(title)}</h2><p>{escape(caption)}</p>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(title)}">{body}</div>{note}</section>\n'
    )
