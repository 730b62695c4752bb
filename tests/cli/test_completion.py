"""Completion, asked of the shells themselves; a shell that is not installed is skipped."""

import os
import shutil
import subprocess

import pytest

from dualres.cli.commands import COMMANDS
from dualres.cli.completion import script
from dualres.cli.reference import all_commands
from tests.bare.process import bare
from tests.cli.runner import run

BASH = """
source {script}
COMP_WORDS=({words}"{last}") COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_dualres
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
ZSH = """
compdef() {{ }}
compadd() {{ for one in $@[2,-1]; do [[ $one == {last}* ]] && print -r -- $one; done }}
_files() {{ }}
source {script}
words=({words}"{last}") CURRENT=$#words
_dualres
"""
FISH = "source {script}; complete -C '{words}{last}' | string replace -r '\\t.*' ''"
SHELLS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


@pytest.fixture(scope="module", params=SHELLS)
def offered(request, tmp_path_factory):
    """What a shell offers after a line, in an empty folder."""
    shell = request.param
    program = shutil.which(shell)
    if not program:
        pytest.skip(f"{shell} is not installed")
    folder = tmp_path_factory.mktemp(shell)
    here, written = folder / "here", folder / "script"
    here.mkdir()
    written.write_text(script(shell))

    def ask(line):
        words, _, last = line.rpartition(" ")
        code = SHELLS[shell].format(script=written, words=f"{words} ", last=last)
        environment = os.environ | {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
        done = subprocess.run([program, "-c", code], cwd=here, env=environment, capture_output=True, text=True)
        assert done.stderr == "", done.stderr
        return set(done.stdout.split())

    return ask


EXPECTED = {
    "dualres ": set(COMMANDS),
    "dualres dia": {"diagnose"},
    "dualres --ver": {"--version"},
    "dualres bench ve": {"verify"},
    "dualres export model.safetensors out --to ": {"c99", "onnx"},
    "dualres export --int": {"--int16"},
    "dualres export model.safetensors --overw": {"--overwrite"},
    "dualres data fold --held": {"--held-out"},
    "dualres bench export --t": set(),  # an option of another command of that name
    "dualres completion ": {"bash", "zsh", "fish"},
    "dualres diagnose ": set(),
}


def test_a_shell_offers_commands_options_and_values(offered):
    for line, expected in EXPECTED.items():
        found = offered(line)
        assert (expected <= found) if line.endswith("--to ") else found == expected, line


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_names_every_command_and_option(shell):
    written = script(shell)
    for command in all_commands():
        for name in (*command.words, *(name for option in command.options for name in option.names)):
            typed = name if shell != "fish" else name.lstrip("-")
            assert typed in written, (command.words, name)


def test_the_command_prints_it_and_refuses_other_shells():
    done = run("completion", "bash")
    assert (done.exit_code, done.stdout) == (0, script("bash"))
    assert run("completion", "tcsh").exit_code == 2


def test_it_needs_nothing_but_the_base_install():
    done = bare("-m", "dualres.cli", "completion", "zsh")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == script("zsh")
