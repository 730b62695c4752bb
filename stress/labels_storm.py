"""Is a label that was answered "saved" ever lost? Adds up in a state file, see _tally.py.

    python stress/labels_storm.py 40 --state labels_storm.json

A storm is one folder into which four processes write at once: two `dualres serve`, a program that edits by Python, and
one that knows no lock, which opens the list, lingers for a moment and appends a row. The first three are killed with
SIGKILL at random moments and started again. All of them label files of their own, write columns of their own into rows
of others, drop files of one name, and count in one cell that they share: who counts says what was seen there, and is
told of a conflict where somebody was faster. In the end every edit that was answered as saved must be there, every row
that was appended, and in the shared cell exactly the number of those who were not told of a conflict. What was under
way when its process was killed may be there or not.
"""

from __future__ import annotations

import contextlib
import csv
import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from _tally import Attack, main
from page import Running, recordings

LIST, COUNTER = "labels.csv", ("r0.wav", "count")
EDIT, APPEND, STOP = "--edit", "--append", "stop"  # with which this script starts itself; the file that ends it
LINGER_S, PAUSE_S = 0.004, 0.02  # of the program that appends, at most: open before it writes, and between two rows
LIVES_S = (0.3, 2.0)  # from a start to a kill
LONGEST_S = 600.0

Cell = tuple[str, str]  # file and column


@dataclass(frozen=True)
class Plan:
    """Of one storm."""

    edits: int = 250  # that are answered as saved
    kills: int = 4


@dataclass
class Storm:
    """What was answered, by whom ever."""

    plan: Plan
    folder: Path
    said: dict[Cell, str] = field(default_factory=dict)
    perhaps: dict[Cell, set[str]] = field(default_factory=lambda: defaultdict(set))  # since it was last said
    dropped: set[str] = field(default_factory=set)
    saved: int = 0
    counted: int = 0
    perhaps_counted: int = 0
    conflicts: int = 0
    kills: int = 0
    problems: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def over(self) -> bool:
        return (self.saved >= self.plan.edits and self.kills >= self.plan.kills) or bool(self.problems)

    def may_kill(self) -> bool:
        with self.lock:
            more = self.kills < self.plan.kills
            self.kills += more
            return more

    def begin(self, cell: Cell, text: str) -> None:
        with self.lock:
            self.perhaps[cell].add(text)
            self.perhaps_counted += cell == COUNTER

    def end(self, cell: Cell, text: str, saved: bool) -> None:
        with self.lock:
            self.perhaps_counted -= cell == COUNTER
            self.saved, self.conflicts = self.saved + saved, self.conflicts + (not saved)
            if saved:
                self.said[cell], self.counted = text, self.counted + (cell == COUNTER)
                self.perhaps.pop(cell, None)
            else:
                self.perhaps[cell].discard(text)


@contextmanager
def storms(plan: Plan, folder: Path) -> Iterator[Callable[[int], tuple[str, dict[str, float]]]]:
    def attempt(seed: int) -> tuple[str, dict[str, float]]:
        place = folder / f"storm-{seed}" / "recordings"
        place.mkdir(parents=True)
        recordings(place)
        (place / LIST).write_text("file,label\n")
        storm = Storm(plan, place)
        appended = rage(storm, seed)
        check(storm, appended)
        return "nothing lost", {"conflicts": storm.conflicts, "appended": len(appended), "dropped": len(storm.dropped)}

    yield attempt


def rage(storm: Storm, seed: int) -> list[str]:
    """All write until there were enough edits and kills; the rows that were appended."""
    pages = [threading.Thread(target=guarded, args=(storm, live_as_page, number, seed)) for number in range(2)]
    editor = threading.Thread(target=guarded, args=(storm, live_as_editor, 2, seed))
    with started(APPEND, storm.folder, seed) as appender:
        for thread in (*pages, editor):
            thread.start()
        for thread in (*pages, editor):
            thread.join()
        (storm.folder.parent / STOP).touch()
        appended, _ = appender.communicate(timeout=60)
        assert appender.returncode == 0, "the program that appends ended with an error"
    return appended.split()


def guarded(storm: Storm, live: Callable[[Storm, int, random.Random], None], number: int, seed: int) -> None:
    """Lives until the storm is over; what goes wrong ends it."""
    draw = random.Random(f"{seed} {number}")
    try:
        while not storm.over:
            live(storm, number, draw)
    except Exception as error:
        storm.problems.append(repr(error))


def live_as_page(storm: Storm, number: int, draw: random.Random) -> None:
    """One life of `dualres serve`, until it is killed or the storm is over."""
    page = Running(storm.folder)
    content = (storm.folder / "r0.wav").read_bytes()
    try:
        ids = {one["name"]: one["id"] for one in page.get("/api/folder")["recordings"]}
        doom = doomed(storm, page.process, draw)
        with contextlib.suppress(OSError, http.client.HTTPException):
            while not storm.over:
                if draw.random() < 0.03:
                    answer, said = page.send("POST", "/api/recordings?name=x.wav", content)
                    assert answer.status == 200, said
                    with storm.lock:
                        storm.dropped.add(json.loads(said)["name"])
                        storm.saved += 1
                    continue
                (file, column), text, seen = thought(storm.folder, number, draw)
                storm.begin((file, column), text)
                body = {"cells": {column: text}} | ({"seen": {column: seen}} if seen is not None else {})
                answer, said = page.send("PUT", f"/api/recordings/{ids[file]}/label", json.dumps(body).encode())
                assert answer.status in (200, 409), f"{answer.status} {said!r}"
                storm.end((file, column), text, answer.status == 200)
    finally:
        page.process.kill()
        page.process.wait()
        page.process.stdout.close()
    if doom:
        doom.join()


