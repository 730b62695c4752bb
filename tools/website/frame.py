"""What stands around every page: header with search, the documents, what is on this page, and where to go next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template

from website.addresses import relative, up
from website.markdown import Heading

ASSETS = Path(__file__).parent / "assets"
_FRAME = Template((ASSETS / "page.html").read_text())
_FEWEST = 3  # headings that are worth a list of their own


@dataclass(frozen=True)
class Link:
    title: str
    address: str


@dataclass(frozen=True)
class Frame:
    """`navigation` holds the documents group by group."""

    navigation: Sequence[tuple[str, Sequence[Link]]]

    def around(self, page: Link, html: str, headings: Sequence[Heading] = ()) -> str:
        """The whole page."""
        contents = _contents(headings)
        return _FRAME.substitute(
            title=page.title if page.address == "index.html" else f"{escape(page.title)} · DualRes",
            up=up(page.address),
            navigation="\n".join(self._group(title, links, page.address) for title, links in self.navigation),
            inline_contents=f'<details class="here"><summary>On this page</summary>{contents}</details>'
            if contents
            else "",
            contents=f"<h2>On this page</h2>{contents}" if contents else "",
            html=html,
            neighbours=self._neighbours(page.address),
        )

    def _group(self, title: str, links: Sequence[Link], here: str) -> str:
        items = "".join(f"<li>{_anchor(link, here, link.address == here)}</li>" for link in links)
        return f"<h2>{escape(title)}</h2><ul>{items}</ul>"

    def _neighbours(self, here: str) -> str:
        """The documents before and after this one."""
        links = [link for _, some in self.navigation for link in some]
        place = next((i for i, link in enumerate(links) if link.address == here), None)
        if place is None:
            return ""
        before = f"<span>Previous: {_anchor(links[place - 1], here)}</span>" if place else "<span></span>"
        after = f"<span>Next: {_anchor(links[place + 1], here)}</span>" if place + 1 < len(links) else ""
        return f'<nav class="neighbours" aria-label="Previous and next">{before}{after}</nav>'


def _anchor(link: Link, here: str, current: bool = False) -> str:
    mark = ' aria-current="page"' if current else ""
    return f'<a href="{relative(link.address, here)}"{mark}>{escape(link.title)}</a>'


def _contents(headings: Sequence[Heading]) -> str:
    """Sections and their parts; of a long dotted name, the last word says enough."""
    some = [heading for heading in headings if heading.level in (2, 3)]
    if len(some) < _FEWEST:
        return ""
    items = (f'<li class="level-{one.level}"><a href="#{one.anchor}">{escape(_short(one))}</a></li>' for one in some)
    return f"<ul>{''.join(items)}</ul>"


def _short(heading: Heading) -> str:
    return heading.text.rpartition(".")[2] if heading.anchor == heading.text else heading.text
