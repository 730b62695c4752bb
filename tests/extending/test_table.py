"""From outside: a study of a prepared dataset is run, and a table that it names is written and verified."""

import sqlite3

import pytest

from tests.extending.outside import dualres
from tests.extending.test_dataset import PLUGINS, download  # noqa: F401 - a fixture

pytestmark = pytest.mark.subprocess
WITH_TABLE = [*PLUGINS, "toy_table"]


@pytest.fixture(scope="module")
def results(download, tmp_path_factory):  # noqa: F811
    """A folder with the toy study's jobs done, and its report beside them."""
    folder = tmp_path_factory.mktemp("results")
    where = ("--stores", folder / "stores", "--dir", folder / "bench")
    for command, said in (
        (("data", "prepare", "toy", "--from", download, "--stores", folder / "stores"), "8 recordings written"),
        (("bench", "run", "toy", *where, "--jobs", 1), ""),
        (("bench", "plan", "toy", *where), "0 distinct jobs are missing"),
        (("bench", "report", "toy", "--dir", folder / "bench", "-o", folder / "report", "--no-page"), ""),
    ):
        done = dualres(*command, plugins=WITH_TABLE)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout
    return folder


def test_the_study_was_run_and_a_report_writes_it(results):
    with sqlite3.connect(next((results / "bench").glob("*.sqlite"))) as ledger:
        assert ledger.execute("select count(*) from jobs").fetchone() == (2,)
    text = (results / "report" / "tables" / "toy_named_right_toy.md").read_text()
    assert text.startswith("### Toy: recordings named right (%)")
    assert "| DualRes |" in text
    assert "**" in text  # the best, or both where they are equal


def test_it_is_verified_with_the_others(results):
    asked = ("bench", "verify", results / "bench", "-o", results / "report")
    done = dualres(*asked, plugins=WITH_TABLE)
    assert done.returncode == 0, done.stderr
    table = results / "report" / "tables" / "tables.csv"
    lines = table.read_text().splitlines()
    changed = [line.replace(",1,accuracy,", ",0,accuracy,") if "toy_named_right" in line else line for line in lines]
    assert changed != lines
    table.write_text("\n".join(changed) + "\n")
    noticed = dualres(*asked, plugins=WITH_TABLE)
    assert noticed.returncode == 1
    assert "bold print" in noticed.stderr


def test_a_table_that_nobody_registered_is_named(results):
    done = dualres(
        *("bench", "report", "toy", "--dir", results / "bench", "-o", results / "other", "--no-page"), plugins=PLUGINS
    )
    assert done.returncode == 2
    assert "there is no table 'toy_named_right'" in done.stderr
