"""A table of recordings to a frozen fold.

The table is a CSV file with a row for each recording that the fold uses, and the columns

    recording   its id in the prepared dataset
    label       its class; classes are numbered in the order in which the table first names them
    side        support or evaluation
    order       optional: its place among the support of its class, lowest first; the rows' own order without it
"""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from dualres.bench.datasets.folds import Fold
from dualres.errors import ConfigError, OutputError
from dualres.utils.files import write_whole
from dualres.utils.special_files import unusual

SUPPORT, EVALUATION = "support", "evaluation"
COLUMNS = ("recording", "label", "side")


@dataclass(frozen=True)
class FoldRow:
    recording: str
    label: str
    side: str
    order: float = 0.0


def read_table(path: Path) -> list[FoldRow]:
    """The rows of a table; an error names the line that cannot be used."""
    if reason := unusual(path):
        raise ConfigError(f"{path}: cannot be read as a table: it {reason}")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file, skipinitialspace=True)
            if absent := [name for name in COLUMNS if name not in (table.fieldnames or ())]:
                raise ConfigError(f"{path}: has no column {absent[0]}; its first line must name {', '.join(COLUMNS)}")
            return [_row(path, table.line_num, fields) for fields in table]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{path}: cannot be read as a table ({error})") from error


def fold_of(
    rows: Sequence[FoldRow],
    *,
    name: str,
    dataset: str,
    held_out: str,
    start_s: int = 0,
    step: float = 1.0,
    windows: int | None = None,
) -> Fold:
    """The fold that a table describes; a split that cannot be learned from or judged on is refused."""
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name):
        raise ConfigError(f"a fold cannot be called {name!r}, for its file bears its name; use letters and digits")
    seen: dict[str, str] = {}
    for row in rows:
        if row.recording in seen:
            where = f"in {row.side} twice" if seen[row.recording] == row.side else "in support and in evaluation"
            raise ConfigError(f"fold {name}: {row.recording} is {where}; a recording has one row")
        seen[row.recording] = row.side
    support: dict[str, tuple[str, ...]] = {}
    for label in dict.fromkeys(row.label for row in rows):
        members = sorted((r for r in rows if r.side == SUPPORT and r.label == label), key=lambda row: row.order)
        if not members:
            raise ConfigError(f"fold {name}: class {label} is evaluated, but no recording of the support has it")
        support[label] = tuple(row.recording for row in members)
    evaluation = tuple(row.recording for row in rows if row.side == EVALUATION)
    if len(support) < 2 or not evaluation:
        found = f"{len(support)} classes and {len(evaluation)} evaluated recordings"
        raise ConfigError(f"fold {name}: it has {found}; at least two classes and one evaluated recording are needed")
    return Fold(name, dataset, held_out, support, evaluation, int(start_s), float(step), windows)


def check_recordings(rows: Sequence[FoldRow], labels: Mapping[str, str]) -> None:
    """An error if a row is not about a recording of the dataset, whose `labels` go by recording."""
    for row in rows:
        name = f"recording {row.recording}"
        if row.recording not in labels:
            raise ConfigError(f"{name} is not in the prepared dataset; prepare it, or mend the table")
        if row.label != labels[row.recording]:
            raise ConfigError(f"{name} is labelled {labels[row.recording]}, not {row.label}")


def freeze(fold: Fold, folder: Path, *, overwrite: bool = False) -> Path:
    """Write the fold, with its hash, to a file of its name; one that is there already stays unless told otherwise."""
    path = folder / f"{fold.fold}.json"
    if path.exists() and not overwrite:
        remedy = "give another name, or --overwrite to replace it"
        raise OutputError(f"{path}: is there already, and results may rest on it; {remedy}")
    write_whole(path, (json.dumps(asdict(fold) | {"hash": fold.hash}, indent=1) + "\n").encode())
    return path


def _row(path: Path, line: int, fields: Mapping[str, str | None]) -> FoldRow:
    values = {name: (fields.get(name) or "").strip() for name in (*COLUMNS, "order")}
    if absent := [name for name in COLUMNS if not values[name]]:
        raise ConfigError(f"{path}, line {line}: has no {absent[0]}")
    if values["side"] not in (SUPPORT, EVALUATION):
        raise ConfigError(f"{path}, line {line}: side is {values['side']!r}; it is {SUPPORT} or {EVALUATION}")
    try:
        return FoldRow(values["recording"], values["label"], values["side"], float(values["order"] or 0))
    except ValueError:
        raise ConfigError(f"{path}, line {line}: order is {values['order']!r}, not a number") from None
