"""What is wrong with the links of a built site: where they lead, and what a page asks for by itself."""

from __future__ import annotations

import posixpath
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from website.markdown import EXTERNAL

_LOADED = {"img", "script", "link", "iframe", "source", "audio", "video", "object", "embed"}  # without being asked


def dead_links(site: Path) -> list[str]:
    """One sentence for each link to a file or an anchor that is not there, and for each thing from elsewhere."""
    pages = {path.relative_to(site).as_posix(): _Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    problems = [problem for name, page in pages.items() for problem in _of(name, page, pages, site)]
    for path in sorted([*site.rglob("*.css"), *site.rglob("*.js")]):
        if path.name != "search-index.js" and re.search(r"https?://(?!www\.w3\.org/)|url\(|@import", path.read_text()):
            problems.append(f"{path.name}: asks for something that is not part of the site")
    return problems


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: list[str] = []
        self.links: list[tuple[str, str]] = []  # tag and target
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.anchors.append(value or "")
            elif name in ("href", "src", "srcset", "data", "action") and value is not None:
                self.links.append((tag, value))


def _of(name: str, page: _Page, pages: dict[str, _Page], site: Path) -> list[str]:
    problems = [f"{name}: has two anchors {one}" for one in sorted(set(page.anchors)) if page.anchors.count(one) > 1]
    for tag, target in page.links:
        parts = urlsplit(target)
        if target.startswith(EXTERNAL) or parts.scheme or parts.netloc:
            if tag in _LOADED:
                problems.append(f"{name}: loads {target} from elsewhere")
            elif parts.scheme not in ("https", "http", "mailto") or not (parts.netloc or parts.path) or " " in target:
                problems.append(f"{name}: {target} is no address")
            continue
        where = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path))) if parts.path else name
        if where.startswith("..") or not (site / where).is_file():
            problems.append(f"{name}: {target} is not there")
        elif parts.fragment and unquote(parts.fragment) not in pages[where].anchors:
            problems.append(f"{name}: {target} names no anchor of that page")
    return problems
