"""What the package says of itself to an index."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = (ROOT / "CITATION.cff").read_text()


def test_authors_keywords_and_licence_are_those_to_cite():
    cited = re.findall(r"^  - given-names: (.+)\n    family-names: (.+)$", CITATION, re.MULTILINE)
    assert [one["name"] for one in PROJECT["authors"]] == [" ".join(one) for one in cited]
    keywords = CITATION.partition("keywords:\n")[2].partition("authors:")[0]
    assert {line.strip("- ") for line in keywords.splitlines()} <= set(PROJECT["keywords"])
    assert f"\nlicense: {PROJECT['license']}\n" in CITATION
    assert not any(one.startswith("License ::") for one in PROJECT["classifiers"])  # an index refuses both


def test_the_pythons_are_those_where_wheels_were_tried():
    tried = re.findall(r"^\| manylinux_2_17_x86_64 \| (3\.\d+)\.\d+ \|", (ROOT / "docs/release.md").read_text(), re.M)
    named = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert named == tried
    assert PROJECT["requires-python"] == f">={tried[0]}"


def test_an_index_knows_the_classifiers():
    assert PROJECT["classifiers"] == sorted(set(PROJECT["classifiers"]))
    known = pytest.importorskip("trove_classifiers").classifiers
    assert set(PROJECT["classifiers"]) <= known
