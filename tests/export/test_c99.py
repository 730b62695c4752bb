"""The exported C, compiled and called, against Python."""

import ctypes
import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dualres.config import HELD, ModelConfig
from dualres.errors import ConfigError, ExportError, OutputError
from dualres.export import sources
from dualres.export.c99 import write_c99
from dualres.export.test_vectors import as_counts, logits_of
from dualres.recordings.resample import resample
from dualres.utils.printable import printable
from tests.export.conftest import CLASSES, ODD_WINDOWS, WINDOW, machine, made_comparator, made_model
from tests.variants import also

RATES = (12_800, *also((48_000,), ("200000/3",)))  # 5/1, 4/3, 24/25


@pytest.mark.parametrize("name", ODD_WINDOWS)
def test_odd_windows_give_python_s_logits(device, model, name):
    window = ODD_WINDOWS[name]
    wanted = logits_of(model, window[None])[0]
    assert np.abs(device(64_000).logits(window) - wanted).max() < 1e-5 * max(1, np.abs(wanted).max())


@pytest.mark.parametrize(
    "window",
    [
        8000 * machine(0.512, 64_000),
        20 * machine(0.512, 64_000),
        30_000 + 500 * machine(0.512, 64_000),
        np.where(np.arange(WINDOW) % 50 < 25, 32_767, -32_768),
        np.zeros(WINDOW),
    ],
    ids=["loud", "quiet", "offset", "full scale", "silent"],
)
def test_counts_give_python_s_logits(device, model, window):
    counts = as_counts(window)
    wanted = logits_of(model, counts[None])[0]
    assert np.abs(device(64_000, int16=True).logits(counts) - wanted).max() < 1e-5 * max(1, np.abs(wanted).max())


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("seconds", [0.0003, 0.01, 0.4])
def test_the_resampler_is_python_s(device, rate, seconds):
    signal = machine(seconds, rate) if seconds > 0.01 else np.arange(int(seconds * Fraction(rate)), dtype=np.float32)
    signal += 3.0
    wanted = resample(signal, Fraction(rate), 64_000, HELD)
    board = device(rate)
    board.push(signal)
    board.end()
    assert np.abs(board.window(len(wanted)) - wanted).max() < 2e-6 * np.abs(wanted).max()


@pytest.mark.parametrize("rate", [64_000, *RATES])
def test_a_recording_has_as_many_windows_as_in_python(device, rate):
    least = math.floor((WINDOW - 1) * Fraction(rate) / 64_000) + 1  # samples that make a window at 64 kHz
    signal, board = machine(0.6, rate), device(rate)
    assert len(resample(signal[:least], Fraction(rate), 64_000)) >= WINDOW
    assert board.judge(signal[:least]).windows == 1
    assert board.judge(signal[: least - 1]).windows == 0


@pytest.mark.parametrize("rate", [64_000, 12_800])
def test_a_verdict_may_rest_on_several_recordings(device, rate):
    parts, board = [machine(0.8, rate, seed) for seed in (3, 4)], device(rate)
    alone = [np.array(board.judge(part).probabilities) for part in parts]
    board.begin()
    for part in parts:
        board.push(part)
        board.end()
        board.end()  # once more does no harm
    assert board.verdict().windows == 4
    assert np.allclose(board.verdict().probabilities, np.mean(alone, axis=0), atol=1e-12)


def test_resampled_counts_are_rounded_and_clipped(device):
    signal = np.where(np.arange(600) % 40 < 20, 32_767, -32_768).astype(np.float32)
    board = device(12_800, int16=True)
    board.push(signal)
    board.end()
    wanted = as_counts(resample(signal, Fraction(12_800), 64_000, HELD))
    got = board.window(len(wanted))
    assert got.max() == 32_767
    assert np.abs(got - wanted).max() <= 1


@settings(max_examples=12, deadline=None)
@given(pieces=st.lists(st.integers(0, 9000), min_size=1, max_size=8), rate=st.sampled_from([64_000, 12_800]))
def test_it_does_not_matter_how_samples_are_cut(device, pieces, rate):
    signal = machine(0.9, rate)
    at_once = device(rate).judge(signal)
    board = device(rate)
    places = np.minimum(np.cumsum(pieces), len(signal))
    for part in np.split(signal, places):
        board.push(part)
    board.end()
    assert [*board.verdict().probabilities] == [*at_once.probabilities]
    assert board.verdict().windows == at_once.windows == 2


