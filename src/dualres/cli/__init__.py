"""The command line: it parses and prints, and leaves the work to the other rooms.

This module imports next to nothing: until `main` says what Ctrl-C does, Python shows where it was interrupted.
"""

import _signal as signal  # type: ignore[import-not-found]  # what `signal` wraps, which imports a dozen others
import os
import sys

TYPE_CHECKING = False  # for type checkers, as `typing` has it, which takes long to import
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

INTERRUPTED = 130  # the exit status a shell expects after Ctrl-C


def main() -> None:
    """Run a command as this process, which ends with it.

    Ctrl-C ends it with the status that a shell expects, and never with a traceback: at once while commands are still
    imported and when all is done, and by a `KeyboardInterrupt` in between, for commands to say what is lost.
    """
    interrupted = False

    def interrupt(number: int, frame: "FrameType | None") -> None:
        nonlocal interrupted
        interrupted = True
        raise KeyboardInterrupt

    at_once = _on_interrupt(signal.default_int_handler, _leave)
    try:
        from dualres.cli.commands import run

        if at_once:
            signal.signal(signal.SIGINT, interrupt)
        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception:
        if not interrupted:  # else an import was, and its error may be another one
            raise
        sys.exit(INTERRUPTED)
    finally:
        _on_interrupt(interrupt, _leave)


def _on_interrupt(instead_of: object, handler: "Any") -> bool:
    """Let Ctrl-C do something else, where it does what is expected: who starts a process may have it ignore Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is not instead_of:
        return False
    signal.signal(signal.SIGINT, handler)
    return True


def _leave(number: int, frame: "FrameType | None") -> None:
    for stream in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105  # contextlib is not there yet
            stream.flush()
        except (OSError, ValueError, RuntimeError, AttributeError):
            pass  # nobody reads it any more, or it is being written to
    os._exit(INTERRUPTED)


def __getattr__(name: str) -> "Any":
    """What the commands are made of, for whoever asks: it takes a while to import."""
    if name.startswith("__"):
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module("dualres.cli.commands"), name)
