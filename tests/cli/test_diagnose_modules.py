"""How much of this package a diagnosis needs, counted in a process of its own."""

import json
import subprocess
import sys
from shutil import copy

from dualres.cli.commands import SUMMARIES, CommandTable

# Modules of ours at most, in the process that was started; by six of them the speed of the shaft is found, and by seven
# an answer with its promise, of sets and of names.
CALLED, IMPORTED = 76, 96
COUNTING = """
import json, sys
called = set()

def count(frame, event, _):
    code = frame.f_code
    if event == "call" and "/dualres/" in code.co_filename and code.co_name != "<module>":
        called.add(code.co_filename)

sys.setprofile(count)
from dualres.cli import main
try:
    main()
finally:
    sys.setprofile(None)
    imported = sorted(name for name in sys.modules if name.partition(".")[0] == "dualres")
    called = {name.rpartition("/dualres/")[2] for name in called}
    print(json.dumps({"called": sorted(called), "imported": imported}), file=sys.stderr)
"""


# What takes long to import, and neither a verdict nor a list of commands needs.
HEAVY = {"asyncio", "concurrent.futures", "email", "importlib.metadata", "logging", "numpy.ma", "rich", "tempfile"}
LISTED = 12  # modules of ours at most that a list of commands needs
MODULES = """
import json, sys
from dualres.cli import main
try:
    main()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def modules_of(*arguments):
    """What a process has imported for these, and what it printed."""
    words = [sys.executable, "-c", MODULES, *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1])), done.stdout


def test_a_diagnosis_of_one_file_imports_nothing_heavy(views, machines, tmp_path):
    modules, said = modules_of("diagnose", views[1], copy(machines / "good0.wav", tmp_path))
    assert "good0.wav  good" in said
    assert not HEAVY & modules


def test_the_commands_are_listed_without_importing_them():
    modules, said = modules_of("--help")
    assert "Judge recordings: one line each" in said
    assert not (HEAVY - {"rich"} - {"logging"} | {"numpy"}) & modules
    assert sum(name.partition(".")[0] == "dualres" for name in modules) <= LISTED


def test_the_list_says_what_each_command_says():
    table = CommandTable()
    assert {name: (table[name].help or "").split("\n\n")[0].replace("\n", " ") for name in table} == SUMMARIES


def test_a_diagnosis_of_one_file_needs_few_modules(views, machines, tmp_path):
    alone = copy(machines / "good0.wav", tmp_path)  # beside no list
    arguments = ["diagnose", str(views[1]), str(alone)]
    done = subprocess.run([sys.executable, "-c", COUNTING, *arguments], capture_output=True, text=True, check=True)
    assert "good0.wav  good" in done.stdout
    found = json.loads(done.stderr.splitlines()[-1])
    assert "judge/trust/calibration.py" in found["called"], "the model has a calibration"
    assert len(found["called"]) <= CALLED, found["called"]
    assert len(found["imported"]) <= IMPORTED, found["imported"]
