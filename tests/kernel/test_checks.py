"""What the compiler refuses: options that break the arithmetic, and sizes that the code was not written for."""

import platform
import shutil
import subprocess
import sysconfig
import tomllib
from pathlib import Path

import pytest

from tests.variants import also

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["ext-modules"][0]
SOURCES = SETTINGS["sources"]
X86_ONLY = ("avx2.c", "avx512.c")  # empty elsewhere

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler here")


def compiled(source, *flags):
    """What `cc` says of a source, with the library's own options and further ones."""
    include = ["-I", sysconfig.get_paths()["include"]]
    command = ["cc", "-fsyntax-only", *SETTINGS["extra-compile-args"], *include, *flags, ROOT / source]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("source", [*SOURCES[-1:], *also(*((one,) for one in SOURCES[:-1]))])
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


@pytest.mark.exhaustive
@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="one lane fits many sizes")
@pytest.mark.parametrize(
    ("size", "other", "broken"),
    [
        ("DUALRES_STATES = 8", "DUALRES_STATES = 4", "readout_scale_is_of_8_states"),
        ("DUALRES_LONG = 1024", "DUALRES_LONG = 2048", "tables_are_of_ffts_of_256_and_1024"),
        ("DUALRES_HOP = 128", "DUALRES_HOP = 64", "first_stages_take_a_hop_of_each_part"),
        ("DUALRES_HOP = 128", "DUALRES_HOP = 96", "windows_are_whole_hops"),
        ("DUALRES_WIDTH = 64", "DUALRES_WIDTH = 24", "dense_fills_vectors_with_features"),
        ("DUALRES_WIDTH = 64", "DUALRES_WIDTH = 72", "scratch_is_as_stated"),
        ("DUALRES_TURN = 16", "DUALRES_TURN = 6", "coordinates_begin_anew_between_blocks"),
        ("WIDTH_STEP = 64", "WIDTH_STEP = 12", "widths_are_walked_without_a_rest"),
        ("DUALRES_LINE_BANDS = 50", "DUALRES_LINE_BANDS = 500", "views_scratch_is_as_stated"),
        ("TOGETHER = 4", "TOGETHER = 8", "loops_over_a_group_unroll"),
    ],
)
def test_sizes_that_constants_do_not_fit_are_refused(tmp_path, size, other, broken):
    kernel = ROOT / "src/dualres/kernel"
    for path in kernel.glob("*.[ch]"):
        (tmp_path / path.name).write_text(path.read_text().replace(size, other))
    assert any(size in path.read_text() for path in kernel.glob("*.[ch]"))
    done = compiled(tmp_path / "baseline.c")
    assert done.returncode != 0
    assert f"dualres_assert_{broken}" in done.stderr
