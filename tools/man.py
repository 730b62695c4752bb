"""Write the manual page of `dualres`, from what its commands say of themselves: build/man/dualres.1."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from dualres import __version__
from dualres.cli.reference import CommandFacts, all_commands
from dualres.utils.files import write_whole
from tools.generated import ROOT

PAGE = ROOT / "build" / "man" / "dualres.1"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=PAGE, help="the file to write")
    target = parser.parse_args().out
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, page().encode())
    print(target)


def page() -> str:
    """In the language of man(7)."""
    program, *commands = all_commands()
    lines = [f'.TH DUALRES 1 "" "dualres {__version__}" "User Commands"', ".SH NAME"]
    lines += [rf"dualres \- {_text(program.summary.rstrip('.'))}", ".SH SYNOPSIS", ".B dualres"]
    lines += [r"\fICOMMAND\fR [\fIOPTIONS\fR] [\fIARGUMENTS\fR]", ".SH DESCRIPTION", *_paragraphs(program.help)]
    lines += [".SH OPTIONS", *_options(program), ".SH COMMANDS"]
    for one in commands:
        lines += _section(one)
    lines += [".SH EXIT STATUS", "0 where all went well, 2 for a mistake of the user, 130 after Ctrl-C."]
    return "\n".join(lines) + "\n"


def _section(command: CommandFacts) -> Iterator[str]:
    named = " ".join(one.name for one in command.arguments)
    yield f'.SS "{_text(" ".join(("dualres", *command.words, named))).rstrip()}"'
    yield from _paragraphs(command.help)
    for argument in command.arguments:
        if argument.help:
            yield from (".TP", rf"\fI{_text(argument.name)}\fR", _text(argument.help))
    yield from _options(command)


def _options(command: CommandFacts) -> Iterator[str]:
    for option in command.options:
        value = rf" \fI{_text(option.value)}\fR" if option.value else ""
        names = ", ".join(rf"\fB{_text(name)}\fR" for name in option.names)
        yield from (".TP", f"{names}{value}", _text(option.help))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        yield from (".PP", _text(paragraph))


def _text(text: str) -> str:
    """In one line, of which nothing is an instruction."""
    plain = " ".join(text.split()).replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{plain}" if plain[:1] in (".", "'") else plain


if __name__ == "__main__":
    main()
