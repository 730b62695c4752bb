"""The exported folder as its user finds it: made, run here, and on emulated devices."""

import os
import re
import shutil
import subprocess

import numpy as np
import pytest

from dualres import diagnose_recording
from dualres.export.c99 import write_c99
from dualres.export.compiler import AS_MADE, SOURCES, STRICT, compile_objects
from dualres.recordings.recording import Recording
from tests.export.conftest import CLASSES, machine, made_model
from tests.kernel.symbols import defined
from tests.variants import also

RIGHT = "as exported"


def needs(program, package):
    if not shutil.which(program):
        pytest.skip(f"{program} is not here; it is part of Debian's {package}")


def make(folder, *words):
    """The lines that `make` prints; it has to succeed, and its compilers have nothing to remark."""
    needs("make", "make")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(["make", "-s", "-C", folder, *words], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


def altered(folder, to, name, change):
    """A copy of an export, one of whose files is changed, and which its own check therefore refuses."""
    copy = shutil.copytree(folder, to / "board", ignore=shutil.ignore_patterns("build"))
    (copy / name).write_text(change((copy / name).read_text()))
    done = subprocess.run(["make", "-C", copy, "check"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "NOT as exported" in done.stdout
    return done.stdout


SEVERAL = ("paper members", "views members", "paper apart", "views shared")
BOTH = ("INT16=1", "LANES=4")
BUILDS = [
    *[("paper", ()), ("views", BOTH)],
    *also(*(("paper", options) for options in (("LANES=4",), ("INT16=1",), BOTH))),
    *also(*(("views", options) for options in ((), ("LANES=4",), ("INT16=1",)))),
    *also(*((which, BOTH) for which in SEVERAL), ("paper apart", ()), ("views shared", ())),
    *also(("orders", BOTH), ("orders", ()), ("orders apart", BOTH), ("orders search", BOTH), ("orders search", ())),
    *also(("orders search members", ("LANES=4",))),
]
SANITIZED = [
    ("paper apart", True),
    *also(("paper", True), ("views", True), ("views shared", True)),
    *also(*((which, False) for which in ("paper", "views", *SEVERAL))),
    *also(*((which, False) for which in ("orders", "orders search", "orders search members"))),
]
HEADS = [("paper", "head"), *also(("views", "head"), ("paper members", "head_2"), ("views members", "head_1"))]


@pytest.mark.parametrize(("which", "options"), BUILDS, ids=str)
def test_make_check(board, which, options):
    if "LANES=4" in options and os.uname().machine not in ("x86_64", "aarch64"):
        pytest.skip("there are no four lanes on this processor")
    assert RIGHT in make(board(which).folder, "check", *options)


@pytest.mark.parametrize(("which", "int16"), SANITIZED)
def test_it_runs_clean_under_sanitizers(board, tmp_path, which, int16):
    folder, program = board(which, 12_800, int16).folder, tmp_path / "check"
    sanitize = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    sources = [folder / name for name in ("check.c", *SOURCES)]
    subprocess.run(["cc", *STRICT, *sanitize, *sources, "-lm", "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


@pytest.mark.parametrize(("which", "name"), HEADS)
def test_the_check_notices_other_constants(board, tmp_path, which, name):
    def other_head(text):
        return re.sub(rf"({name}\[\] = {{)[^,]+", r"\g<1>0x1p+9f", text, count=1)

    altered(board(which).folder, tmp_path, "dualres_model.c", other_head)


def test_make_size(exported):
    assert re.match(r"\s*\d+\s+0\s+0\s", make(exported(12_800).folder, "size")[1])


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_the_example_says_what_python_says(exported, model, binary):
    folder, signal = exported(12_800).folder, machine(1.4, 12_800, seed=5)
    make(folder, "example")
    given = signal.tobytes() if binary else "\n".join(map(repr, signal.tolist())).encode()
    command = [folder / "build" / "example", *(["--binary"] if binary else [])]
    said = subprocess.run(command, input=given, capture_output=True, check=True).stdout.decode()
    verdict = diagnose_recording(model, Recording.from_array(signal, 12_800))
    assert said.startswith(f"{verdict.label} ")
    assert f"  windows {verdict.windows} " in said
    shares = [float(said.split(f" {name}=", 1)[1].split(" ", 1)[0]) for name in CLASSES]
    assert np.abs(np.array(shares) - [*verdict.probabilities.values()]).max() < 1e-4


def test_the_example_refuses_what_it_cannot_judge(exported):
    folder = exported(12_800).folder
    make(folder, "example")
    for given, status, message in (
        (b"1 2 three", 2, b"no number"),
        (b"1 2 3", 1, b"too short"),
        (b"", 1, b"too short"),
    ):
        done = subprocess.run([folder / "build" / "example"], input=given, capture_output=True)
        assert done.returncode == status
        assert message in done.stderr


@pytest.mark.device
@pytest.mark.parametrize("which", ["paper", "views", "orders", "orders search"])
@pytest.mark.parametrize("lanes", [1, 4])
def test_on_64_bit_arm(board, which, lanes):
    assert RIGHT in make_for_arm(board(which).folder, lanes)


def make_for_arm(folder, lanes):
    needs("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")
    needs("qemu-aarch64", "qemu-user")
    return make(folder, "check", f"LANES={lanes}", "CROSS=aarch64-linux-gnu-", "LDFLAGS=-static", "RUN=qemu-aarch64")


@pytest.mark.device
@pytest.mark.parametrize("classes", [2, 13])
def test_64_bit_arm_takes_the_check_for_any_number_of_classes(no_compiler, tmp_path, classes):
    needs("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")
    folder = write_c99(made_model(classes=tuple(map(str, range(classes)))), tmp_path / "board", unchecked=True).folder
    make(folder, "CROSS=aarch64-linux-gnu-", "build/aarch64-linux-gnu-1/check.o")


def make_for_cortex_m(folder, *options):
    needs("arm-none-eabi-gcc", "gcc-arm-none-eabi")
    needs("qemu-system-arm", "qemu-system-arm")
    return make(folder / "cortex-m", "check", *options)


@pytest.mark.device
@pytest.mark.parametrize(
    ("which", "options", "flash_kb"),
    [("paper", (), 320), ("paper", ("CPU=m7", "INT16=1"), 320), ("views", (), 350), ("orders", (), 450)],
    ids=["m4", "m7-int16", "views", "orders"],
)
def test_on_a_cortex_m(board, which, options, flash_kb):
    assert RIGHT in make_for_cortex_m(board(which).folder, *options)
    folder = board(which).folder / "cortex-m"
    counted = "".join(make(folder, "count", *options))
    instructions = 40 * int(re.search(r"(\d+) ticks", counted)[1])
    stack = int(re.search(r"stack: (\d+) bytes", counted)[1])
    flash, data, zeroed = map(int, make(folder, "size", *options)[-1].split()[:3])
    print(f"{instructions} instructions, {stack} bytes of stack, {flash + data} of flash, {data + zeroed} of RAM")
    assert which != "paper" or instructions < 150e6
    assert stack < 2048
    assert flash + data < flash_kb * 1024
    assert data + zeroed < (96 if "INT16=1" in options else 160) * 1024


@pytest.mark.device
def test_several_networks_and_axes_on_a_cortex_m(board):
    assert RIGHT in make_for_cortex_m(board("paper members").folder)
    folder = board("views shared", 12_800, int16=True).folder
    assert RIGHT in make_for_cortex_m(folder, "CPU=m7")
    assert re.search(r"stack: \d+ bytes", "".join(make(folder / "cortex-m", "count", "CPU=m7")))
    # Two windows of floats take more RAM than a small device has.
    for which in ("views shared", "orders search"):
        assert RIGHT in make_for_cortex_m(board(which).folder, "RAM=512K")


@pytest.mark.parametrize("source", ["dualres.c", *also(("dualres_model.c",), ("check.c",), ("example.c",))])
def test_options_that_take_nan_away_are_refused(exported, compiler, source):
    command = [compiler, *STRICT, "-fsyntax-only", exported(12_800).folder / source]
    assert subprocess.run(command).returncode == 0
    for flag in ("-ffast-math", "-ffinite-math-only", "-Ofast"):
        done = subprocess.run([*command, flag], capture_output=True, text=True)
        assert done.returncode != 0
        assert "DualRes needs NaN and exact rounding: compile it without -ffast-math" in done.stderr


@pytest.mark.parametrize("rate", [12_800, *also((64_000,))])
def test_every_name_that_a_program_links_begins_with_the_prefix(exported, compiler, tmp_path, rate):
    objects = compile_objects(exported(rate).folder, [compiler], tmp_path / "objects", AS_MADE[False])
    names = defined(objects[0], "-g") + defined(objects[1], "-g")
    assert {"dualres_init", "dualres_push", "dualres_verdict", "dualres_names"} <= {*names}
    assert all(name.startswith("dualres_") for name in names), names
