"""What commands there are and what they take, for completion in shells and for the manual."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_MARKUP = re.compile(r"\[/?(?:bold|dim|italic)?(?: [a-z]+)?\]")


@dataclass(frozen=True)
class OptionFacts:
    """An option of a command."""

    names: tuple[str, ...]  # as they are typed, --out and -o
    help: str
    value: str  # what it takes, such as FILE; empty for a switch
    choices: tuple[str, ...] = ()  # all that it takes, where these are few


@dataclass(frozen=True)
class ArgumentFacts:
    """An argument of a command."""

    name: str  # as help shows it, [MODEL] where it may be left out
    help: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class CommandFacts:
    """A command, or a group of commands."""

    words: tuple[str, ...]  # as it is typed, without the program's name; none for the program itself
    help: str
    arguments: tuple[ArgumentFacts, ...] = ()
    options: tuple[OptionFacts, ...] = ()
    commands: tuple[str, ...] = ()  # of a group

    @property
    def summary(self) -> str:
        """The first sentence of its help, in one line."""
        return " ".join(self.help.partition("\n\n")[0].split())


def all_commands() -> tuple[CommandFacts, ...]:
    """The program itself, and every command after the group that it belongs to."""
    import typer.main

    from dualres.cli.commands import app

    return tuple(_walked(typer.main.get_command(app), ()))


def _walked(command: Any, words: tuple[str, ...]) -> Iterator[CommandFacts]:
    inner = getattr(command, "commands", {})
    arguments = tuple(
        ArgumentFacts(one.make_metavar(_context(command)), _plain(one.help or ""), _choices(one))
        for one in command.params
        if one.param_type_name == "argument"
    )
    options = tuple(_option(one, command) for one in command.params if one.param_type_name == "option")
    told = OptionFacts(("--help", *(() if words else ("-h",))), "Show what it takes and exit.", "")
    yield CommandFacts(words, _plain(command.help or ""), arguments, (*options, told), tuple(inner))
    for name in inner:
        yield from _walked(inner[name], (*words, name))


def _context(command: Any) -> Any:
    return command.context_class(command, info_name="dualres")


def _option(option: Any, command: Any) -> OptionFacts:
    names = (*option.opts, *option.secondary_opts)
    value = "" if option.is_flag or option.count else option.make_metavar(_context(command))
    return OptionFacts(names, _plain(option.help or ""), value, _choices(option))


def _choices(one: Any) -> tuple[str, ...]:
    return tuple(map(str, getattr(one.type, "choices", ()) or ()))


def _plain(text: str) -> str:
    return _MARKUP.sub("", text).strip()


def switches(options: Sequence[OptionFacts]) -> tuple[str, ...]:
    """The names of all options."""
    return tuple(name for one in options for name in one.names)
