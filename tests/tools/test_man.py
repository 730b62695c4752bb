"""The manual page: complete, and understood by what shows it."""

import re
import shutil
import subprocess

import pytest

from dualres.cli.reference import all_commands, switches
from tools.man import page

PAGE = page()


def test_it_names_every_command_argument_and_option():
    plain = PAGE.replace(r"\-", "-")
    for command in all_commands()[1:]:
        title = f'.SS "dualres {" ".join(command.words)}'
        (start,) = [plain.index(title + end) for end in (" ", '"') if title + end in plain][:1]
        section = plain[start:].partition("\n.SS ")[0]
        for name in switches(command.options):
            assert f"\\fB{name}\\fR" in section, (command.words, name)
        for argument in command.arguments:
            assert argument.name in section


def test_no_line_of_a_help_text_is_an_instruction():
    known = (".TH", ".SH", ".SS", ".TP", ".PP", ".B")
    for line in PAGE.splitlines():
        assert not line.startswith((".", "'")) or line.split()[0] in known, line


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_groff_shows_it_without_a_warning():
    done = subprocess.run(["groff", "-man", "-Tascii", "-ww"], input=PAGE, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "dualres bench run" in re.sub(".\b|\x1b\\[[0-9]*m", "", done.stdout)  # bold by striking twice, or by a code
