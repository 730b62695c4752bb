"""`dualres completion`: scripts by which shells complete commands, options and their values."""

from collections.abc import Mapping
from typing import Annotated, Literal

import typer

from dualres.cli.console import echo
from dualres.cli.reference import CommandFacts, all_commands, switches

Shell = Literal["bash", "zsh", "fish"]

_BASH = """\
# Completion of dualres for bash, written by `dualres completion bash`.
_dualres() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command= offered=
    COMPREPLY=()
    ((COMP_CWORD > 1)) && command=${{COMP_WORDS[1]}}
    case $command in {groups}) ((COMP_CWORD > 2)) && command+=" ${{COMP_WORDS[2]}}" ;; esac
{cases}
    [[ -n $offered ]] && COMPREPLY=($(compgen -W "$offered" -- "$cur"))
    return 0
}}
complete -o default -F _dualres dualres
"""
_ZSH = """\
#compdef dualres
# Completion of dualres for zsh, written by `dualres completion zsh`.
_dualres() {{
    local cur=$words[CURRENT] prev=$words[CURRENT-1] command= offered=
    (( CURRENT > 2 )) && command=$words[2]
    case $command in {groups}) (( CURRENT > 3 )) && command+=" $words[3]" ;; esac
{cases}
    if [[ -n $offered ]]; then compadd -- ${{=offered}}; else _files; fi
}}
if [[ $funcstack[1] == _dualres ]]; then _dualres "$@"; else compdef _dualres dualres; fi
"""
_FISH = """\
# Completion of dualres for fish, written by `dualres completion fish`.
function __dualres_at
    set -l typed (commandline -opc)
    set -e typed[1]
    test (count $typed) -ge (count $argv); or return 1
    for i in (seq (count $argv))
        test "$typed[$i]" = "$argv[$i]"; or return 1
    end
end
function __dualres_first
    test (count (commandline -opc)) -eq (math 1 + (count $argv)); and __dualres_at $argv
end
"""


def completion(shell: Annotated[Shell, typer.Argument(help="The shell that is to complete what you type.")]) -> None:
    """Print the script by which a shell completes commands, options and their values.

    bash: dualres completion bash > ~/.local/share/bash-completion/completions/dualres

    zsh: dualres completion zsh > a file _dualres in a folder of $fpath

    fish: dualres completion fish > ~/.config/fish/completions/dualres.fish
    """
    for line in script(shell).splitlines():
        echo(line)


def script(shell: Shell) -> str:
    """The script, for what can be typed now."""
    commands = all_commands()
    if shell == "fish":
        by_words = {one.words: one for one in commands}
        return _FISH + "\n".join(line for one in commands for line in _fish_lines(one, by_words)) + "\n"
    groups = "|".join(one.words[0] for one in commands if one.words and one.commands)
    cases = "\n".join(["    case $command in", *map(_case, commands), "    esac"])
    return (_BASH if shell == "bash" else _ZSH).format(groups=groups, cases=cases)


def _case(command: CommandFacts) -> str:
    """A branch of bash or zsh; nothing offered stands for names of files.

    After an option come the values that it takes, where these are few; else options, or the commands of a group."""
    others = command.commands or tuple(value for one in command.arguments for value in one.choices)
    shown = f'[[ $cur == -* ]] && offered="{" ".join(switches(command.options))}"'
    shown += f' || offered="{" ".join(others)}"' if others else ""
    listed = [f'{"|".join(one.names)}) offered="{" ".join(one.choices)}" ;;' for one in command.options if one.choices]
    free = "|".join(name for one in command.options if one.value and not one.choices for name in one.names)
    after = [*listed, *([f"{free}) ;;"] if free else [])]
    choice = f"case $prev in {' '.join(after)} *) {shown} ;; esac" if after else shown
    return f'        "{" ".join(command.words)}") {choice} ;;'


def _fish_lines(command: CommandFacts, by_words: Mapping[tuple[str, ...], CommandFacts]) -> list[str]:
    """Of a group its commands; of a command its options, which are offered once it is typed."""
    at = " ".join(command.words)
    lines = []
    for name in command.commands:
        told = _quoted(by_words[*command.words, name].summary)
        lines.append(f"complete -c dualres -f -n '__dualres_first {at}' -a {name} -d {told}")
    where = f"-n '__dualres_at {at}'" if command.words else "-n __dualres_first"
    for option in command.options:
        names = " ".join(f"-l {one[2:]}" if one.startswith("--") else f"-s {one[1:]}" for one in option.names)
        values = f" -x -a {_quoted(' '.join(option.choices))}" if option.choices else " -r" * bool(option.value)
        lines.append(f"complete -c dualres {where} {names}{values} -d {_quoted(option.help)}")
    for argument in command.arguments:
        if argument.choices:
            lines.append(f"complete -c dualres -f {where} -a {_quoted(' '.join(argument.choices))}")
    return lines


def _quoted(text: str) -> str:
    """For fish, in one line."""
    told = " ".join(text.split()).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{told}'"
