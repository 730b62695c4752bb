"""Ctrl-C at any moment since the start: the status that shells expect, and no traceback."""

import signal
import subprocess
import sys

import pytest

# Ctrl-C comes when a module is imported, or when the process ends.
PRESSED = """
import atexit, os, signal, sys

def press():
    os.kill(os.getpid(), signal.SIGINT)

class WhenImported:
    def find_spec(self, name, path=None, target=None):
        if name == moment:
            sys.meta_path.remove(self)
            press()

moment = sys.argv.pop(1)
sys.argv[0] = "dualres"
if moment == "the end":
    atexit.register(press)
else:
    sys.meta_path.insert(0, WhenImported())
from dualres.cli import main
main()
"""
INSIDE = """
import sys
class Broken:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            try:
                import os, signal
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                raise ImportError("numpy is broken") from None
sys.meta_path.insert(0, Broken())
sys.argv = ["dualres", "show", "nowhere.wav"]
from dualres.cli import main
main()
"""


def ended(program, *arguments, **how):
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **how)


@pytest.mark.parametrize("moment", ["typer", "dualres.cli.commands", "rich.console", "dualres.cli.show", "the end"])
def test_ctrl_c_ends_a_command_quietly_at_any_moment(moment):
    done = ended(PRESSED, moment, "show", "--help")
    assert done.returncode == 130
    assert done.stderr == ""
    assert ("Usage" in done.stdout) == (moment == "the end"), "what was said is said"


def test_ctrl_c_in_an_import_that_makes_another_error_of_it_is_no_traceback():
    done = ended(INSIDE)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_an_error_of_ours_is_still_shown():
    done = ended(INSIDE.replace("os.kill(os.getpid(), signal.SIGINT)", "raise KeyboardInterrupt"))
    assert done.returncode == 1
    assert "ImportError: numpy is broken" in done.stderr


def test_a_process_that_ignores_ctrl_c_goes_on_ignoring_it():
    """As nohup and a shell's & start them."""
    ignoring = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN){PRESSED}"
    done = ended(ignoring, "typer", "show", "--help")
    assert done.returncode == 0
    assert "Usage" in done.stdout


def test_importing_the_command_line_changes_nothing():
    program = "import signal, dualres.cli; assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    assert ended(program).returncode == 0
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


@pytest.mark.parametrize("name", ["typing", "enum", "typer", "importlib.abc", "tempfile"])
def test_little_is_imported_before_ctrl_c_is_understood(name):
    """Until then Python shows where it was interrupted; it has hardly begun."""
    program = f"import sys; sys.modules.pop({name!r}, None); import dualres.cli; sys.exit({name!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-E", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}"])
    assert done.returncode == 0
