"""A published split as folds: a CSV file with a row for each file in each fold.

fold    the fold's name, such as 1
file    a recording's id in the prepared dataset, or the released file that it was made of, with or without folders
        and ending
side    train or test
label   optional: its class, which must be the dataset's
"""

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from dualres.bench.datasets.folds import Fold
from dualres.bench.datasets.folds.freeze import EVALUATION, SUPPORT, FoldRow, fold_of
from dualres.errors import ConfigError
from dualres.utils.special_files import unusual

COLUMNS = ("fold", "file", "side")
SIDES = {"train": SUPPORT, "test": EVALUATION}
Recordings = Sequence[Mapping[str, Any]]  # as a store's index lists them


def read_split(path: Path, dataset: str, recordings: Recordings, *, held_out: str = "bearing") -> list[Fold]:
    """The folds of a table, in the order in which it names them; an error names the line that cannot be used."""
    called, rows = _by_name(recordings), defaultdict[str, list[FoldRow]](list)
    for line, values in _lines(path):
        where = f"{path}, line {line}"
        if values["side"] not in SIDES:
            raise ConfigError(f"{where}: side is {values['side']!r}; it is train or test")
        found = called.get(values["file"]) or called.get(PurePosixPath(values["file"]).name, [])
        if len(found) != 1:
            told = (
                f"{len(found)} recordings of {dataset} are made of it; name one by its id"
                if found
                else _absent(dataset)
            )
            raise ConfigError(f"{where}: {values['file']}: {told}")
        (entry,) = found
        if values["label"] and values["label"] != entry["label"]:
            raise ConfigError(f"{where}: {values['file']} is labelled {values['label']}, in {dataset} {entry['label']}")
        rows[values["fold"]].append(FoldRow(entry["id"], entry["label"], SIDES[values["side"]]))
    if not rows:
        raise ConfigError(f"{path}: holds no row; each names {', '.join(COLUMNS)}")
    order = {one["label"]: number for number, one in enumerate(recordings)}
    sorted_rows = {name: sorted(of_fold, key=lambda row: order[row.label]) for name, of_fold in rows.items()}
    try:
        return [fold_of(r, name=name, dataset=dataset, held_out=held_out) for name, r in sorted_rows.items()]
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def shared_components(fold: Fold, recordings: Recordings) -> tuple[str, ...]:
    """Components with recordings on both sides of a fold: it is not split by them."""
    of = {one["id"]: one.get("component") for one in recordings}
    sides = ({of[name] for name in side} - {None} for side in (fold.supporting(), fold.evaluation))
    learned, judged = sides
    return tuple(sorted(str(one) for one in learned & judged))


def _lines(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    if reason := unusual(path):
        raise ConfigError(f"{path}: cannot be read as a table: it {reason}")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file, skipinitialspace=True)
            if absent := [name for name in COLUMNS if name not in (table.fieldnames or ())]:
                raise ConfigError(f"{path}: has no column {absent[0]}; its first line must name {', '.join(COLUMNS)}")
            for fields in table:
                values = {name: (fields.get(name) or "").strip() for name in (*COLUMNS, "label")}
                if missing := [name for name in COLUMNS if not values[name]]:
                    raise ConfigError(f"{path}, line {table.line_num}: has no {missing[0]}")
                yield table.line_num, values
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{path}: cannot be read as a table ({error})") from error


def _by_name(recordings: Recordings) -> dict[str, list[Mapping[str, Any]]]:
    """Recordings by every name that a table may call them."""
    called: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for one in recordings:
        source = PurePosixPath(one.get("source") or one["id"])
        for name in {one["id"], str(source), source.name, source.stem}:
            called[name].append(one)
    return called


def _absent(dataset: str) -> str:
    return f"no recording of the prepared dataset {dataset} has this id or file; prepare it, or mend the table"
