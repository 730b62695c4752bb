"""All commands by their names, and what a run of one ends with."""

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from dualres import __version__
from dualres.cli.console import complain, say
from dualres.errors import DualResError
from dualres.plugins import load_plugins
from dualres.utils.files import NO_ROOM
from dualres.utils.malloc import keep_freed_memory
from dualres.utils.optional_imports import is_extra, sentence

# Command -> where its function is, or the group of its commands, below this package.
COMMANDS = {
    "demo": "demo.demo",
    "fit": "fit.command",
    "tune": "tune.tune",
    "check": "check.check",
    "trend": "trend.trend",
    "diagnose": "diagnose.diagnose",
    "watch": "watch.watch",
    "explain": "explain.explain",
    "advise": "advise.advise",
    "serve": "serve.serve",
    "show": "show.show",
    "export": "export.export",
    "audit": "audit.audit",
    "completion": "completion.completion",
    "methods": "bench.methods.methods",
    "profile": "bench.profile.profile",
    "data": "bench.data.app",
    "bench": "bench.run.app",
}
GROUPS = ("data", "bench")
# How each one's help begins: all of them are listed, and none is imported for that.
SUMMARIES = {
    "demo": "Learn a simulated gearbox from 6.144 labelled seconds per class and judge 120 unseen recordings.",
    "fit": "Learn from your own labelled recordings.",
    "tune": "Choose a recipe using the labelled recordings and nothing else.",
    "check": "Say which part of a machine is damaged, by its geometry and its speed: no model, no labels.",
    "trend": "Follow machines over time: levels, fault lines, distance from health, and when a machine changed.",
    "diagnose": "Judge recordings: one line each, with verdict, probability, runner-up and answer.",
    "watch": "Judge live streams: a verdict per window and per block, as the samples come.",
    "explain": "Say why a recording gets its verdict: which bands and which moments spoke for it and against the "
    "runner-up.",
    "advise": "Say which recordings to label next and why, and what more labels would bring.",
    "serve": "Open a page in the browser: look at recordings, label them, fit, judge.",
    "show": "Show a recording's facts with a small spectrum, what a folder holds, or a model's card.",
    "export": "Export a model to other machines, and check that it computes the same there.",
    "audit": "Find out whether training could have seen what is evaluated; the exit status is then 1.",
    "methods": "List the methods: parameters and file size as counted here, beside the paper's figures.",
    "profile": "Measure time, memory and size for one window and a whole recording, each method in its own process.",
    "data": "List, prepare and check the public datasets.",
    "bench": "Plan, run, report and verify studies: the paper's and ours.",
    "completion": "Print the script by which a shell completes commands, options and their values.",
}


class CommandTable(Mapping[str, Any]):
    """The commands by their names; a command's module is imported when somebody asks for it."""

    def __getitem__(self, name: str) -> Any:
        place, _, attribute = COMMANDS[name].rpartition(".")
        module = import_module(f"dualres.cli.{place}")
        found = getattr(module, attribute)
        if name in GROUPS:
            group = typer.main.get_group(found)
            group.name = name
            return group
        alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
        alone.command(name, cls=getattr(module, "command_class", None))(found)
        return typer.main.get_command(alone)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class LazyGroup(TyperGroup):
    """All commands, of which only those that are needed are imported."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = CommandTable()  # type: ignore[assignment]  # nobody adds to it

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """By what the table says of each command."""
        whole = self.commands
        self.commands = {name: TyperCommand(name, help=said) for name, said in SUMMARIES.items()}
        try:
            super().format_help(ctx, formatter)
        finally:
            self.commands = whole


app = typer.Typer(
    name="dualres",
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run() -> None:
    """Run a command; a user's mistake ends in one sentence, not in a traceback."""
    keep_freed_memory()
    try:
        load_plugins()  # before the commands are put together: a plugin may add an option to one
        app()
    except ModuleNotFoundError as error:
        if not is_extra(error.name):
            raise
        words = sys.argv[1 : 3 if sys.argv[1:] and sys.argv[1] in GROUPS else 2]  # without its arguments
        complain("Error:", sentence(" ".join(["dualres", *words]), str(error.name)), "bold red")
        sys.exit(2)
    except DualResError as error:
        complain("Error:", str(error), "bold red")
        sys.exit(2)
    except OSError as error:
        if isinstance(error, PermissionError):
            place = f"{error.filename or 'something'}: you may not read or change this ({error.strerror})"
            complain("Error:", f"{place}; ask its owner to let you, or choose another place", "bold red")
            sys.exit(2)
        if error.errno not in NO_ROOM:
            raise
        from tempfile import gettempdir

        where = error.filename or gettempdir()  # scratch files lie there
        complain("Error:", f"{where}: no room is left to write ({error.strerror}); make some and try again", "bold red")
        sys.exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"dualres {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Name a machine's fault from a few labelled seconds of vibration.

    Start with [bold]dualres demo[/]: it needs no data and takes less than a minute. Then
    [bold]dualres fit FOLDER -o model.safetensors[/] learns from your own files and
    [bold]dualres diagnose model.safetensors FILES[/] judges others.
    """
