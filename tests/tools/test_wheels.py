"""What `make wheels` relies on: a package that is complete, an audit that refuses, and a check that notices."""

import ctypes
import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from dualres.kernel import compiled
from tools.wheels import given
from tools.wheels.__main__ import table
from tools.wheels.audit import EXTENSION, AuditError, check_content, package_files, undefined
from tools.wheels.build import ROOT
from tools.wheels.compilers import OF_LIBM
from tools.wheels.trial import CHECK, TOLERANCE, TrialError, complain


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return given.make(tmp_path_factory.mktemp("given"))


def checked(models, **settings):
    """What the check says of the package on the path."""
    done = subprocess.run(
        [sys.executable, CHECK, models], env=os.environ | settings, check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


@pytest.mark.subprocess
def test_the_running_install_gives_the_golden_logits(models):
    errors = checked(models)["errors"]
    assert list(errors) == [*compiled.able(), "off"]
    assert all(error <= TOLERANCE for error in errors.values())


@pytest.fixture(scope="module")
def uncompiled(tmp_path_factory):
    """The wheel that an installation from source makes where nothing compiles."""
    source = tmp_path_factory.mktemp("source")
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("*.so", "*.egg-info", "__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", source / "dist"]
    subprocess.run([*build, source], check=True, capture_output=True, env=os.environ | {"CC": "false"})
    (wheel,) = (source / "dist").glob("*.whl")
    return wheel


@pytest.mark.subprocess
def test_one_wheel_serves_every_later_python(uncompiled):
    assert uncompiled.name.split("-")[2:4] == ["cp311", "abi3"]


@pytest.mark.subprocess
def test_every_file_of_the_package_is_in_a_wheel(uncompiled):
    with zipfile.ZipFile(uncompiled) as archive:
        assert set(package_files()) <= set(archive.namelist())


@pytest.mark.subprocess
def test_without_a_compiler_the_package_computes_all_the_same(uncompiled, models, tmp_path):
    with zipfile.ZipFile(uncompiled) as archive:
        archive.extractall(tmp_path)
    said = checked(models, PYTHONPATH=str(tmp_path))
    assert Path(said["installed_in"]) == tmp_path / "dualres"
    assert list(said["errors"]) == ["off"]
    assert said["errors"]["off"] <= TOLERANCE


@pytest.mark.subprocess
def test_a_wheel_whose_kernel_did_not_compile_is_refused(uncompiled):
    with pytest.raises(AuditError, match="compilation failed"):
        check_content(uncompiled)


def test_a_wheel_that_lacks_a_file_is_refused(tmp_path):
    wheel = tmp_path / "dualres-0-cp311-abi3-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in (EXTENSION, *package_files()):
            if name != "dualres/py.typed":
                archive.writestr(name, "")
    with pytest.raises(AuditError, match=r"lacks dualres/py\.typed;"):
        check_content(wheel)


SYMBOLS = """
     1: 0000000000000000     0 NOTYPE  WEAK   DEFAULT  UND __gmon_start__
     2: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND exp@GLIBC_2.2.5 (2)
     3: 0000000000000000     0 NOTYPE  GLOBAL DEFAULT  UND sqrtf
     4: 0000000000001139    22 FUNC    GLOBAL DEFAULT   12 dualres_interface
"""


def test_symbols_from_elsewhere_are_found():
    assert undefined(SYMBOLS) == ["exp@GLIBC_2.2.5", "sqrtf"]


@pytest.mark.skipif(compiled.variant() is None or not shutil.which("nm"), reason="needs the compiled library and nm")
@pytest.mark.skipif(sys.platform != "linux", reason="is about wheels for Linux")
def test_the_kernel_needs_no_more_of_libm_than_wheels_are_linked_with():
    library = find_spec("dualres.kernel._compiled").origin
    listed = subprocess.run(["nm", "-D", "--undefined-only", library], check=True, capture_output=True, text=True)
    symbols = [line.split() for line in listed.stdout.splitlines()]
    strong = {name.partition("@")[0] for kind, name in symbols if kind == "U" and not name.startswith("Py")}
    libc = ctypes.CDLL("libc.so.6")
    assert {name for name in strong if not hasattr(libc, name)} <= set(OF_LIBM)


SAID = {"installed_in": "/bare/lib/dualres", "compilers": [], "errors": {"baseline": 4e-6, "off": 4e-6}}


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"installed_in": "/other/dualres"}, "was tested"),
        ({"compilers": ["gcc"]}, "a compiler, gcc"),
        ({"errors": {"off": 4e-6}}, "no compiled kernel"),
        ({"errors": {"baseline": 2e-5, "off": 0.0}}, "baseline is 2.0e-05 from"),
        ({"errors": {"baseline": float("nan")}}, "baseline is nan"),
    ],
)
def test_a_wheel_that_does_something_else_is_refused(wrong, reason):
    complain(SAID, Path("/bare"), compiled=True)
    with pytest.raises(TrialError, match=reason):
        complain(SAID | wrong, Path("/bare"), compiled=True)


def test_the_table_says_what_was_not_run():
    run = {"python": "3.11.7", "errors": {"avx2": 4e-6}}
    run |= {"cold_s": 0.5, "warm_s": 0.25, "cpu_s": 0.2, "installed_mb": 99.0}
    rows = [{"platform": "here", "runs": [run]}, {"platform": "there", "runs": [], "not_run": "there is no emulator"}]
    _, first, second = table(rows).splitlines()
    assert first.split() == ["here", "3.11.7", "avx2", "4e-06", "0.5", "0.25", "0.2", "99.0"]
    assert second.endswith("not run: there is no emulator")
