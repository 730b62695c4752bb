"""The documents as a site: built strictly, with every public name, and read from a disk without a network."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

import dualres
from tests.bench.report.browser import Browser
from tests.test_docs import ROOT, anchors

pytestmark = pytest.mark.subprocess
NAMES = re.findall(r"^::: ([\w.]+)$", (ROOT / "docs" / "api.md").read_text(), re.MULTILINE)
LOADED = r"""<(?:script|img|iframe)\b[^>]*\bsrc=["']?([^"'\s>]+)|<link\b[^>]*\bhref=["']?([^"'\s>]+)"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of this repository; a dead link or anchor is an error."""
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    one = Browser(tmp_path_factory.mktemp("browser"))
    yield one
    one.close()


def ids(page: Path) -> set[str]:
    return set(re.findall(r'\bid="?([^"\s>]+)', page.read_text()))


def test_every_document_is_a_page_in_the_navigation_with_the_anchors_it_has_on_a_forge(site):
    for document in (*ROOT.glob("docs/*.md"), ROOT / "SECURITY.md", ROOT / "CHANGELOG.md"):
        page = (site / document.relative_to(ROOT)).with_suffix(".html")
        assert anchors(document.read_text()) <= {unquote(one) for one in ids(page)}, document
    nav = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    assert set(re.findall(r"\S+\.md", nav)) >= {f"docs/{one.name}" for one in ROOT.glob("docs/*.md")}


def test_every_public_name_is_described_with_its_fields(site: Path) -> None:
    assert {f"dualres.{name}" for name in dualres.__all__ if name != "__version__"} < set(NAMES)
    assert len(NAMES) > 40
    there = ids(site / "docs" / "api.html")
    assert {*NAMES, "dualres.Verdict.probabilities", "dualres.DualResClassifier.fit"} <= there
    assert "unique labelled seconds per class" in (site / "docs" / "api.html").read_text()


def test_files_that_documents_link_to_are_there(site: Path) -> None:
    picture = Path("docs/images/page.png")
    assert (site / picture).read_bytes() == (ROOT / picture).read_bytes()
    assert "def scan_ref" in (site / "src/dualres/model/scan.py").read_text()
    assert "own_recordings.py" in (site / "examples" / "index.html").read_text()


def test_the_pages_show_plots_and_load_nothing_from_elsewhere(site):
    page = (site / "docs" / "speed.html").read_text()
    assert page.count("<figure") > 10
    assert "<th>ratio" not in page
    for page in site.rglob("*.html"):
        loaded = [one for pair in re.findall(LOADED, page.read_text()) for one in pair if one]
        assert not [one for one in loaded if re.match(r"(\w+:)?//", one)], page
    for style in site.rglob("*.css"):
        assert not re.search(r"@import|url\(['\"]?(https?:|//)", style.read_text()), style


def test_a_name_is_found_and_opened_from_a_disk(site: Path, browser: Browser) -> None:
    browser.open(site / "docs" / "speed.html", 1280)
    browser.click(".md-search__input")
    browser.write("read_folder")
    browser.wait("document.querySelector('.md-search-result__link[href*=\"dualres.read_folder\"]')")
    browser.click('.md-search-result__link[href*="dualres.read_folder"]')
    browser.wait("location.pathname.endsWith('/docs/api.html')")
    assert all(one.startswith(("file:", "data:")) for one in browser.requests)
    assert browser.errors == []


def test_dark_where_the_reader_wants_it(site: Path, browser: Browser) -> None:
    colours = []
    for dark in (False, True):
        browser.open(site / "index.html", 1280, dark=dark)
        colours.append(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
    light, dark_one = (sum(int(part) for part in re.findall(r"\d+", colour)[:3]) for colour in colours)
    assert light > 600 > 150 > dark_one


@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_window(site: Path, browser: Browser, width: int) -> None:
    for page in sorted([*site.glob("*.html"), *site.glob("docs/*.html")]):
        browser.open(page, width)
        assert browser.evaluate("document.documentElement.scrollWidth") <= width, page.name
        if folder := os.environ.get("DUALRES_PICTURES"):  # to look at them
            browser.screenshot(Path(folder) / f"{page.stem}-{width}.png", whole=False)
