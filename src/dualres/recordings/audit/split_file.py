"""A split as a CSV file: which file is on which side."""

from __future__ import annotations

import csv
from pathlib import Path

from dualres.errors import RecordingError
from dualres.recordings.audit.finding import Split

SIDES = ("support", "evaluation")


def read_split(path: Path, held_out: str | None = None) -> Split:
    """The split that a CSV with the columns file and side describes; `held_out` is what it claims to hold out."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as lines:
            rows = [(row["file"].strip(), row["side"].strip()) for row in csv.DictReader(lines)]
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read ({error.strerror})") from error
    except (KeyError, AttributeError, UnicodeDecodeError, csv.Error) as error:
        raise RecordingError(f"{path}: needs the columns file and side ({error!r})") from error
    wrong = {side for _, side in rows} - set(SIDES)
    if wrong:
        raise RecordingError(f"{path}: side is {sorted(wrong)[0]!r}; write support or evaluation")
    support, evaluation = (tuple(file for file, its in rows if its == side) for side in SIDES)
    return Split(support, evaluation, held_out)