def test_a_verdict_can_be_read_at_any_time(device):
    board, signal = device(64_000), machine(1.1, 64_000)
    seen = []
    for part in np.array_split(signal, 25):
        result = board.verdict()
        assert (result.label is None) == (result.best == -1) == (result.windows == 0)
        assert sum(result.probabilities) == pytest.approx(min(1, result.windows))
        seen.append(result.windows)
        board.push(part)
    assert seen == sorted(seen)
    assert board.verdict().windows == 3
    board.begin()
    assert board.verdict().windows == 0


@pytest.mark.parametrize("rate", [64_000, 12_800])
def test_a_sample_that_is_not_finite_begins_the_windows_anew(device, rate):
    signal, board = machine(1.5, rate), device(rate)
    clean = board.judge(signal[2000:])
    signal[[500, 1998, 1999]] = np.nan, np.inf, -np.inf
    result = board.judge(signal)
    assert result.refused == 3
    assert result.windows == clean.windows
    assert [*result.probabilities] == [*clean.probabilities]


@pytest.mark.parametrize("rate", [12_800, *also((96_000,))])
def test_samples_beyond_what_float32_can_be_computed_with_give_no_verdict(device, rate):
    board, signal = device(rate), machine(1.5, rate)
    huge = np.where(np.arange(len(signal)) % 7 < 3, np.float32(3.3e38), np.float32(-3.3e38))
    result = board.judge(huge)
    assert (result.label, result.best, result.windows, result.refused) == (None, -1, 0, 0)
    assert result.unjudged > 0
    assert [*result.probabilities] == [0.0] * len(CLASSES)
    board.begin()
    clean = board.judge(signal)
    assert clean.unjudged == 0
    board.push(huge)
    after = board.verdict()
    assert [*after.probabilities] == [*clean.probabilities]
    assert (after.windows, after.refused) == (clean.windows, 0)
    assert after.unjudged > 0


def test_the_largest_floats_are_judged_where_no_filter_adds_them_up(device):
    board, signal = device(64_000), machine(1.5, 64_000)
    huge = (signal / np.abs(signal).max() * 3.3e38).astype(np.float32)
    loud = [*board.judge(huge).probabilities]
    board.begin()
    np.testing.assert_allclose(loud, [*board.judge(signal).probabilities], atol=1e-4)


def test_names_are_what_they_were(device):
    names = (ctypes.c_char_p * len(CLASSES)).in_dll(device(64_000).library, "dualres_names")
    assert tuple(name.decode() for name in names) == CLASSES


def test_there_are_three_functions_one_that_is_told_the_speed_two_that_say_how_sure_and_a_card(exported, model):
    folder = exported(12_800).folder
    header = re.sub(r"/\*.*?\*/", "", (folder / "dualres.h").read_text(), flags=re.DOTALL)
    told = ["dualres_init", "dualres_set_speed", "dualres_push"]
    said = ["dualres_verdict", "dualres_in_set", "dualres_named", "dualres_unlike"]
    alarms = [f"dualres_alarm_{name}" for name in ("init", "push", "block", "evidence")]  # only where one was asked for
    functions = [*told, *said, *alarms]
    assert re.findall(r"(\w+)\([^()]*\);", header) == functions
    card = json.loads((folder / "card.json").read_text())
    assert tuple(card["classes"]) == model.classes
    assert card["exposure_s"]["healthy"] == 6.144


def test_memory_is_measured_and_stated(exported):
    for one, windows in ((exported(12_800), (4, 2)), (exported(12_800, int16=True), (2,))):
        assert [each.window for each in one.checks] == [size * WINDOW for size in windows]
        assert 160_000 < one.flash[0].bytes < 256_000
        readme = (one.folder / "README.md").read_text()
        assert f"{one.flash[0].bytes} bytes" in readme
        for each in one.checks:
            assert f"RAM with {each.build}: {each.window} bytes of window" in readme


def test_it_says_which_builds_were_checked(exported):
    by_floats, by_counts = (exported(12_800, int16) for int16 in (False, True))
    assert "builds with float samples and int16_t samples, one lane" in (by_floats.folder / "README.md").read_text()
    assert "builds with int16_t samples, one lane" in (by_counts.folder / "README.md").read_text()


