"""The symbols of compiled code."""

import shutil
import subprocess

import pytest


def defined(file, *options):
    """The global symbols that a library or an object defines, by nm with these options."""
    if not shutil.which("nm"):
        pytest.skip("nm is not here; it is part of Debian's binutils")
    said = subprocess.run(["nm", *options, "--defined-only", file], capture_output=True, text=True, check=True).stdout
    return [line.split()[-1] for line in said.splitlines()]
