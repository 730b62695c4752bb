import csv
import io
import shutil
import sqlite3

import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import STUDIES as EVERY_STUDY
from dualres.bench.campaign.studies import Quick, jobs, study
from dualres.bench.paper.protocol import PRIMARY_BUDGET
from dualres.bench.report.tables import Settings, all_tables, write_tables
from dualres.bench.verify.tables import verify_tables
from dualres.errors import ConfigError
from dualres.utils.checksums import write_sums
from tests.bench.campaign.synthetic import synthetic_ledger, synthetic_outcome

STUDIES = {"pilot": ["phm2009"], "duration": ["simulated"], "bearing": ["cwru", "kaist", "uored", "hust", "ottawa"]}
SETTINGS = Settings(tuple(STUDIES), device="cpu")
DIFFERENCE = "Difference and 95 % interval"


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A ledger and a report of it: a complete comparison of ranks, a duration, and cells that were not run."""
    folder = tmp_path_factory.mktemp("report")
    for name, datasets in STUDIES.items():
        synthetic_ledger(folder / "ledger.sqlite", [name], datasets=datasets).close()
    with Ledger(folder / "ledger.sqlite") as ledger:
        write_tables(all_tables(ledger, SETTINGS), folder / "tables", SETTINGS)
        yield ledger, folder


@pytest.fixture
def report(original, tmp_path):
    ledger, folder = original
    shutil.copytree(folder / "tables", tmp_path / "tables")
    return ledger, tmp_path / "tables"


def rewrite(folder, change):
    """Replace the records of the CSV file, and its hash as well."""
    path = folder / "tables.csv"
    records = list(csv.DictReader(path.read_text().splitlines()))
    names = list(records[0])
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(change(records))
    path.write_text(buffer.getvalue())
    hash_again(folder)


def hash_again(folder):
    write_sums(folder, [p.name for p in folder.iterdir() if p.name != "SHA256SUMS"])


def edit(folder, table, row, column, **changes):
    """Change one cell of the CSV file."""

    def change(records):
        (cell,) = (r for r in records if (r["table"], r["row"], r["column"]) == (table, row, column))
        cell.update(changes)
        return records

    rewrite(folder, change)


def test_a_report_agrees_with_its_ledger(report):
    ledger, folder = report
    assert verify_tables(ledger, folder) == []


PILOT, BEARING = "pilot_phm2009", "bearing_macro_f1"
CHANGES = [  # a cell, what is changed in it, and what is said of it
    ((PILOT, "DualRes", "P1 macro-F1"), {"mean": "61.0"}, "mean is 61.0, the stored scores give"),
    ((PILOT, "DualRes", "Mean accuracy"), {"text": "99.99"}, "shows '99.99' for"),
    (("bearing_by_fold", "CWRU / DualRes", "Mean"), {"paper": "99.99"}, "is not what the ledger gives now (paper)"),
    ((PILOT, "DualRes", "P2 macro-F1"), {"method": "mambasl", "paper": ""}, "is of another method"),
    ((PILOT, "MambaSL", "P1 macro-F1"), {"labelled_s": "2.048"}, "labelled seconds are 2.048"),
    (("pilot_recall_phm2009", "MambaSL", "H3"), {"mean": "0.5", "text": "0.50"}, "mean is 0.5"),
    ((BEARING, "CWRU", "MambaSL"), {"sd": "0.5"}, "sd is 0.5, the stored scores give"),
    (("bearing_accuracy", "KAIST", "MambaSL"), {"n": "2"}, "n is 2, the ledger has 3"),
    ((BEARING, "Paderborn", "MambaSL"), {"text": "50.00"}, "shows '50.00', but there is no such number"),
    (
        ("bearing_differences", "CWRU / 1.024 / MambaSL", DIFFERENCE),
        {"low": "0.1"},
        "is not what the ledger gives now (low)",
    ),
    (("duration_simulated", "100", "DualRes macro-F1"), {"mean": "1.5", "text": "1.50"}, "mean is 1.5"),
    (("tensor_shapes", "LayerNorm", "Parameters"), {"text": "127"}, "is not what the ledger gives now (text)"),
    (("bearing_ranks", "DualRes", "Mean rank"), {"text": "9.00"}, "is not what the ledger gives now (text)"),
]


def test_every_changed_cell_is_found_and_no_other_even_if_the_hash_was_changed_too(report):
    ledger, folder = report
    for place, changes, _ in CHANGES:
        edit(folder, *place, **changes)
    problems = verify_tables(ledger, folder)
    for place, _, sentence in CHANGES:
        assert any(", ".join(place) in p and sentence in p for p in problems), place
    assert all(any(place[0] in p for place, *_ in CHANGES) for p in problems)
    assert not any("MambaSL, Mean" in p for p in problems)


@pytest.mark.parametrize("name", ["pilot_phm2009.tex", "bearing_macro_f1.md"])
def test_a_changed_file_is_found_by_its_hash_and_by_what_the_ledger_gives(report, name):
    ledger, folder = report
    path = folder / name
    path.write_text(path.read_text().replace("DualRes", "Dualres"))
    by_hash, by_content = verify_tables(ledger, folder)
    assert f"{name}: was changed" in by_hash
    hash_again(folder)
    assert verify_tables(ledger, folder) == [by_content]
    assert f"{name}: is not what the ledger gives now" in by_content


def test_files_that_are_missing_or_too_many_are_found(report):
    ledger, folder = report
    (folder / "pilot_phm2009.md").unlink()
    (folder / "more.md").write_text("another table")
    hash_again(folder)
    missing, more = verify_tables(ledger, folder)
    assert "pilot_phm2009.md: is missing, though the ledger gives it" in missing
    assert "more.md: is listed as part of the report" in more


def test_inverted_bold_print_is_found_in_every_table_that_has_numbers(report):
    ledger, folder = report
    tables = {}

    def invert(records):
        for record in records:
            if record["metric"]:
                tables[record["table"]] = tables.get(record["table"], 0) + 1
                record["best"] = str(1 - int(record["best"]))
        return records

    rewrite(folder, invert)
    problems = verify_tables(ledger, folder)
    assert len(problems) == 2 * len(tables)  # by the rule, and by what the ledger gives
    for name, count in tables.items():
        rule, ledger_gives = (p for p in problems if f"{name}, " in p)
        assert f"{count} cell" in rule
        assert "in bold print and should not be" in rule
        assert "not what the ledger gives now (best)" in ledger_gives


def test_deleted_repeated_and_invented_rows_are_found(report):
    ledger, folder = report

    def change(records):
        kept = [r for r in records if r["table"] != "pilot_recall_phm2009"]
        return [*kept, kept[-1], {**kept[-1], "table": "invented"}]

    rewrite(folder, change)
    missing, invented, repeated = verify_tables(ledger, folder)
    assert "28 rows (the first: pilot_recall_phm2009, DualRes, H1) are missing" in missing
    assert "1 row (invented, " in invented
    assert "there more than once" in repeated


def test_rows_that_cannot_be_read_are_said_in_a_sentence_each(report):
    ledger, folder = report
    broken = {  # of the bearing table's rows, and why they cannot be read
        "CWRU": ({"n": "x"}, "'x'"),
        "KAIST": ({"jobs": "foo"}, "unpack"),
        "UORED": ({"metric": "beauty"}, "there is no metric 'beauty'"),
        "HUST": ({"mean": "much"}, "'much'"),
        "Ottawa": ({"labelled_s": "long"}, "'long'"),
    }
    for row, (changes, _) in broken.items():
        edit(folder, BEARING, row, "DualRes", **changes)
    problems = verify_tables(ledger, folder)
    records = list(csv.DictReader((folder / "tables.csv").read_text().splitlines()))
    places = [(r["table"], r["row"], r["column"]) for r in records]
    for row, (_, why) in broken.items():
        number = places.index((BEARING, row, "DualRes")) + 2
        (sentence,) = (p for p in problems if f"tables.csv: row {number} cannot be read (" in p)
        assert why in sentence


def test_rows_with_too_few_or_too_many_fields_are_found(report):
    ledger, folder = report
    path = folder / "tables.csv"
    header, first, second, *rest = path.read_text().splitlines()
    path.write_text("\n".join([header, first + ",more", second.rpartition(",")[0][:40], *rest]) + "\n")
    hash_again(folder)
    problems = "\n".join(verify_tables(ledger, folder))
    assert "row 2 cannot be read (it has more than 21 fields)" in problems
    assert "not what the ledger gives now" in problems


def test_a_report_without_its_settings_cannot_be_made_again(report):
    ledger, folder = report
    (folder / "settings.json").unlink()
    hash_again(folder)
    (problem,) = verify_tables(ledger, folder)
    assert "cannot be made again" in problem
    assert "dualres bench report" in problem


def changed_ledger(ledger, folder, update, value):
    """A copy of the ledger in which DualRes on P1 was changed."""
    changed = Ledger(folder / "changed.sqlite")
    changed.merge(ledger)
    (key,) = (k for k, job in ledger.jobs().items() if (job.method, job.fold) == ("dualres", "P1"))
    with sqlite3.connect(changed.path) as database:
        database.execute(f"{update} WHERE key = ?", (value, key))
    database.close()
    return changed


def test_a_damaged_job_is_one_that_the_ledger_does_not_have(report, tmp_path):
    ledger, folder = report
    with changed_ledger(ledger, tmp_path, "UPDATE jobs SET facts = ?", "{") as damaged:
        problems = "\n".join(verify_tables(damaged, folder))
    assert "pilot_phm2009, DualRes, P1 macro-F1: mean is" in problems
    assert "its tables cannot be made again" in problems


def test_a_quick_report_of_all_studies_agrees_with_its_ledger(tmp_path):
    settings = Settings(tuple(EVERY_STUDY), quick=True)
    path = tmp_path / "ledger.sqlite"
    with synthetic_ledger(path, list(EVERY_STUDY), quick=Quick(), datasets=["simulated"]) as ledger:
        write_tables(all_tables(ledger, settings), tmp_path / "tables", settings)
        assert verify_tables(ledger, tmp_path / "tables") == []


def test_bold_print_among_further_seeds_and_of_costs_is_what_the_numbers_ask_for(tmp_path):
    settings = Settings(("bearing", "gearbox"))
    with synthetic_ledger(tmp_path / "l", ["bearing"], seeds=[41, 42, 43, 44], datasets=["hust"]) as ledger:
        for job in jobs(study("gearbox"), ["simulated"], methods=["dualres", "mambasl", "minirocket"]):
            if job.budget == PRIMARY_BUDGET:
                ledger.record(job, synthetic_outcome(job))
        write_tables(all_tables(ledger, settings), tmp_path / "tables", settings)
        names = {p.stem for p in (tmp_path / "tables").glob("*.md")}
        assert {"bearing_every_seed", "bearing_hust_itransformer", "fit_costs_simulated"} <= names
        assert verify_tables(ledger, tmp_path / "tables") == []


def test_a_score_that_changed_in_the_ledger_is_found(report, tmp_path):
    ledger, folder = report
    with changed_ledger(ledger, tmp_path, "UPDATE scores SET scores = ?", str([1.0] + [0.0] * 13)) as changed:
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
