"""The command line in a process of its own, with plugins that this package knows nothing of."""

import os
import subprocess
import sys
from pathlib import Path

from dualres.plugins import VARIABLE

ROOT = Path(__file__).parents[2]


def environment(plugins):
    """What a process needs to find the named modules of this folder as plugins."""
    search = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    named = ",".join(f"tests.extending.{name}" for name in plugins)
    return {"PYTHONPATH": os.pathsep.join(search), VARIABLE: named}


def dualres(*arguments, plugins=(), folder=None):
    """What `dualres` answers with such plugins."""
    return subprocess.run(
        [sys.executable, "-m", "dualres.cli", *map(str, arguments)],
        env=os.environ | environment(plugins) | {"COLUMNS": "160"},
        capture_output=True,
        text=True,
        cwd=folder,
    )
