"""Exports of models of several axes: frames in, one verdict out, against Python's of the whole recording."""

import ctypes
import subprocess
from fractions import Fraction

import numpy as np
import pytest

from dualres import diagnose_recording
from dualres.errors import ConfigError, ExportError
from dualres.export.c99 import write_c99
from dualres.export.device_network import PAPER_DEVICE, device_of
from dualres.export.rates import ratio_for, working_memory
from dualres.recordings.recording import Recording
from tests.export.conftest import AXES, CLASSES, WINDOW, made_model, model_called
from tests.export.test_device import altered, make
from tests.export.test_verdicts import signals
from tests.variants import also

APART = ("paper apart", "paper shared", "views apart", "views shared")


@pytest.mark.parametrize("rate", [12_800, *also((64_000,))])
def test_it_does_not_matter_how_frames_are_cut(library_of, rate):
    given, one = signals(model_called("paper apart"), 0.9, rate).T, library_of("paper apart", rate)
    at_once = one.judge(given)
    one.begin()
    one.push(given, piece=777)
    one.end()
    assert [*one.verdict().probabilities] == [*at_once.probabilities]
    assert one.verdict().windows == at_once.windows == 2


@pytest.mark.parametrize("rate", [12_800, *also((64_000,))])
def test_a_frame_that_is_not_finite_ends_the_stretch_of_all_axes_and_counts_once(library_of, rate):
    given, one = signals(model_called("paper apart"), 1.5, rate).T.copy(), library_of("paper apart", rate)
    clean = one.judge(given[2000:])
    given[500, 0], given[1999, 1:] = np.nan, np.inf
    result = one.judge(given)
    assert result.refused == 2
    assert result.windows == clean.windows
    assert [*result.probabilities] == [*clean.probabilities]


@pytest.mark.parametrize("which", ["paper apart", *also(*((which,) for which in APART[1:]))])
def test_memory_is_measured_and_the_frame_is_described(board, which):
    one, model = board(which), model_called(which)
    axes = len(model.card.channels)
    check = one.checks[0]
    assert check.window == axes * 4 * WINDOW
    assert check.state - check.window == working_memory(Fraction(5), len(CLASSES), device_of(model), axes)
    readme = (one.folder / "README.md").read_text()
    assert f"{check.window} bytes of window" in readme
    assert f"a sample of each of {axes} axes" in readme
    assert "x, radial" in readme
    assert f"A window takes {model.card.passes} times as long" in readme
    assert ("networks of its own" in readme) == (model.card.axes == "apart")
    named = [line for line in check.lines if line.startswith("network")]
    assert len(named) == (2 * model.card.networks if model.card.networks > 1 else 0)


def test_names_of_axes_are_what_they_were(library_of):
    library = library_of("paper apart", 12_800).library
    names = (ctypes.c_char_p * len(AXES)).in_dll(library, "dualres_axes")
    assert tuple(name.decode() for name in names) == AXES


def test_a_name_that_c_does_not_take(tmp_path):
    with pytest.raises(ExportError, match=r"axis nul.*bytes in UTF-8"):
        write_c99(made_model(channels=("x", "nul\0"), axes="shared"), tmp_path / "a")
    assert not list(tmp_path.iterdir())


def test_memory_that_all_axes_take_together_is_refused():
    assert ratio_for(made_model(), Fraction(2_000_000))
    with pytest.raises(ConfigError, match=r"8 classes on 3 axes at 2000000 Hz take \d+ bytes"):
        ratio_for(model_called("paper apart"), Fraction(2_000_000))
    assert working_memory(Fraction(1), 8, PAPER_DEVICE, 3) == working_memory(Fraction(1), 8, PAPER_DEVICE)


def test_the_check_notices_axes_in_another_order(board, tmp_path):
    def other_order(text):
        return text.replace("STREAM_SAMPLES, a)", "STREAM_SAMPLES, DUALRES_AXES - 1 - a)")

    said = altered(board("paper apart").folder, tmp_path, "check.c", other_order)
    assert "network 2, window 1: class" in said


def test_the_example_reads_frames(board):
    folder, model = board("paper apart").folder, model_called("paper apart")
    given = signals(model, 1.4, 12_800)
    make(folder, "example")
    command = [folder / "build" / "example"]
    text = "\n".join(" ".join(map(repr, frame)) for frame in given.T.tolist()).encode()
    said = subprocess.run(command, input=text, capture_output=True, check=True).stdout.decode()
    recording = Recording.from_axes(dict(zip(AXES, given, strict=True)), 12_800)
    verdict = diagnose_recording(model, recording)
    assert said.startswith(f"{verdict.label} ")
    assert float(said.split(f" {CLASSES[0]}=", 1)[1].split(" ", 1)[0]) == pytest.approx(
        verdict.probabilities[CLASSES[0]], abs=1e-3
    )
    done = subprocess.run(command, input=b"1 2 3 4 5", capture_output=True)
    assert (done.returncode, b"one of each of 3 axes makes a frame" in done.stderr) == (2, True)
