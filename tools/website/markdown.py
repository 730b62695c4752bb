"""A document in Markdown as HTML, with an anchor for every heading and every public name, and what search finds in it.

Headings have the anchors that GitHub gives them, so one link holds on both. A heading that is a dotted name, as in the
API, has that name as a second anchor, and so have the methods, properties and fields listed under it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

EXTERNAL = ("https://", "http://", "mailto:")
_NAME = re.compile(r"[a-z_]\w*(\.\w+)+")
_COMMENT = re.compile(r"<!--(.*?)-->\s*", re.DOTALL)
_NUMBER = re.compile(r"[-+]?[\d.,]+ ?(%|[kM]?B|[mµ]?s|million)?( ?± ?[\d.]+)?( \(.*\))?")
_NOTHING = {"", "-"}


@dataclass(frozen=True)
class Target:
    """Where a link leads; `title` is that of a document, which stands where the link would name its file."""

    href: str
    title: str | None = None


@dataclass(frozen=True)
class Heading:
    level: int
    text: str
    anchor: str


@dataclass
class Entry:
    """What search can lead to: a section or a public name. `text` is what is said there."""

    anchor: str
    title: str
    text: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Rendered:
    title: str
    html: str
    headings: tuple[Heading, ...]
    entries: tuple[Entry, ...]


def render(text: str, resolve: Callable[[str], Target], inserts: Mapping[str, str] | None = None) -> Rendered:
    """HTML of a document. `resolve` says what the target of a link or image is on the site. A comment <!-- NAME --> is
    replaced by what `inserts` has under its name, and left out where there is nothing."""
    parser = _parser(inserts or {})
    tokens = parser.parse(text)
    walk = _Walk(resolve)
    walk.through(tokens)
    if not walk.headings:
        raise ValueError("has no heading, so nobody knows what to call it")
    html = parser.renderer.render(tokens, parser.options, {})
    return Rendered(walk.headings[0].text, html, tuple(walk.headings), tuple(walk.entries))


def coloured(code: str, language: str) -> str:
    """Source text as HTML, without a frame around it."""
    if not language and code.startswith(("dualres ", "$ ")):
        language = "console"
    if language == "console" and not re.search(r"^\$ ", code, re.MULTILINE):
        language = "bash"  # commands without their prompt; else they would pass for what a command prints
    return highlight(code, get_lexer_by_name(language), HtmlFormatter(nowrap=True)) if language else escape(code)


def _parser(inserts: Mapping[str, str]) -> MarkdownIt:
    def comment(_: Any, tokens: Sequence[Token], i: int, *__: object) -> str:
        found = _COMMENT.fullmatch(tokens[i].content)
        if not found:
            raise ValueError(f"holds HTML, which no page here needs: {tokens[i].content.strip()[:60]}")
        return inserts.get(found[1].strip(), "")

    def close_heading(_: Any, tokens: Sequence[Token], i: int, *__: object) -> str:
        anchor, tag = tokens[i].meta["anchor"], tokens[i].tag
        return f'<a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a></{tag}>\n'

    def open_heading(_: Any, tokens: Sequence[Token], i: int, *__: object) -> str:
        token = tokens[i]
        name = token.meta.get("name")
        return f'<{token.tag} id="{token.attrs["id"]}">' + (f'<span id="{name}"></span>' if name else "")

    def fence(_: Any, tokens: Sequence[Token], i: int, *__: object) -> str:
        language = tokens[i].info.strip()
        kind = f"{language} excerpt" if tokens[i].meta.get("excerpt") else language
        return f'<pre class="code {kind}"><code>{coloured(tokens[i].content, language)}</code></pre>\n'

    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    for name, rule in {
        "html_block": comment,
        "html_inline": comment,
        "heading_open": open_heading,
        "heading_close": close_heading,
        "fence": fence,
        "code_block": fence,
        "table_open": lambda *_: '<div class="scroll"><table>\n',
        "table_close": lambda *_: "</table></div>\n",
    }.items():
        parser.add_render_rule(name, rule)
    return parser


class _Walk:
    """Once through the tokens of a document: gives them anchors, and collects headings and what search finds."""

    def __init__(self, resolve: Callable[[str], Target]) -> None:
        self._resolve = resolve
        self._used: dict[str, int] = {}
        self._name = ""  # the public name under whose heading we are
        self.headings: list[Heading] = []
        self.entries: list[Entry] = []

    def through(self, tokens: list[Token]) -> None:
        fields = range(0)  # the tokens of a table whose rows have told search what they say
        for i, token in enumerate(tokens):
            if token.type == "heading_open":
                self._heading(token, tokens[i + 1], tokens[i + 2])
            elif token.type == "paragraph_open" and self._name:
                self._member(token, tokens[i + 1])
            elif token.type == "table_open":
                end = next(k for k in range(i, len(tokens)) if tokens[k].type == "table_close")
                if self._table(tokens[i:end]):
                    fields = range(i, end)
            elif token.type == "inline":
                self._links(token)
                if tokens[i - 1].type != "heading_open" and i not in fields:
                    self._said(_plain(token))
            elif token.type in ("fence", "code_block"):
                token.meta["excerpt"] = token.info == "py" and not self._name  # under a name it is a signature
                self._said(token.content)

    def _heading(self, opening: Token, inline: Token, closing: Token) -> None:
        text = _plain(inline)
        anchor = self._unique(re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"))
        opening.attrSet("id", anchor)
        level = int(opening.tag[1])
        only = inline.children[0] if inline.children and len(inline.children) == 1 else None
        self._name = text if only and only.type == "code_inline" and _NAME.fullmatch(text) else ""
        if self._name:
            opening.meta["name"] = anchor = text
        closing.meta["anchor"] = anchor
        self.headings.append(Heading(level, text, anchor))
        self.entries.append(Entry(anchor, text))

    def _member(self, paragraph: Token, inline: Token) -> None:
        """**`name`** at the start of a paragraph is a method or property of the class that is described."""
        kinds = [(child.type, child.content) for child in inline.children or () if child.content or child.nesting]
        if [kind for kind, _ in kinds[:3]] == ["strong_open", "code_inline", "strong_close"]:
            paragraph.attrSet("class", "member")
            paragraph.attrSet("id", self._entry_of(kinds[1][1]))

    def _table(self, tokens: Sequence[Token]) -> bool:
        """Numbers are set to the right. Of a table of fields every row can be linked to; tells whether it is one."""
        rows: list[list[tuple[Token, str]]] = []
        for i, token in enumerate(tokens):
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                rows[-1].append((token, _plain(tokens[i + 1])))
        head, *body = rows
        for column in range(len(head)):
            said = {row[column][1] for row in body} - _NOTHING
            if said and all(_NUMBER.fullmatch(text) for text in said):
                for row in rows:
                    row[column][0].attrSet("class", "number")
        of_fields = bool(self._name) and head[0][1] == "field"
        if of_fields:
            for (cell, text), *others in body:
                cell.attrSet("id", self._entry_of(text))
                self._said(" ".join(other for _, other in others))
        return of_fields

    def _entry_of(self, member: str) -> str:
        name = f"{self._name}.{member}"
        self.entries.append(Entry(name, name))
        return name

    def _links(self, inline: Token) -> None:
        children = inline.children or []
        for i, child in enumerate(children):
            if child.type == "link_open":
                name = str(child.attrs["href"])
                target = self._resolve(name)
                child.attrSet("href", target.href)
                if target.title and children[i + 1].content in (name, posixpath.basename(name)):
                    children[i + 1].content = target.title
            elif child.type == "image":
                child.attrSet("src", self._resolve(str(child.attrs["src"])).href)
                child.attrSet("loading", "lazy")

    def _said(self, text: str) -> None:
        if self.entries and text:
            self.entries[-1].text.append(text)

    def _unique(self, anchor: str) -> str:
        count = self._used.get(anchor, 0)
        self._used[anchor] = count + 1
        return f"{anchor}-{count}" if count else anchor


def _plain(inline: Token) -> str:
    """The words of a line, without what only marks them up."""
    parts = (" " if child.type in ("softbreak", "hardbreak") else child.content for child in inline.children or ())
    return "".join(part for part in parts if not part.startswith("<!--"))
