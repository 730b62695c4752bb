"""A function called in a process that has done nothing before, and does nothing after."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from dualres.bench.campaign.workers import Child, Sparing, failure, inbox
from dualres.errors import DualResError
from dualres.plugins import load_plugins
from dualres.utils.malloc import keep_freed_memory

if TYPE_CHECKING:
    from dualres.utils.progress import Progress

_SERVE = "import sys; from dualres.bench.profile.fresh_process import serve; serve(int(sys.argv[1]))"


class FreshProcessError(DualResError):
    """What went wrong in the other process."""


def in_fresh_process(work: Callable[..., Any], *arguments: Any, threads: int, tell: Progress) -> Any:
    """What `work(*arguments, tell)` gives; `work` is a module's own function.

    The process dies with this one. Whatever befalls it is an error that says what.
    """
    child = Child(_SERVE, [], threads)
    try:
        child.pipe.send((work, arguments))
        while True:
            kind, content = child.pipe.recv()
            if kind == "progress":
                tell(*content)
            elif kind == "result":
                return content
            else:
                raise FreshProcessError(content)
    except (EOFError, OSError):
        raise FreshProcessError(child.last_words()) from None
    finally:
        child.end()


def serve(descriptor: int) -> None:
    """What the other process does."""
    pipe = Connection(descriptor)
    keep_freed_memory()
    load_plugins()
    work, arguments = pipe.recv()
    inbox(pipe)  # nothing more comes through it but its end
    tell = Sparing(lambda *progress: pipe.send(("progress", progress)))
    try:
        answer = "result", work(*arguments, tell)
    except Exception as error:
        answer = "failure", failure(error)
    with suppress(OSError):
        pipe.send(answer)
