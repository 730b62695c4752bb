"""Links to files elsewhere: followed where they are the user's own, listed or not, and told of."""

import os
from pathlib import Path

import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.recordings.labels.folder import read_folder
from dualres.recordings.labels.read import read_row, rows_below, to_judge, told_of_links
from dualres.utils import special_files
from dualres.utils.special_files import is_own_link
from dualres.web.workspace import Workspace

LISTED, UNLISTED = "file,label\nlink.npy,good\n", "file,label\nhere.npy,good\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recording, and a link to one elsewhere."""
    folder = tmp_path / "folder"
    folder.mkdir()
    for place in (folder / "here.npy", tmp_path / "elsewhere.npy", tmp_path / "other.npy"):
        np.save(place, np.random.default_rng(len(place.name)).standard_normal(3000))
    (folder / "link.npy").symlink_to(tmp_path / "elsewhere.npy")
    return folder


@pytest.mark.parametrize("text", [LISTED, UNLISTED, None])
def test_a_link_of_ones_own_is_read_listed_or_not(folder: Path, text: str | None) -> None:
    if text:
        (folder / "labels.csv").write_text(text)
    for rows in (rows_below(folder, unlabelled=True), list(to_judge([folder]))):
        (link,) = (row for row in rows if row.file.name == "link.npy")
        assert read_row(link, rate=1000).length == 3000
        assert told_of_links(rows) == (
            f"1 recording is a link of yours to files of yours elsewhere: link.npy leads to {link.file.resolve()}"
        )
    page = Workspace(folder, rate=1000)
    assert {one.name: page.facts(one).problem for one in page.entries()} == {"here.npy": "", "link.npy": ""}
    assert page.index.elsewhere == 1


def test_a_folder_that_is_learned_from_tells_of_links(folder: Path) -> None:
    (folder / "labels.csv").write_text("file,label\nlink.npy,good\nhere.npy,bad\n")
    assert read_folder(folder, rate=1000).links.startswith("1 recording is a link of yours")
    (folder / "link.npy").unlink()
    assert read_folder(folder, rate=1000).links == ""


@pytest.mark.parametrize("text", [LISTED, UNLISTED, None])
def test_a_link_of_somebody_else_or_to_a_file_of_somebody_else_is_refused(
    folder: Path, text: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if text:
        (folder / "labels.csv").write_text(text)
    monkeypatch.setattr(special_files.os, "geteuid", lambda: os.getuid() + 1)
    if text == LISTED:
        with pytest.raises(RecordingError, match=r"link.npy lies outside the folder"):
            rows_below(folder)
    else:
        (link,) = (row for row in rows_below(folder, unlabelled=True) if row.file.name == "link.npy")
        with pytest.raises(RecordingError, match="is a link that leads out of the folder"):
            read_row(link, rate=1000)
    page = Workspace(folder, rate=1000)
    assert [one.name for one in page.entries() if not page.facts(one).problem] == ["here.npy"]


def test_a_link_that_leads_elsewhere_since_it_was_looked_at_is_refused(folder: Path) -> None:
    (row,) = (row for row in rows_below(folder, unlabelled=True) if row.link)
    row.file.unlink()
    row.file.symlink_to(folder.parent / "other.npy")
    with pytest.raises(RecordingError, match="is a link that leads out of the folder"):
        read_row(row, rate=1000)


def test_a_chain_of_links_is_as_good_as_its_weakest(folder: Path) -> None:
    again = folder / "again.npy"
    again.symlink_to("link.npy")
    assert is_own_link(again)
    assert not is_own_link(folder / "here.npy")  # no link at all
    (folder / "circle.npy").symlink_to("circle.npy")
    (folder / "gone.npy").symlink_to("nowhere.npy")
    (folder / "place.npy").symlink_to(folder.parent)
    assert not any(is_own_link(folder / f"{name}.npy") for name in ("circle", "gone", "place"))
