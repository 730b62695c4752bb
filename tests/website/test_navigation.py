"""The order of the documents."""

from pathlib import PurePosixPath

from tests.scripts import tool
from tests.website.conftest import ROOT

groups = tool("website.navigation").groups


def test_every_document_stands_in_the_navigation_once():
    listed = [path for group in groups(ROOT) for path in group.documents]
    assert len(listed) == len(set(listed))
    there = {path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]}
    assert {str(path) for path in listed} == there


def test_the_order_is_that_of_the_map(tmp_path):
    (tmp_path / "docs").mkdir()
    text = "# Map\n\n[Start](../README.md)\n\n## For some\n\n"
    text += "* [b](b.md#c), then [b](b.md)\n* [a](a.md)\n* [x](../x.cff)\n\n"
    (tmp_path / "docs" / "index.md").write_text(text + "## For others\n\n* [a](a.md)\n* [c](../C.md)\n")
    found = {group.title: group.documents for group in groups(tmp_path)}
    assert found == {
        "Start": (PurePosixPath("README.md"), PurePosixPath("docs/index.md")),
        "For some": (PurePosixPath("docs/b.md"), PurePosixPath("docs/a.md")),
        "For others": (PurePosixPath("C.md"),),
    }
