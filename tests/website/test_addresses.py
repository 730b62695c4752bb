"""Where a file lies on the site."""

from pathlib import PurePosixPath

import pytest

from tests.scripts import tool

addresses = tool("website.addresses")


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("README.md", "index.html"),
        ("docs/index.md", "documents.html"),
        ("docs/own-files.md", "own-files.html"),
        ("SECURITY.md", "security.html"),
        ("results/tables/pilot.md", "results/tables/pilot.html"),
        ("docs/images/page.png", "docs/images/page.png"),
        ("src/dualres/judge/verdict.py", "src/dualres/judge/verdict.py.html"),
        ("CITATION.cff", "CITATION.cff.html"),
    ],
)
def test_an_address(path, address):
    assert addresses.address(PurePosixPath(path)) == address


def test_a_folder_is_a_page():
    assert addresses.address(PurePosixPath("examples"), folder=True) == "examples/index.html"


def test_one_page_names_another():
    assert addresses.relative("api.html", "index.html") == "api.html"
    assert addresses.relative("api.html", "results/tables/pilot.html") == "../../api.html"
    assert addresses.up("results/tables/pilot.html") == "../../"
    assert addresses.up("api.html") == ""
