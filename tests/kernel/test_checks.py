"""What the compiler refuses: options that break the arithmetic."""

import platform
import shutil
import subprocess
import sysconfig
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["ext-modules"][0]
X86_ONLY = ("avx2.c", "avx512.c")  # empty elsewhere

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler here")


def compiled(source, *flags):
    """What `cc` says of a source, with the library's own options and further ones."""
    include = ["-I", sysconfig.get_paths()["include"]]
    command = ["cc", "-fsyntax-only", *SETTINGS["extra-compile-args"], *include, *flags, ROOT / source]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("source", SETTINGS["sources"], ids=lambda source: Path(source).name)
def test_options_that_take_nan_away_are_refused(source):
    name = Path(source).name
    if name in X86_ONLY and platform.machine() != "x86_64":
        pytest.skip("this source is for x86-64")
    plain = compiled(source)
    if "Python.h" in plain.stderr:
        pytest.skip("Python's headers are not here")
    assert plain.returncode == 0, plain.stderr
    for flag in ("-ffast-math", "-ffinite-math-only", "-Ofast"):
        done = compiled(source, flag)
        assert done.returncode != 0
        assert "DualRes needs NaN and exact rounding: compile it without -ffast-math" in done.stderr
