"""A plugin whose format ends the process that parses it, and a writer that does so for files called lost."""

import os
import signal
from dataclasses import dataclass

from dualres.judge.archive.line import VerdictLine
from dualres.plugins import load_plugins
from dualres.recordings.formats.registry import FORMATS, Format, register


def crash(path):
    if path.stem.startswith("lost"):
        os.kill(os.getpid(), signal.SIGKILL)
    raise ValueError("it is not damaged enough")


if "crash" not in FORMATS:
    register(Format("crash", "crash", crash, "numpy", (".crash",)))


@dataclass(frozen=True)
class Writer:
    """Writes verdicts as they are, and dies of those on files of one name."""

    dies_of: str = ""

    def __call__(self, one):
        if self.dies_of and one.path.stem == self.dies_of and os.environ.get("JUDGING") != str(os.getpid()):
            os.kill(os.getpid(), signal.SIGKILL)
        said = f"{one.verdict.label} {list(one.verdict.probabilities.values())!r}" if one.verdict else ""
        return VerdictLine.of(one, f"{one.path.name}  {said}", one.problem)


prepare = load_plugins
