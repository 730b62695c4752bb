"""Does a hostile labels.csv ever do more than to be refused? Adds up in a state file, see _tally.py.

    python stress/labels.py 10000 --state labels.json

The list of a folder with two recordings gets strange columns, cells, quotes, encodings and lengths, or is damaged. Then
the folder is read to learn from and to judge, and what was understood is printed. A failure is an exception that a
caller would not expect, a recording from outside the folder, text that steers a terminal, or a changed file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np

from _hostile import TEXTS, pick, seen
from _tally import Attack, main
from dualres.cli.console import console, say
from dualres.errors import DualResError
from dualres.recordings.labels.folder import read_folder
from dualres.recordings.labels.read import LABELS, read_row, to_judge
from fuzz_readers import damage

RATE = Fraction(1000)
FILES = ("a.npy", "below/b.npy")
COLUMNS = (
    "file",
    "label",
    "component",
    "rate",
    "channel",
    "channels",
    "start_s",
    "end_s",
    "load",
    "path",
    "class",
    "split",
)
NUMBERS = ("0", "1", "-1", "1.5", "nan", "inf", "-inf", "1e999", "1e-999", "9" * 5000, "1/0", "1000", "1k", "12.8 kHz")


@contextmanager
def hostile(folder: Path) -> Iterator[Callable[[int], str]]:
    """Reads a folder with a hostile list."""
    ours = folder / "deep" / "ours"
    for name in (*FILES, "../outside.npy"):
        (ours / name).parent.mkdir(parents=True, exist_ok=True)
        np.save(ours / name, np.random.default_rng(len(name)).standard_normal(3000))

    def attempt(seed: int) -> str:
        rng = np.random.default_rng([seed, 11])
        (ours / LABELS).write_bytes(listed(rng))
        before = seen(folder)
        ways = [learned(ours), judged(ours)]
        assert seen(folder) == before, "a file was changed"
        return "read" if "read" in ways else "refused"

    yield attempt


def learned(folder: Path) -> str:
    try:
        found = read_folder(folder, rate=RATE)
    except DualResError as error:
        return shown(str(error), "refused")
    for one in found.recordings:
        assert (folder / one.id.split(" [")[0]).resolve().is_relative_to(folder.resolve()), f"{one.id} was read"
        shown(f"{one.id} {one.label} {one.component} {one.condition} {len(one.signal)}", "read")
    return shown(str((found.left_out, found.same, found.not_chosen, found.classes)), "read")


def judged(folder: Path) -> str:
    try:
        for row in to_judge([folder]):
            shown(f"{row.file} {row.known} {read_row(row, rate=RATE).length}", "read")
    except DualResError as error:
        return shown(str(error), "refused")
    return "read"


def shown(text: str, how: str) -> str:
    """Print it as commands do."""
    with console.capture() as captured:
        say(text)
    steering = {c for c in captured.get() if not c.isprintable()} - {"\n"}
    assert not steering, f"it printed {steering}"
    captured.get().encode()
    return how


def listed(rng: np.random.Generator) -> bytes:
    """The content of a list."""
    columns = ["file", "label", *(pick(COLUMNS, rng) for _ in range(rng.integers(4)))]
    if rng.random() < 0.2:
        columns[int(rng.integers(len(columns)))] = pick(TEXTS, rng)
    rows = [[cell(column, rng) for column in columns] for _ in range(rng.integers(1, 6))]
    if rng.random() < 0.2:
        row = pick(range(len(rows)), rng)
        rows[row] = rows[row][:-1] if rng.random() < 0.5 else [*rows[row], pick(TEXTS, rng)]
    text = io.StringIO()
    quoting = csv.QUOTE_ALL if rng.random() < 0.3 else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=pick(",,,,;\t", rng), quoting=quoting, lineterminator="\n").writerows([columns, *rows])
    encoding = pick(("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"), rng)
    content = text.getvalue().encode(encoding, errors="replace")
    return damage(content, rng) if rng.random() < 0.2 else content


def cell(column: str, rng: np.random.Generator) -> str:
    """A right one, mostly."""
    way = rng.random()
    if way < 0.1:
        return str(pick(TEXTS, rng))
    if column == "file":
        names = FILES if way < 0.8 else ("../outside.npy", "below", ".", LABELS, "/dev/zero", "below/../a.npy", "A.npy")
        return str(pick(names, rng))
    if column in ("rate", "start_s", "end_s", "channel"):
        return "" if way < 0.5 else str(pick(NUMBERS, rng))
    return str(pick(("good", "worn", "", *TEXTS[:4]) if way < 0.8 else TEXTS, rng))


ATTACK = Attack("labels", "hostile lists of labels", hostile)

if __name__ == "__main__":
    main(__doc__, [ATTACK])
