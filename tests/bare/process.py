"""A process to which the libraries of all extras are hidden."""

import os
import subprocess
import sys
from pathlib import Path

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
SEARCH = os.pathsep.join([str(HERE), str(ROOT / "src"), str(ROOT)])  # sitecustomize.py hides, also in child processes


def bare(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Python with these arguments, to its end."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": SEARCH} | settings,
    )


def started(*arguments: str) -> subprocess.Popen[str]:
    """Python with these arguments, while it runs."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": SEARCH},
    )
