"""What MkDocs is helped with: the site has the layout of the repository, and comments beside fields describe them."""

import ast
import re
import sys
from pathlib import Path
from posixpath import normpath

from griffe import Attribute, Docstring, Extension
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # MkDocs runs this file by its path

from speed.history import BEGIN, END  # noqa: E402
from speed.plots import plots  # noqa: E402

LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The documents at their places in the repository, and every file that one of them links to."""
    theme = [file for file in files if file.src_dir != config.docs_dir]
    wanted = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", str(config.theme["logo"])]
    wanted += [f"docs/{file.src_uri}" for file in files if file.src_dir == config.docs_dir]
    found: dict[str, File] = {}
    while wanted:
        path = wanted.pop()
        if path in found:
            continue
        if (ROOT / path).is_dir():
            names = sorted(one.name for one in (ROOT / path).iterdir() if one.is_file())
            listing = "\n".join([f"# {path}", "", *(f"* [{name}]({name})" for name in names)])
            found[path] = File.generated(config, f"{path}/index.md", content=listing)
            wanted += [f"{path}/{name}" for name in names]
        elif (ROOT / path).is_file() and not path.startswith(".."):
            found[path] = File(path, str(ROOT), config.site_dir, config.use_directory_urls)
            if path.endswith(".md"):
                linked = LINK.findall((ROOT / path).read_text())
                wanted += [normpath(f"{path}/../{target}") for target in linked]
    return Files([*theme, *found.values()])


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A document as Python-Markdown reads it: lists within lists by four spaces, a folder by its index."""
    text = re.sub(rf"{BEGIN}.*?{END}", lambda _: plots(), markdown, flags=re.DOTALL)
    prose = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    prose[::2] = [re.sub(r"^ {2,3}(?=[*-] |\d+\. )", "    ", part, flags=re.MULTILINE) for part in prose[::2]]
    folders = [uri.removesuffix("/index.md") for uri in files.src_uris if uri.endswith("/index.md")]
    here = page.file.src_uri

    def index(link: re.Match[str]) -> str:
        return f"]({link[1]}/index.md)" if normpath(f"{here}/../{link[1]}") in folders else link[0]

    return LINK.sub(index, "".join(prose))


class FieldComments(Extension):
    """The comment at the end of a field's line is its description."""

    def on_attribute_instance(self, *, node: ast.AST, attr: Attribute, **_: object) -> None:
        if attr.docstring or not isinstance(node, ast.AnnAssign) or not attr.filepath:
            return
        line = Path(str(attr.filepath)).read_text().splitlines()[(node.end_lineno or 0) - 1]
        _, _, comment = line.encode()[node.end_col_offset or 0 :].decode().partition("# ")
        if comment:
            attr.docstring = Docstring(comment, parent=attr)
