"""The whole site: every document, every name, no dead link, nothing from elsewhere."""

import inspect
import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

import dualres
from tests import test_docs
from tests.scripts import tool
from tests.website.conftest import ROOT, search_index

build = tool("website.build").build
address = tool("website.addresses").address
dead_links = tool("website.dead_links").dead_links
groups = tool("website.navigation").groups


def anchors(page: Path) -> set[str]:
    return set(re.findall(r' id="([^"]*)"', page.read_text()))


def repository(root: Path, readme: str, **documents: str) -> Path:
    """A repository with a README, a map and other documents."""
    (root / "docs").mkdir(parents=True)
    (root / "README.md").write_text(readme)
    links = "".join(f"* [{name}]({name}.md)\n" for name in documents)
    (root / "docs" / "index.md").write_text(f"# Map\n\n## All\n\n{links}")
    for name, text in documents.items():
        (root / "docs" / f"{name}.md").write_text(text)
    return root


def test_no_link_of_the_site_is_dead(site):
    assert dead_links(site) == []


def test_every_document_is_a_page_with_the_anchors_it_has_on_github(site):
    for group in groups(ROOT):
        for path in group.documents:
            slugs = test_docs.anchors((ROOT / path).read_text())
            assert slugs <= anchors(site / address(path)), path


def test_every_page_leads_to_every_document(site):
    pages = [address(path) for group in groups(ROOT) for path in group.documents]
    for page in pages:
        text = (site / page).read_text()
        assert re.findall(r'<li><a href="([\w.-]+\.html)"', text.split('id="documents"')[1].split("</nav>")[0]) == pages
        assert text.count('aria-current="page"') == 1


def test_every_public_name_has_an_anchor_and_is_found_by_search(site):
    names = [
        f"{module}.{name}"
        for _, modules in tool("api").PARTS.values()
        for module, some in modules.items()
        for name in some
    ]
    assert len(names) > 40
    for public in set(dualres.__all__) - {"__version__"}:
        thing = getattr(dualres, public)
        if is_dataclass(thing):
            names += [f"dualres.{public}.{field.name}" for field in fields(thing) if not field.name.startswith("_")]
        if inspect.isclass(thing):
            own = {name for name, value in vars(thing).items() if inspect.isfunction(value) and name[0] != "_"}
            names += [f"dualres.{public}.{name}" for name in own]
    there = anchors(site / "api.html")
    found = {(page, anchor, title) for page, anchor, title, *_ in search_index(site)}
    for name in names:
        assert name in there, name
        assert ("api.html", name, name) in found, name


def test_search_knows_every_section_and_what_it_says(site):
    index = search_index(site)
    assert {page for page, *_ in index} == {address(path) for group in groups(ROOT) for path in group.documents}
    for page, anchor, *_ in index:
        assert anchor in anchors(site / page), (page, anchor)
    wire = next(text for page, anchor, _, _, text in index if (page, anchor) == ("edge.html", "several-axes"))
    assert "dualres_push" in wire


def test_files_that_documents_link_to_are_there(site):
    assert (site / "docs" / "images" / "page.png").read_bytes() == (ROOT / "docs" / "images" / "page.png").read_bytes()
    assert "def scan_ref" in re.sub(r"<[^>]+>", "", (site / "src/dualres/model/scan.py.html").read_text())
    assert "own_recordings.py" in (site / "examples" / "index.html").read_text()


def test_the_speed_page_shows_plots_instead_of_their_words(site):
    text = (site / "speed.html").read_text()
    assert text.count("<figure") == len(tool("speed_ratios").RATIOS)
    assert "<th>ratio</th>" not in text


def test_without_scripts_nothing_but_the_search_is_missing(site):
    text = (site / "index.html").read_text()
    assert '<form id="search" role="search" hidden>' in text
    assert text.count("<script") == 1
    assert "style=" not in text


def test_a_link_to_nothing_stops_the_build(tmp_path):
    root = repository(tmp_path / "r", "# A\n\n[b](docs/b.md), [c](docs/c.md)\n", b="# B\n")
    with pytest.raises(ValueError, match=re.escape("README.md: links to docs/c.md, which is not there")):
        build(root, tmp_path / "site")


def test_a_link_out_of_the_repository_stops_the_build(tmp_path):
    (tmp_path / "secret.txt").write_text("x")
    root = repository(tmp_path / "r", "# A\n\n[b](../secret.txt)\n")
    with pytest.raises(ValueError, match="is not there"):
        build(root, tmp_path / "site")


def test_two_files_that_would_be_one_page_stop_the_build(tmp_path):
    root = repository(tmp_path / "r", "# A\n\n[b](B.md)\n", b="# B\n")
    (root / "B.md").write_text("# The other\n")
    with pytest.raises(ValueError, match="two files would be this page"):
        build(root, tmp_path / "site")


def test_a_folder_that_holds_no_site_is_left_alone(tmp_path):
    root = repository(tmp_path / "r", "# A\n")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("x")
    with pytest.raises(ValueError, match="holds no site"):
        build(root, tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").exists()


def test_a_site_is_written_anew(tmp_path):
    root = repository(tmp_path / "r", "# A\n", b="# B\n")
    assert build(root, tmp_path / "site") == 3
    (tmp_path / "site" / "old.html").write_text("")
    assert build(root, tmp_path / "site") == 3
    assert dead_links(tmp_path / "site") == []
