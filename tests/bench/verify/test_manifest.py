from hashlib import sha256

import pytest

from dualres.bench.verify.manifest import check_manifest, covered, manifest_root, write_manifest


@pytest.fixture
def results(tmp_path):
    """An export, a report of it, and a page beside them."""
    files = ("jobs.jsonl", "tables/a.md", "figures/a.png", "pages/good.md", "profile/one.json", ".hidden", "notes")
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    write_manifest(tmp_path)
    return tmp_path


def test_it_lists_every_file_of_an_export_and_its_hash_stands_for_all(results):
    text = (results / "MANIFEST").read_bytes()
    names = [line.split("  ")[1] for line in text.decode().splitlines()]
    files = {path.relative_to(results).as_posix() for path in results.rglob("*") if path.is_file()}
    assert names == sorted(files - {"MANIFEST"})
    assert manifest_root(results) == sha256(text).hexdigest() == write_manifest(results)
    assert check_manifest(results) == []


@pytest.mark.parametrize("name", ["tables/a.md", "pages/good.md", "profile/one.json", ".hidden"])
def test_each_changed_missing_or_added_file_is_named(results, name):
    (results / name).write_text("other")
    assert check_manifest(results) == [f"{results / name}: was changed since its hash was written to MANIFEST"]
    (results / name).rename(results / "pages" / "new")
    assert check_manifest(results) == [
        f"{results / name}: is missing, though MANIFEST lists it",
        f"{results / 'pages' / 'new'}: is not listed in MANIFEST",
    ]


def test_a_list_that_says_the_same_in_other_words_is_another_list(results):
    path = results / "MANIFEST"
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[0])
    assert "is not as a manifest is written" in check_manifest(results)[0]
    path.unlink()
    assert "MANIFEST: is missing" in check_manifest(results)[0]
    assert manifest_root(results) is None


def test_of_a_report_alone_it_lists_what_belongs_to_the_report(results):
    (results / "jobs.jsonl").unlink()
    (results / "index.html").write_text("page")
    assert covered(results) == ["figures/a.png", "index.html", "tables/a.md"]


def test_a_link_and_a_name_that_would_look_like_two_files_are_refused(results):
    (results / "pages" / "link").symlink_to(results / "notes")
    assert "link: is not a plain file" in check_manifest(results)[0]
    (results / "pages" / "link").unlink()
    (results / "more").symlink_to(results / "pages", target_is_directory=True)
    assert "more: is not a plain file" in check_manifest(results)[0]
    (results / "more").unlink()
    (results / "pages" / "a\n0  b").write_text("")
    assert "cannot be listed" in check_manifest(results)[0]
