import csv
import io
import shutil
import sqlite3

import pytest

from dualres.benchmark.ledger import Ledger
from dualres.benchmark.results import Results
from dualres.benchmark.studies import study
from dualres.benchmark.sums import write_sums
from dualres.benchmark.tables import reference_tables, study_tables, write_tables
from dualres.benchmark.verify_tables import verify_tables
from dualres.errors import ConfigError
from tests.benchmark.synthetic import synthetic_ledger

STUDIES = {
    "pilot": ["phm2009"],
    "duration": ["simulated"],
    "bearing": ["cwru", "kaist", "uored", "hust", "ottawa"],
}
DIFFERENCE = "Difference and 95 % interval"


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A ledger and a report of it: a complete comparison of ranks, a duration, and cells that were not run."""
    folder = tmp_path_factory.mktemp("report")
    for name, datasets in STUDIES.items():
        synthetic_ledger(folder / "ledger.sqlite", [name], datasets=datasets).close()
    with Ledger(folder / "ledger.sqlite") as ledger:
        tables = [table for name in STUDIES for table in study_tables(Results(ledger, study(name)))]
        write_tables([*tables, *reference_tables()], folder / "tables")
        yield ledger, folder


@pytest.fixture
def report(original, tmp_path):
    ledger, folder = original
    shutil.copytree(folder / "tables", tmp_path / "tables")
    return ledger, tmp_path / "tables"


def edit(folder, table, row, column, **changes):
    """Change one cell of the CSV file, and its hash as well."""
    path = folder / "tables.csv"
    records = list(csv.DictReader(path.read_text().splitlines()))
    (cell,) = (r for r in records if (r["table"], r["row"], r["column"]) == (table, row, column))
    cell.update(changes)
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    path.write_text(buffer.getvalue())
    write_sums(folder, [p.name for p in folder.iterdir() if p.name != "SHA256SUMS"])
    return cell


def only_problem(ledger, folder):
    (problem,) = verify_tables(ledger, folder)
    return problem


def test_a_report_agrees_with_its_ledger(report):
    ledger, folder = report
    assert verify_tables(ledger, folder) == []


PILOT, BEARING = "pilot_phm2009", "bearing_macro_f1"
CHANGES = [  # a cell, what is changed in it, and what is said of it
    ((PILOT, "DualRes", "P1 macro-F1"), {"mean": "61.0"}, "mean is 61.0, the stored scores give"),
    ((PILOT, "DualRes", "Mean accuracy"), {"text": "99.99"}, "shows '99.99' for"),
    ((PILOT, "DualRes", "Mean macro-F1"), {"paper": "99.99"}, "paper prints 99.99, which it does not"),
    ((PILOT, "DualRes", "P2 macro-F1"), {"method": "mambasl", "paper": ""}, "is of another method"),
    ((PILOT, "MambaSL", "P1 macro-F1"), {"labelled_s": "2.048"}, "labelled seconds are 2.048"),
    (("pilot_recall_phm2009", "MambaSL", "H3"), {"mean": "0.5", "text": "0.50"}, "mean is 0.5"),
    ((BEARING, "CWRU", "MambaSL"), {"sd": "0.5"}, "sd is 0.5, the stored scores give"),
    (("bearing_accuracy", "KAIST", "MambaSL"), {"n": "2"}, "n is 2, the ledger has 3"),
    ((BEARING, "Paderborn", "MambaSL"), {"text": "50.00"}, "shows '50.00', but there is no such number"),
    (
        ("bearing_differences", "CWRU / 1.024 / MambaSL", DIFFERENCE),
        {"low": "0.1"},
        "the bootstrap interval is another",
    ),
    (("duration_simulated", "100", "DualRes macro-F1"), {"mean": "1.5", "text": "1.50"}, "mean is 1.5"),
    (("tensor_shapes", "LayerNorm", "Parameters"), {"text": "127"}, "says '127', the package '128'"),
]


def test_every_changed_cell_is_found_and_no_other_even_if_the_hash_was_changed_too(report):
    ledger, folder = report
    for place, changes, _ in CHANGES:
        edit(folder, *place, **changes)
    problems = verify_tables(ledger, folder)
    for place, _, sentence in CHANGES:
        assert any(", ".join(place) in p and sentence in p for p in problems), place
    assert all(any(", ".join(place) in p for place, *_ in CHANGES) for p in problems)


def test_words_that_do_not_follow_from_the_numbers_are_found(report):
    ledger, folder = report
    records = list(csv.DictReader((folder / "tables.csv").read_text().splitlines()))
    choice = next(r for r in records if r["column"] == "Chosen" and r["text"] == "no")
    edit(folder, choice["table"], choice["row"], "Chosen", text="yes")
    edit(folder, "bearing_ranks", "DualRes", "Mean rank", text="9.00")
    problems = "\n".join(verify_tables(ledger, folder))
    assert problems.count("\n") == 1
    assert "chosen is 'yes', the rule says 'no'" in problems
    assert "mean rank is 9.00, the scores give" in problems


def test_a_changed_file_is_found_by_its_hash(report):
    ledger, folder = report
    path = folder / "pilot_phm2009.tex"
    path.write_text(path.read_text().replace("DualRes", "Dualres"))
    assert "pilot_phm2009.tex: was changed" in only_problem(ledger, folder)


def test_a_score_that_changed_in_the_ledger_is_found(report, tmp_path):
    ledger, folder = report
    with Ledger(tmp_path / "changed.sqlite") as changed:
        changed.merge(ledger)
        (key,) = (k for k, job in ledger.jobs().items() if (job.method, job.fold) == ("dualres", "P1"))
        with sqlite3.connect(changed.path) as database:
            database.execute("UPDATE scores SET scores = ? WHERE key = ?", (str([1.0] + [0.0] * 13), key))
        database.close()
        problems = "\n".join(verify_tables(changed, folder))
    for column in ("P1 macro-F1", "Mean macro-F1", "Mean accuracy"):
        assert f"pilot_phm2009, DualRes, {column}: mean is" in problems
    assert "DualRes, P2 macro-F1" not in problems
    assert "MambaSL, P1" not in problems


def test_a_cell_that_was_run_since_is_found(report, tmp_path):
    """The report says "not run"; the ledger has the jobs by now."""
    _, folder = report
    with synthetic_ledger(tmp_path / "more.sqlite", ["bearing"], datasets=["paderborn"]) as more:
        problems = [p for p in verify_tables(more, folder) if "bearing_macro_f1, Paderborn" in p]
    assert any("mean is not given, the stored scores give" in problem for problem in problems)


def test_a_folder_that_is_no_report_is_refused_in_a_sentence(original, tmp_path):
    with pytest.raises(ConfigError, match="dualres bench report"):
        verify_tables(original[0], tmp_path)
    (tmp_path / "tables.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ConfigError, match="other columns"):
        verify_tables(original[0], tmp_path)