def live_as_editor(storm: Storm, number: int, draw: random.Random) -> None:
    """One life of a program that edits by Python."""
    with started(EDIT, storm.folder, draw.randrange(10**9)) as program:
        doom = doomed(storm, program, draw)
        for line in program.stdout:
            if not line.endswith("\n"):  # killed within it
                break
            state, file, column, text = line.rstrip("\n").split("\t")
            if state == "try":
                storm.begin((file, column), text)
            else:
                storm.end((file, column), text, state == "saved")
            if storm.over:
                program.kill()  # and hear what it has said by then
        program.wait()
    if doom:
        doom.join()


def doomed(storm: Storm, process: subprocess.Popen[str], draw: random.Random) -> threading.Timer | None:
    if not storm.may_kill():
        return None
    doom = threading.Timer(draw.uniform(*LIVES_S), process.kill)
    doom.start()
    return doom


def thought(folder: Path, number: int, draw: random.Random) -> tuple[Cell, str, str | None]:
    """An edit that a writer may think of: the cell, the text, and what it has seen there if that matters."""
    text = f"{number}-{draw.randrange(10**6)}"
    way = draw.random()
    if way < 0.25:
        with (folder / LIST).open(newline="") as file:
            seen = next((row.get(COUNTER[1]) or "" for row in csv.DictReader(file) if row["file"] == COUNTER[0]), "")
        return COUNTER, f"{counted(seen) + 1} by {number}", seen
    if way < 0.5:
        return (f"r{draw.randrange(8)}.wav", f"load{number}"), text, None
    return (f"r{draw.choice([one for one in range(1, 8) if one % 3 == number])}.wav", "label"), text, None


def counted(text: str) -> int:
    """In the shared cell, as in "7 by 1"."""
    return int(text.partition(" ")[0] or 0)


@contextmanager
def started(way: str, folder: Path, seed: int) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, __file__, way, str(folder), str(seed)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        yield process


def edit(folder: Path, draw: random.Random) -> None:
    """Edits by Python, and tells of each before and after."""
    from dualres.recordings.labels.edit import LabelConflictError, RowKey, set_cells

    def tell(state: str) -> None:
        os.write(1, f"{state}\t{file}\t{column}\t{text}\n".encode())  # at once, or not at all

    while not (folder.parent / STOP).exists():
        (file, column), text, seen = thought(folder, 2, draw)
        tell("try")
        try:
            set_cells(folder, RowKey(file), {column: text}, None if seen is None else {column: seen})
        except LabelConflictError:
            tell("conflict")
        else:
            tell("saved")
        time.sleep(draw.uniform(0, PAUSE_S))


def append(folder: Path, draw: random.Random) -> None:
    """Appends rows as a program does that knows nothing of us, and tells of each when it is done."""
    number = 0
    while not (folder.parent / STOP).exists():
        name = f"appended{number}.wav"
        with (folder / LIST).open("a") as file:
            time.sleep(draw.uniform(0, LINGER_S) * draw.randrange(2))
            file.write(f"{name},a{number}\n")
        os.write(1, f"{name}\n".encode())
        number += 1
        time.sleep(draw.uniform(0, PAUSE_S))


def check(storm: Storm, appended: list[str]) -> None:
    from dualres.recordings.labels.edit import RowKey, set_cells

    assert not storm.problems, storm.problems[0]
    assert storm.kills == storm.plan.kills
    set_cells(storm.folder, RowKey("r0.wav"), {"label": "last"})  # who comes next finishes what was left
    with (storm.folder / LIST).open(newline="") as file:
        rows = list(csv.DictReader(file))
    found = {row["file"]: row for row in rows}
    assert len(found) == len(rows), "a file has two rows"
    cells = {cell: found[cell[0]][cell[1]] for cell in storm.said if cell != COUNTER}
    lost = [f"{cell}" for cell, text in cells.items() if text not in {storm.said[cell], *storm.perhaps[cell]}]
    lost += [name for name in appended if found.get(name, {}).get("label") != f"a{name[8:-4]}"]
    lost += [name for name in storm.dropped if name not in found or not (storm.folder / name).is_file()]
    assert not lost, f"{len(lost)} lost: {lost[:3]}"
    count = counted(found[COUNTER[0]][COUNTER[1]])
    assert storm.counted <= count <= storm.counted + storm.perhaps_counted, f"counted {count}, not {storm.counted}"
    left = [one.name for one in storm.folder.iterdir() if one.name.startswith(".")]
    assert not left, f"left behind: {left[:3]}"


TITLE = "edits of one list by two pages, a program of ours and one that appends; every {} with {} kills"
ATTACKS = [
    Attack("labels", TITLE.format(Plan.edits, Plan.kills), partial(storms, Plan()), (), LONGEST_S, each=Plan.edits)
]

if __name__ == "__main__":
    if sys.argv[1:2] in ([EDIT], [APPEND]):
        {EDIT: edit, APPEND: append}[sys.argv[1]](Path(sys.argv[2]), random.Random(int(sys.argv[3])))
    else:
        main(__doc__, ATTACKS)
