"""What is exported of a network of views: compiled, called, and made where a device's folder is."""

import shutil
import subprocess
from fractions import Fraction

import numpy as np
import pytest

from dualres import diagnose_recording
from dualres.errors import ConfigError, ExportError
from dualres.export.c99 import write_c99
from dualres.export.network_kinds import PAPER, VIEWS, kind_of
from dualres.export.rates import ratio_for, working_memory
from dualres.export.test_vectors import as_counts, logits_of
from dualres.recordings.recording import Recording
from tests.export.conftest import CLASSES, ODD_WINDOWS, Device, machine
from tests.export.test_device import RIGHT, make, needs
from tests.model.made_views import machine_windows

TOLERANCE = 1e-4  # of the largest logit, or of one
LEFT_BY_ROUNDING = 1e-3  # where float32 leaves a little in every band of a pure signal, which modulation sees


@pytest.fixture(scope="module")
def device(exported_views):
    return Device(exported_views(64_000), score="dualres_views")


def assert_says(said, wanted, tolerance=TOLERANCE):
    assert np.abs(said - wanted).max() < tolerance * max(1, np.abs(wanted).max())


def test_models_are_told_apart(model, views_model):
    assert (kind_of(model), kind_of(views_model)) == (PAPER, VIEWS)


def test_windows_like_those_learned_from_give_python_s_logits(device, views_model):
    windows = machine_windows(1, len(CLASSES), seed=3)
    wanted = logits_of(views_model, windows)
    assert wanted.argmax(1).tolist() == [*range(len(CLASSES))]
    for window, row in zip(windows, wanted, strict=True):
        assert_says(device.logits(window), row)


@pytest.mark.parametrize("name", ODD_WINDOWS)
def test_odd_windows_give_python_s_logits(device, views_model, name):
    window = ODD_WINDOWS[name]
    assert_says(device.logits(window), logits_of(views_model, window[None])[0], LEFT_BY_ROUNDING)


def test_counts_give_python_s_logits(exported_views, views_model):
    counts = as_counts(300 * machine_windows(1) + 5000)
    device = Device(exported_views(64_000, int16=True), int16=True, score="dualres_views")
    for window, row in zip(counts, logits_of(views_model, counts), strict=True):
        assert_says(device.logits(window), row)


@pytest.mark.parametrize("rate", [64_000, 12_800, "200000/3"])
def test_the_verdict_is_python_s_and_memory_as_stated(exported_views, views_model, rate):
    signal = machine(1.7, rate, seed=1)
    verdict = diagnose_recording(views_model, Recording.from_array(signal, rate))
    result = Device(exported_views(rate), score="dualres_views").judge(signal)
    assert result.windows == verdict.windows == 5
    assert np.abs(np.array(result.probabilities) - [*verdict.probabilities.values()]).max() < 1e-3
    check = exported_views(rate).checks[0]
    needed = working_memory(64_000 / Fraction(rate), len(CLASSES), VIEWS)
    assert check.state - check.window == needed <= VIEWS.working_memory == 32 * 1024


def test_more_memory_than_a_device_has_is_refused(views_model):
    with pytest.raises(ConfigError, match="of 32768; sample at a lower rate"):
        ratio_for(views_model, Fraction(64_000_000))


@pytest.mark.parametrize("options", [(), ("LANES=4",), ("INT16=1",), ("INT16=1", "LANES=4")], ids="-".join)
def test_make_check(exported_views, options):
    assert RIGHT in make(exported_views(12_800).folder, "check", *options)


@pytest.mark.device
@pytest.mark.parametrize("lanes", [1, 4])
def test_on_64_bit_arm(exported_views, lanes):
    needs("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")
    needs("qemu-aarch64", "qemu-user")
    options = (f"LANES={lanes}", "CROSS=aarch64-linux-gnu-", "LDFLAGS=-static", "RUN=qemu-aarch64")
    assert RIGHT in make(exported_views(12_800).folder, "check", *options)


@pytest.mark.device
def test_on_a_cortex_m4(exported_views):
    needs("arm-none-eabi-gcc", "gcc-arm-none-eabi")
    needs("qemu-system-arm", "qemu-system-arm")
    folder = exported_views(12_800).folder / "cortex-m"
    assert RIGHT in make(folder, "check")
    flash, data, zeroed = map(int, make(folder, "size")[-1].split()[:3])
    assert flash + data < 350 * 1024
    assert data + zeroed < 160 * 1024


def test_the_check_notices_another_head(exported_views, tmp_path):
    folder = shutil.copytree(exported_views(12_800).folder, tmp_path / "board", ignore=shutil.ignore_patterns("build"))
    source = folder / "dualres_model.c"
    content = source.read_text()
    first = content.index("head[] = {") + 10
    source.write_text(content[:first] + "0x1p+9f, " + content[content.index(",", first) + 1 :])
    done = subprocess.run(["make", "-C", folder, "check"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "NOT as exported" in done.stdout


def test_one_kind_replaces_the_other(model, views_model, no_compiler, tmp_path):
    folder = write_c99(model, tmp_path / "board", unchecked=True).folder
    assert (folder / "kernel" / "windows.c").is_file()
    write_c99(views_model, folder, unchecked=True, overwrite=True)
    kept = {path.name for path in (folder / "kernel").iterdir()}
    assert {"views.c", "views.h", "fft.h"} <= kept
    assert not {"windows.c", "memory.h"} & kept
    with pytest.raises(ExportError, match="--unchecked"):
        write_c99(views_model, folder, overwrite=True)
