"""`dualres serve`: the page."""

import signal
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from dualres.cli.console import complain, say
from dualres.cli.folder import ChannelOption, RateOption, SpeedOptions, parsed_rate, with_options


@with_options
def serve(
    folder: Annotated[Path, typer.Argument(help="Recordings, labelled or not; labels and models are kept in it.")],
    *,
    channel: ChannelOption = None,
    rate: RateOption = None,
    speeds: SpeedOptions,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, show_default="8765, or any that is free", help="Port on this machine."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Open a page in the browser: look at recordings, label them, fit, judge.

    Labels are written to labels.csv in the folder, models to its subfolder
    models. The page is reachable from this machine only, by the link that is
    printed; docs/page.md says how to see that of a gateway. Ctrl-C ends it.
    """
    from dualres.cli.folder import accept_comparators
    from dualres.web import server
    from dualres.web.workspace import Workspace

    accept_comparators()
    workspace = Workspace(folder, channel, parsed_rate(rate), speed=speeds.sources)
    listening = server.listen(port)
    page = server.Page(workspace, listening.getsockname()[1])
    link = page.link
    say(f"Page  {link}")
    say(f"  of {workspace.folder}, reachable from this machine only ({server.HOST})")
    say("  The link works once; Enter prints another. Ctrl-C ends the page.")
    if browser and not webbrowser.open(link):
        complain("note", "there is no browser here; open the link in one", "yellow")

    def print_links() -> None:
        """For another browser: a link whenever somebody presses Enter."""
        for _ in sys.stdin:
            say(f"Page  {page.link}")

    if sys.stdin.isatty():
        threading.Thread(target=print_links, daemon=True).start()
    # A request to end is heard after the server has ended, so that what it started ends as well.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    server.serve(page, listening)
