from hashlib import sha256

import pytest

from dualres.utils.checksums import check_sums, replace_sums, write_sums


def test_a_folder_agrees_with_its_list_until_a_file_changes_or_goes(tmp_path):
    (tmp_path / "a").write_text("one")
    (tmp_path / "b").write_text("two")
    write_sums(tmp_path, ["b", "a"])
    by_sha256sum = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed  a\n"
    assert (tmp_path / "SHA256SUMS").read_text().startswith(by_sha256sum)
    assert check_sums(tmp_path) == []
    (tmp_path / "a").write_text("One")
    (tmp_path / "b").unlink()
    changed, gone = check_sums(tmp_path)
    assert "a: was changed" in changed
    assert "b: is missing" in gone
    (tmp_path / "SHA256SUMS").unlink()
    assert "SHA256SUMS: is missing" in check_sums(tmp_path)[0]


def test_a_new_list_removes_what_the_earlier_one_named_and_nothing_else(tmp_path):
    folder = tmp_path / "inner"
    folder.mkdir()
    for path in (tmp_path / "outside", folder / "old", folder / "mine"):
        path.write_text("one")
    (folder / "SHA256SUMS").write_text("0  old\n0  ../outside\n0  ..\n0  gone\nno list\n")
    (folder / "new").write_text("two")
    replace_sums(folder, ["new"])
    assert {p.name for p in folder.iterdir()} == {"new", "mine", "SHA256SUMS"}
    assert (tmp_path / "outside").is_file()
    assert check_sums(folder) == []


def test_a_folder_below_is_touched_only_where_the_caller_says_so(tmp_path):
    (tmp_path / "below").mkdir()
    for name in ("below/old", "below/mine", "new"):
        (tmp_path / name).write_text("one")
    write_sums(tmp_path, ["below/old", "below/mine"])
    earlier = (tmp_path / "SHA256SUMS").read_text()
    replace_sums(tmp_path, ["new"])
    assert {p.name for p in (tmp_path / "below").iterdir()} == {"old", "mine"}
    (tmp_path / "SHA256SUMS").write_text(earlier)
    replace_sums(tmp_path, ["new"], lambda name: name == "below/old")
    assert [p.name for p in (tmp_path / "below").iterdir()] == ["mine"]


@pytest.mark.parametrize("name", ["../outside", "inner/../../outside", "/etc/hostname", "a\0"])
def test_a_list_cannot_name_what_lies_outside_its_folder(tmp_path, name):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "outside").write_text("one")
    digest = sha256(b"one").hexdigest()
    (folder / "SHA256SUMS").write_text(f"{digest}  {name}\n")
    (problem,) = check_sums(folder)
    assert "lies outside the folder" in problem


def test_a_name_that_no_file_can_have_is_a_missing_file(tmp_path):
    (tmp_path / "SHA256SUMS").write_text(f"{sha256(b'').hexdigest()}  {'x' * 300}\n")
    (problem,) = check_sums(tmp_path)
    assert "is missing, though SHA256SUMS lists it" in problem
