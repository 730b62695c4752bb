"""What is exported of a network of views: compiled, called, and made where a device's folder is."""

from fractions import Fraction

import numpy as np
import pytest

from dualres.errors import ConfigError, ExportError
from dualres.export.c99 import write_c99
from dualres.export.device_network import PAPER_DEVICE, VIEWS_DEVICE, device_of
from dualres.export.rates import ratio_for
from dualres.export.test_vectors import as_counts, logits_of
from tests.export.conftest import CLASSES, ODD_WINDOWS
from tests.model.made_views import machine_windows

TOLERANCE = 1e-4  # of the largest logit, or of one
LEFT_BY_ROUNDING = 1e-3  # where float32 leaves a little in every band of a pure signal, which modulation sees


@pytest.fixture(scope="module")
def device(library_of):
    return library_of("views", 64_000)


def assert_says(said, wanted, tolerance=TOLERANCE):
    assert np.abs(said - wanted).max() < tolerance * max(1, np.abs(wanted).max())


def test_models_are_told_apart(model, views_model):
    assert (device_of(model), device_of(views_model)) == (PAPER_DEVICE, VIEWS_DEVICE)


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


def test_counts_give_python_s_logits(library_of, views_model):
    counts = as_counts(300 * machine_windows(1) + 5000)
    device = library_of("views", 64_000, int16=True)
    for window, row in zip(counts, logits_of(views_model, counts), strict=True):
        assert_says(device.logits(window), row)


def test_more_memory_than_a_device_has_is_refused(views_model):
    with pytest.raises(ConfigError, match="of 32768; sample at a lower rate"):
        ratio_for(views_model, Fraction(64_000_000))


def test_one_kind_replaces_the_other(model, views_model, no_compiler, tmp_path):
    folder = write_c99(model, tmp_path / "board", unchecked=True).folder
    assert (folder / "kernel" / "windows.c").is_file()
    write_c99(views_model, folder, unchecked=True, overwrite=True)
    kept = {path.name for path in (folder / "kernel").iterdir()}
    assert {"views.c", "views.h", "fft.h"} <= kept
    assert not {"windows.c", "memory.h"} & kept
    with pytest.raises(ExportError, match="--unchecked"):
        write_c99(views_model, folder, overwrite=True)
