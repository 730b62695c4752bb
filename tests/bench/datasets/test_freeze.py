"""A table to a frozen fold."""

import csv
import json
from copy import copy
from dataclasses import replace
from itertools import cycle

import pytest
from typer.testing import CliRunner

from dualres import cli
from dualres.bench.datasets import folds
from dualres.bench.datasets.folds import load_fold, names, read_fold
from dualres.bench.datasets.folds.freeze import FoldRow, check_recordings, fold_of, freeze, read_table
from dualres.errors import ConfigError, OutputError
from dualres.simulated import rig as simulated

ROWS = [
    FoldRow("a1", "good", "support"),
    FoldRow("b1", "worn", "support"),
    FoldRow("a2", "good", "support"),
    FoldRow("c1", "worn", "evaluation"),
    FoldRow("c2", "good", "evaluation"),
]
SAID = {"name": "T1", "dataset": "toy", "held_out": "bearing"}


def written(path, rows, *columns):
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(columns or ("recording", "label", "side"))
        table.writerows(rows)
    return path


def table_of(fold):
    """A table that describes a fold. It does not know the labels of evaluated recordings, which are no part of it."""
    some_label = cycle(fold.classes)
    yield from ((name, label, "support") for label, members in fold.support.items() for name in members)
    yield from ((name, next(some_label), "evaluation") for name in fold.evaluation)


@pytest.mark.parametrize("name", names())
def test_a_packaged_fold_frozen_again_is_the_same(name, tmp_path):
    fold = load_fold(name)
    rows = read_table(written(tmp_path / "table.csv", table_of(fold)))
    again = fold_of(
        rows,
        name=fold.fold,
        dataset=fold.dataset,
        held_out=fold.held_out,
        start_s=fold.support_start_s,
        step=fold.support_step,
        windows=fold.evaluation_windows,
    )
    assert again.hash == fold.hash
    assert read_fold(freeze(again, tmp_path)) == fold


def test_the_order_of_a_class_is_the_rows_or_the_column_s(tmp_path):
    assert fold_of(ROWS, **SAID).support == {"good": ("a1", "a2"), "worn": ("b1",)}
    turned = [replace(row, order=-i) for i, row in enumerate(ROWS)]
    assert fold_of(turned, **SAID).support == {"good": ("a2", "a1"), "worn": ("b1",)}
    columns = ("order", "side", "recording", "label")
    path = written(tmp_path / "table.csv", [(2, "support", " x", "good"), ("", "evaluation", "y", "good")], *columns)
    assert read_table(path) == [FoldRow("x", "good", "support", 2.0), FoldRow("y", "good", "evaluation")]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*ROWS, FoldRow("a1", "good", "evaluation")], "T1: a1 is in support and in evaluation"),
        ([*ROWS, FoldRow("c1", "worn", "evaluation")], "T1: c1 is in evaluation twice"),
        (
            [*ROWS, FoldRow("d1", "bent", "evaluation")],
            "class bent is evaluated, but no recording of the support has it",
        ),
        (ROWS[:3], "2 classes and 0 evaluated recordings"),
        ([ROWS[0], ROWS[4]], "1 classes and 1 evaluated recordings"),
    ],
)
def test_a_split_that_cannot_be_used_is_refused(rows, message):
    with pytest.raises(ConfigError, match=message):
        fold_of(rows, **SAID)


@pytest.mark.parametrize("name", ["", "../T1", "a/b", ".hidden"])
def test_a_name_must_do_for_a_file(name):
    with pytest.raises(ConfigError, match="a fold cannot be called"):
        fold_of(ROWS, **SAID | {"name": name})


def test_recordings_and_labels_are_compared_with_the_dataset():
    labels = {row.recording: row.label for row in ROWS}
    check_recordings(ROWS, labels)
    with pytest.raises(ConfigError, match="recording c2 is labelled worn, not good"):
        check_recordings(ROWS, labels | {"c2": "worn"})
    with pytest.raises(ConfigError, match="recording c2 is not in the prepared dataset"):
        check_recordings(ROWS, {name: label for name, label in labels.items() if name != "c2"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recording,side\na,support\n", "has no column label"),
        ("", "has no column recording"),
        ("recording,label,side\na,good,both\n", "line 2: side is 'both'"),
        ("recording,label,side\na,good,support\nb,,support\n", "line 3: has no label"),
        ("recording,label,side,order\na,good,support,first\n", "line 2: order is 'first'"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_with_the_line(tmp_path, text, message):
    (tmp_path / "table.csv").write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_table(tmp_path / "table.csv")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_table(tmp_path / "none.csv")


def test_a_frozen_fold_is_kept_and_knows_when_it_was_changed(tmp_path, monkeypatch):
    fold = fold_of(ROWS, **SAID)
    path = freeze(fold, tmp_path)
    with pytest.raises(OutputError, match="is there already"):
        freeze(fold, tmp_path)
    monkeypatch.setattr(folds, "_FOLDS", copy(folds._FOLDS))
    folds.register(tmp_path, ["T1"])
    assert load_fold("T1") == fold
    assert names()[-1] == "T1"
    with pytest.raises(ConfigError, match="there is a fold 'T1' already"):
        folds.register(tmp_path, ["T1"])
    freeze(replace(fold, support_start_s=1), tmp_path, overwrite=True)
    assert load_fold("T1").support_start_s == 1
    path.write_text(path.read_text().replace('"support_start_s": 1', '"support_start_s": 2'))
    with pytest.raises(ConfigError, match="T1: its file was changed; freeze it again"):
        load_fold("T1")
    path.write_text("{}")
    with pytest.raises(ConfigError, match="T1: its file holds no fold"):
        load_fold("T1")
    path.unlink()
    with pytest.raises(ConfigError, match=r"T1\.json: the fold cannot be read"):
        load_fold("T1")


def run(*arguments):
    return CliRunner(env={"COLUMNS": "160"}).invoke(cli.app, ["data", "fold", *map(str, arguments)])


def test_the_command_freezes_and_compares_with_a_prepared_dataset(tmp_path):
    fold = load_fold("S1")
    labels = {r.id: str(r.label) for r in simulated.recordings()}
    rows = [(name, labels[name], side) for name, _, side in table_of(fold)]
    table = written(tmp_path / "table.csv", rows)
    said = ("--dataset", "simulated", "--held-out", "motion mode", "--start-s", 2, "--windows", 23, "-o", tmp_path)
    result = run(table, "--name", "S1", *said, "--stores", tmp_path)
    assert result.exit_code == 0, result.output
    assert "8 classes, 48 recordings to learn from, 120 evaluated" in result.output
    assert fold.hash in result.output
    assert read_fold(tmp_path / "S1.json") == fold
    assert isinstance(run(table, "--name", "S1", *said, "--stores", tmp_path).exception, OutputError)
    assert run(table, "--name", "S1", *said, "--stores", tmp_path, "--overwrite").exit_code == 0

    (tmp_path / "simulated").mkdir()
    index = {"dataset": "simulated", "variant": "full", "rate": "12800", "channel": "x", "recordings": []}
    (tmp_path / "simulated" / "recordings.json").write_text(json.dumps(index))
    failure = run(table, "--name", "S3", *said, "--stores", tmp_path).exception
    assert "is not in the prepared dataset" in str(failure)
    assert not (tmp_path / "S3.json").exists()
