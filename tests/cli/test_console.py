"""Names from files are shown on a terminal, and never steer it."""

import csv
import io
import shutil
from dataclasses import replace

import pytest
from rich.markup import escape
from rich.table import Table

from dualres.cli.console import complain, say
from dualres.cli.progress_display import displayed
from dualres.cli.showing_console import ShowingConsole
from dualres.judge.model import load, save
from tests.cli.runner import run

HOSTILE = "worn\x1b[2J\x1b]0;title\x07\r\x9b31m"
SHOWN = r"worn\x1b[2J\x1b]0;title\x07\r\x9b31m"


def clean(text):
    return all(c in "\n\t" or c.isprintable() for c in text)


@pytest.fixture
def screen():
    return ShowingConsole(file=io.StringIO(), width=200)


def test_printed_texts_and_cells_show_control_characters(screen):
    table = Table("file", HOSTILE, title=escape(HOSTILE))
    table.add_row("a.wav", escape(HOSTILE))
    screen.print(table)
    screen.print(HOSTILE, markup=False, highlight=False)
    assert clean(screen.file.getvalue())
    assert screen.file.getvalue().count(r"\x1b[2J") == 4


def test_a_bar_shows_them_too():
    terminal = ShowingConsole(file=io.StringIO(), width=200, force_terminal=True, legacy_windows=False)
    with displayed(terminal) as report:
        report("Judge", 1, 2, HOSTILE)
    told = terminal.file.getvalue()
    assert r"worn\x1b[2J" in told
    assert "\x1b[2J" not in told
    assert "\x07" not in told


def test_a_name_makes_no_lines_of_its_own(capsys):
    say("a\nError: b")
    complain("note", "a\nError: b")
    told = capsys.readouterr()
    assert told.out == "a\\nError: b\n"
    assert told.err == "note  a\n  Error: b\n"


def test_classes_and_files_are_shown_by_diagnose_and_show(fitted, machines, tmp_path):
    model = load(fitted[1])
    names = tuple({"worn": HOSTILE}.get(name, name) for name in model.classes)
    evil, file = tmp_path / "evil.safetensors", tmp_path / "a\x1b[2J\nb.wav"
    save(replace(model, card=replace(model.card, classes=names)), evil)
    shutil.copy(machines / "worn0.wav", file)
    for options in ((), ("--csv",), ("--json",), ("--over-time", "1")):
        result = run("diagnose", evil, file, tmp_path / "\x1b[2J.wav", *options)
        assert clean(result.stdout.replace("\r\n", "\n")), options
        assert clean(result.stderr), options
        assert "worn" in result.stdout
    (row, _) = csv.DictReader(io.StringIO(run("diagnose", evil, file, tmp_path / "b\x07.wav", "--csv").stdout))
    assert row["verdict"] == SHOWN
    assert row["file"].endswith(r"a\x1b[2J\nb.wav")
    assert clean(run("show", evil).output)
    assert clean(run("show", file).output)


def test_a_file_name_that_is_no_text_is_shown(fitted, machines, tmp_path):
    file = tmp_path / "pump\udcff.wav"
    shutil.copy(machines / "worn0.wav", file)
    result = run("diagnose", fitted[1], file, machines / "good0.wav")
    assert r"pump\udcff.wav" in result.output
    assert "good0.wav  good" in result.output