def test_classes_are_named_so_that_nobody_is_confused(exported):
    (first, *_, last), _ = (each.lines for each in exported(12_800).checks)
    found = re.fullmatch(r"window 0: class (\d) \((.*)\), logits off by \S+", first)
    assert found[2] == printable(CLASSES[int(found[1])])
    assert last == "as exported"


def test_what_disagrees_is_not_handed_over(model, compiler, tmp_path, monkeypatch):
    ((constants, head),) = sources.packed_for_c(model)
    monkeypatch.setattr(sources, "packed_for_c", lambda model: [(constants, head + np.float32(1e-3))])
    with pytest.raises(ExportError, match="NOT as exported"):
        write_c99(model, tmp_path / "new" / "board")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_no_export_is_left_alone(model, no_compiler, tmp_path):
    (tmp_path / "example.c").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(OutputError, match=r"no earlier export \(dualres_model.h and card.json\)"):
            write_c99(model, tmp_path, overwrite=overwrite, unchecked=True)
    with pytest.raises(OutputError, match="is a file"):
        write_c99(model, tmp_path / "example.c", unchecked=True)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("example.c", "mine")]


def test_an_earlier_export_is_replaced_with_all_that_it_had(model, no_compiler, tmp_path):
    board = write_c99(model, tmp_path / "board", unchecked=True).folder
    (board / "mine.txt").write_text("mine")
    (board / "kernel" / "older.h").write_text("no longer needed")
    (tmp_path / "outside").write_text("not the export's")
    with (board / "files.txt").open("a") as listed:
        listed.write(f"kernel/older.h\n../outside\n{tmp_path / 'outside'}\n")
    with pytest.raises(OutputError, match="--overwrite"):
        write_c99(model, board, unchecked=True)
    write_c99(model, board, 12_800, overwrite=True, unchecked=True)
    assert "#define DUALRES_UP 5" in (board / "dualres_model.h").read_text()
    assert (board / "mine.txt").read_text() == "mine"
    assert not (board / "kernel" / "older.h").exists()
    assert (tmp_path / "outside").exists()
    files = {p.relative_to(board).as_posix() for p in board.rglob("*") if p.is_file()}
    assert set((board / "files.txt").read_text().splitlines()) == files - {"mine.txt"}


@pytest.mark.parametrize("way", [".", "link"])
def test_an_empty_folder_is_filled_whatever_way_it_is_named(model, no_compiler, tmp_path, monkeypatch, way):
    folder = tmp_path / "there"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(folder if way == "." else tmp_path)
    write_c99(model, way, unchecked=True)
    assert (folder / "kernel" / "windows.c").is_file()
    assert (tmp_path / "link").is_symlink()


def test_without_a_compiler_it_has_to_be_asked_for(model, no_compiler, tmp_path):
    with pytest.raises(ExportError, match="--unchecked"):
        write_c99(model, tmp_path / "board")
    assert not (tmp_path / "board").exists()
    result = write_c99(model, tmp_path / "board", unchecked=True)
    assert result.checks == ()
    assert "not checked when exported" in (tmp_path / "board" / "README.md").read_text()


@pytest.mark.parametrize("name", ["x" * 4096, "ü" * 2048, "nul\0"], ids=["long", "long in UTF-8", "zero"])
def test_names_that_c_does_not_take(no_compiler, tmp_path, name):
    with pytest.raises(ExportError, match=r"class .*bytes in UTF-8"):
        write_c99(made_model(classes=("good", name)), tmp_path / "a", unchecked=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.exhaustive
def test_the_longest_name_is_compiled(compiler, tmp_path):
    assert write_c99(made_model(classes=("good", "ü" * 2047 + "x")), tmp_path / "a").checks


@pytest.mark.exhaustive
def test_a_model_without_memory_can_be_exported(compiler, tmp_path):
    assert write_c99(made_model(ModelConfig(memory=False)), tmp_path / "a").checks


def test_models_that_cannot_work(small, tmp_path):
    with pytest.raises(ConfigError, match=r"window=256 \(32768\)"):
        write_c99(made_model(small), tmp_path / "a")
    with pytest.raises(ConfigError, match=r"only DualRes networks .* the method minirocket"):
        write_c99(made_comparator(), tmp_path / "a")
    assert not list(tmp_path.iterdir())
