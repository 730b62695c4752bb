"""Where a file of the repository lies on the site, and how one page of it names another."""

from __future__ import annotations

import posixpath
from pathlib import PurePosixPath

IMAGES = {".png", ".svg", ".jpg"}
RENAMED = {"README.md": "index.html", "docs/index.md": "documents.html"}


def address(path: PurePosixPath, folder: bool = False) -> str:
    """Of a file or a folder, by its path from the root of the repository: documents lie at the top of the site."""
    if str(path) in RENAMED:
        return RENAMED[str(path)]
    if folder:
        return str(path / "index.html")
    if path.suffix == ".md":
        at_top = str(path.parent) in (".", "docs")
        return f"{path.stem.lower()}.html" if at_top else str(path.with_suffix(".html"))
    return str(path) if path.suffix in IMAGES else f"{path}.html"


def relative(target: str, page: str) -> str:
    """How `page` names `target`, both by their addresses."""
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def up(page: str) -> str:
    """From a page to the top of the site: "" or "../" and so on."""
    return "../" * page.count("/")
