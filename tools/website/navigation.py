"""The order of the documents: that of docs/index.md, group by group."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token

START, MAP = PurePosixPath("README.md"), PurePosixPath("docs/index.md")


@dataclass(frozen=True)
class Group:
    """Documents of one kind of reader, by their paths from the root of the repository."""

    title: str
    documents: tuple[PurePosixPath, ...]


def groups(root: Path) -> list[Group]:
    """The start, then what docs/index.md lists under each heading; a document stands where it is named first."""
    seen: set[PurePosixPath] = {START, MAP}
    found = [Group("Start", (START, MAP))]
    tokens = MarkdownIt().parse((root / MAP).read_text())
    for i, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            documents = [one for one in _linked(tokens[i + 2 :]) if one.suffix == ".md" and one not in seen]
            seen.update(documents)
            found.append(Group(tokens[i + 1].content, tuple(dict.fromkeys(documents))))
    return found


def _linked(tokens: list[Token]) -> list[PurePosixPath]:
    """What the links up to the next heading lead to, first to last."""
    paths = []
    for token in tokens:
        if token.type == "heading_open":
            break
        links = [child for child in token.children or () if child.type == "link_open"]
        targets = (str(link.attrs["href"]).partition("#")[0] for link in links)
        paths += [PurePosixPath(posixpath.normpath(MAP.parent / target)) for target in targets if target]
    return paths
