"""The command line: it parses and prints, and leaves the work to the other rooms."""

import sys
from tempfile import gettempdir
from typing import Annotated

import typer

from dualres import __version__
from dualres.cli.advise import advise
from dualres.cli.audit import audit as audit_command
from dualres.cli.bench import report as bench_report
from dualres.cli.bench.data import app as data_app
from dualres.cli.bench.methods import methods
from dualres.cli.bench.profile import profile
from dualres.cli.bench.run import app as bench_app
from dualres.cli.console import complain, say
from dualres.cli.demo import demo as demo_command
from dualres.cli.diagnose import STRETCH_S, diagnose
from dualres.cli.explain import explain
from dualres.cli.export import export
from dualres.cli.fit import FitCommand
from dualres.cli.optional_value import with_optional_number
from dualres.cli.serve import serve
from dualres.cli.show import show
from dualres.cli.tune import tune
from dualres.cli.watch import watch
from dualres.errors import DualResError
from dualres.plugins import load_plugins
from dualres.utils.files import NO_ROOM
from dualres.utils.malloc import keep_freed_memory
from dualres.utils.optional_imports import is_extra, sentence

app = typer.Typer(
    name="dualres",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo_command)
app.command()(FitCommand())
app.command()(tune)
app.command(cls=with_optional_number("--over-time", STRETCH_S))(diagnose)
app.command()(watch)
app.command()(explain)
app.command()(advise)
app.command()(serve)
app.command()(show)
app.command()(export)
app.command()(audit_command)
app.command()(methods)
app.command()(profile)
GROUPS = {"data": data_app, "bench": bench_app}
for command in (bench_report.report, bench_report.verify, bench_report.export):
    bench_app.command()(command)
for name, group in GROUPS.items():
    app.add_typer(group, name=name)


def main() -> None:
    """Run a command; a user's mistake ends in one sentence, not in a traceback."""
    keep_freed_memory()
    try:
        load_plugins()  # before the commands are put together: a plugin may add an option to one
        app()
    except ModuleNotFoundError as error:
        if not is_extra(error.name):
            raise
        complain("Error:", sentence(_command(sys.argv[1:]), str(error.name)), "bold red")
        sys.exit(2)
    except DualResError as error:
        complain("Error:", str(error), "bold red")
        sys.exit(2)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        where = error.filename or gettempdir()  # scratch files lie there
        complain("Error:", f"{where}: no room is left to write ({error.strerror}); make some and try again", "bold red")
        sys.exit(2)


def _command(words: list[str]) -> str:
    """What was asked for, without its arguments: `dualres bench run`."""
    count = 2 if words and words[0] in GROUPS else 1
    return " ".join(["dualres", *words[:count]])


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
