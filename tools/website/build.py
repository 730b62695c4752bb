"""Builds the site: the documents, and with them every file that they link to, so that no link leaves the site."""

from __future__ import annotations

import json
import posixpath
import re
import shutil
from collections.abc import Callable, Mapping
from html import escape
from importlib import resources
from pathlib import Path, PurePosixPath

from dualres.utils.html import asset
from website.addresses import IMAGES, address, relative
from website.frame import ASSETS, Frame, Link
from website.markdown import EXTERNAL, Rendered, Target, coloured, render
from website.navigation import groups

INDEX = "search-index.js"
ICON = resources.files("dualres").joinpath("web", "static", "icon.svg")
_LANGUAGES = {".py": "python", ".toml": "toml", ".cff": "yaml", ".c": "c", ".h": "c", ".json": "json"}


def build(root: Path, site: Path, inserts: Mapping[str, Callable[[], str]] | None = None) -> int:
    """Write the site of the repository at `root` to the folder `site`, anew; gives the number of pages.

    Where a document holds <!-- NAME --> ... <!-- end of NAME --> and `inserts` knows the name, what it makes stands
    there instead: what GitHub can only show as text.
    """
    if site.exists():
        if any(site.iterdir()) and not (site / INDEX).exists():
            raise ValueError(f"{site}: is not empty and holds no site; name another folder")
        shutil.rmtree(site)
    builder = _Builder(root, site, {name: make() for name, make in (inserts or {}).items()})
    return builder.run()


class _Builder:
    def __init__(self, root: Path, site: Path, inserts: Mapping[str, str]) -> None:
        self._root, self._site, self._inserts = root.resolve(), site, inserts
        self._groups = groups(root)
        self._wanted = [path for group in self._groups for path in group.documents]
        self._documents: dict[PurePosixPath, Rendered] = {}

    def run(self) -> int:
        listed = len(self._wanted)
        done: set[PurePosixPath] = set()
        others: list[PurePosixPath] = []
        while self._wanted:  # what a document links to is wanted, too
            path = self._wanted.pop(0)
            if path not in done:
                done.add(path)
                if path.suffix == ".md":
                    self._documents[path] = self._rendered(path)
                else:
                    others.append(path)
        frame = Frame([(g.title, [self._link(path) for path in g.documents]) for g in self._groups])
        for path, page in self._documents.items():
            self._write(address(path), frame.around(self._link(path), page.html, page.headings))
        for path in others:
            self._other(path, frame)
        self._write(INDEX, self._search(listed))
        self._write("site.css", asset("base.css") + (ASSETS / "site.css").read_text())
        self._write("site.js", (ASSETS / "site.js").read_text())
        self._write("icon.svg", ICON.read_text())
        return sum(1 for _ in self._site.rglob("*.html"))

    def _link(self, path: PurePosixPath) -> Link:
        return Link(self._documents[path].title, address(path))

    def _rendered(self, path: PurePosixPath) -> Rendered:
        text = (self._root / path).read_text()
        for name in self._inserts:
            text = re.sub(rf"(<!-- {name} -->).*?<!-- end of {name} -->", r"\1", text, flags=re.DOTALL)
        try:
            return render(text, lambda target: self._resolve(target, path), self._inserts)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error

    def _resolve(self, target: str, document: PurePosixPath) -> Target:
        """What a link in a document is on the site."""
        name, mark, anchor = target.partition("#")
        if target.startswith(EXTERNAL) or not name:
            return Target(target)
        linked = PurePosixPath(posixpath.normpath(document.parent / name))
        place = self._root / linked
        if not place.exists() or not place.resolve().is_relative_to(self._root):
            raise ValueError(f"links to {name}, which is not there")
        self._wanted.append(linked)
        href = relative(address(linked, place.is_dir()), address(document)) + mark + anchor
        return Target(href, _title(place) if place.suffix == ".md" else None)

    def _other(self, path: PurePosixPath, frame: Frame) -> None:
        """An image as it is; a folder or a source as a page."""
        place = self._root / path
        if path.suffix in IMAGES:
            (self._site / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(place, self._site / path)
            return
        where = address(path, place.is_dir())
        if place.is_dir():
            files = sorted(one for one in place.iterdir() if one.is_file())
            body = "".join(_source(f"<h2>{escape(one.name)}</h2>", one) for one in files)
        else:
            body = _source("", place)
        title = f"<h1><code>{escape(str(path))}</code></h1>\n"
        self._write(where, frame.around(Link(str(path), where), title + body))

    def _search(self, listed: int) -> str:
        """The index as a script, for a browser lets no page from a disk read JSON."""
        entries = [
            [address(path), entry.anchor, entry.title, page.title, " ".join(" ".join(entry.text).split())]
            for path, page in list(self._documents.items())[:listed]
            for entry in page.entries
        ]
        lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
        return f"window.searchIndex = [\n{lines}\n];\n"

    def _write(self, where: str, text: str) -> None:
        path = self._site / where
        if path.exists():
            raise ValueError(f"{where}: two files would be this page")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _title(document: Path) -> str | None:
    """The first heading."""
    found = re.search(r"^# (.+)$", document.read_text(), re.MULTILINE)
    return found[1] if found else None


def _source(heading: str, path: Path) -> str:
    code = coloured(path.read_text(), _LANGUAGES.get(path.suffix, ""))
    return f'{heading}<pre class="code source"><code>{code}</code></pre>\n'
