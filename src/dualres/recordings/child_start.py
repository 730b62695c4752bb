"""Starting the process that parses. This module imports nothing large, so that it can be started first of all: it takes
as long as its parent to get ready."""

import atexit
import os
import subprocess
import sys
from pathlib import Path

SOUND = {".wav": "wav", ".flac": "flac"}  # what most files are; the names of formats by suffixes
_early: dict[str, "subprocess.Popen[bytes]"] = {}  # by the format whose library they import


def start_child(format: str) -> "subprocess.Popen[bytes]":
    """A process that is importing the library of a format, unless one was started for it before."""
    if (started := _early.pop(format, None)) is not None:
        return started
    # The module is found where this one was found, and never in the working directory (-P), where a file called
    # numpy.py may lie beside the recordings.
    search = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-P", "-W", "ignore", "-m", "dualres.recordings.formats.sandbox_child", format],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | one_thread | {"PYTHONPATH": os.pathsep.join(search)},
        start_new_session=True,  # an interrupt from the keyboard is for the parent
    )


def start_early(path: Path) -> None:
    """Have a process ready for a file that is about to be read, where nothing was read yet."""
    format = SOUND.get(path.suffix.lower())
    # os.path says no where Path says that a folder may not be entered, which is for whoever reads the file to say.
    if format and not _early and f"{__package__}.formats.sandbox" not in sys.modules and os.path.isfile(path):  # noqa: PTH113
        _early[format] = start_child(format)
        atexit.register(end_early)


def end_early() -> None:
    """End what was started and not needed."""
    while _early:
        _, process = _early.popitem()
        for end in (process.stdin, process.stdout):
            if end:
                end.close()
        process.kill()
        process.wait()
