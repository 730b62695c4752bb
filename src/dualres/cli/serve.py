"""`dualres serve`: the page."""

from __future__ import annotations

import sys
import threading
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from dualres.cli.folder import Channel, Rate, parsed_rate
from dualres.cli.screen import complain, say
from dualres.errors import ConfigError


def serve(
    folder: Annotated[Path, typer.Argument(help="Recordings, labelled or not; labels and models are kept in it.")],
    channel: Channel = None,
    rate: Rate = None,
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
    try:
        from dualres.web.server import HOST, Page, listen
        from dualres.web.server import serve as run
    except ImportError as error:
        raise ConfigError(f"the page needs {error.name}: pip install 'dualres[page]'") from None
    from dualres.web.workspace import Workspace

    workspace = Workspace(folder, channel, parsed_rate(rate))
    listening = listen(port)
    page = Page(workspace, listening.getsockname()[1])
    link = page.link
    say(f"Page  {link}")
    say(f"  of {workspace.folder}, on this machine only ({HOST}); the link works once. Enter: another link. Ctrl-C: end.")
    if browser and not webbrowser.open(link):
        complain("note", "there is no browser here; open the link in one", "yellow")
    if sys.stdin.isatty():
        threading.Thread(target=_more_links, args=(page,), daemon=True).start()
    run(page, listening)


def _more_links(page: object) -> None:
    """For another browser: a link whenever somebody presses Enter."""
    for _ in sys.stdin:
        say(f"Page  {page.link}")  # type: ignore[attr-defined]
