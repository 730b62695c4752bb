"""Networks of orders on a device: at the speed that it is told, at none, and at the one that it finds."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.export.c99 import costs, write_c99
from dualres.export.device_network import ORDERS_DEVICE, device_of
from dualres.export.device_speed import device_search, factors_found
from dualres.export.rates import search_memory, working_memory
from dualres.export.test_vectors import logits_of, stream_shares
from dualres.judge.speed_search import near
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed
from tests.export.conftest import CLASSES, ODD_WINDOWS, TRIES, WINDOW, machine, made_orders_model, model_called
from tests.export.test_device_network import assert_says
from tests.model.made_orders import turning_machine
from tests.model.made_views import machine_windows
from tests.variants import also

RATE = 12_800
SPEEDS = (np.nan, 25.0, 7.0, 90.0, 1e-30, 1e30)  # Hz; known ones, and those at which nothing is heard


@pytest.fixture(scope="module")
def device(library_of):
    return library_of("orders", 64_000)


@pytest.fixture(scope="module")
def model():
    return model_called("orders")


def turned(hz=25.0, kind=0, seconds=1.4, seed=99):
    """Two axes of a machine, (axes, samples) at `RATE`."""
    samples = int(seconds * RATE)
    return np.stack([turning_machine(hz, kind, samples, rate=RATE, seed=seed + axis) for axis in range(2)])


def recorded(given):
    model = model_called("orders search")
    recording = Recording.from_axes(dict(zip(model.card.channels, given, strict=True)), RATE)
    return replace(recording, speedless=True)


def said(result):
    return np.array(result.probabilities)


@pytest.mark.parametrize("hz", SPEEDS)
def test_windows_give_python_s_logits_at_any_speed(device, model, hz):
    windows = np.concatenate([machine_windows(1, len(CLASSES), seed=3), [*ODD_WINDOWS.values()]])
    for window, row in zip(windows, logits_of(model, windows, np.full(len(windows), hz)), strict=True):
        assert_says(device.logits(window, hz), row)


def test_a_told_speed_is_the_one_at_which_python_judges(device, model):
    signal = machine(1.1, 64_000, seed=3)
    for hz in (0.0, 21.0, 33.0):
        windows, shares = stream_shares(model, signal, Fraction(64_000), int16=False, hz=hz)
        result = device.judge(signal, hz)
        assert result.windows == windows == 3
        assert np.abs(said(result) - shares).max() < 1e-5
    assert np.abs(said(device.judge(signal)) - shares).max() > 1e-2, "the speed makes a difference"


@pytest.mark.parametrize("hz", [np.nan, -25.0, np.inf, -np.inf])
def test_what_is_no_speed_is_not_known(device, hz):
    signal = machine(0.6, 64_000)
    assert [*device.judge(signal, hz).probabilities] == [*device.judge(signal).probabilities]


def test_a_new_stream_knows_no_speed(device):
    signal = machine(0.6, 64_000)
    wanted = [*device.judge(signal).probabilities]
    device.judge(signal, 25.0)
    device.begin()
    device.push(signal)
    assert [*device.verdict().probabilities] == wanted


def test_a_window_is_judged_at_the_speed_that_is_known_when_it_is_complete(device, model):
    signal, speeds = machine(1.1, 64_000, seed=4)[: 2 * WINDOW], (22.0, 0.0, 31.0)
    device.begin()
    quarters_before_ends = [WINDOW * (2 * number + 3) // 4 for number in range(3)]
    *parts, last = np.split(signal, quarters_before_ends)
    for part, hz in zip(parts, speeds, strict=True):
        device.push(part)
        device.set_speed(hz)
    device.push(last)
    windows = np.stack([signal[n * WINDOW // 2 :][:WINDOW] for n in range(3)])
    wanted = np.exp(logits_of(model, windows, np.array([hz or np.nan for hz in speeds]))).mean(0)
    assert device.verdict().windows == 3
    assert np.abs(said(device.verdict()) - wanted).max() < 1e-5


def test_a_network_that_has_learned_from_no_speeds_is_told_none(compiler, tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    plain = made_orders_model(("good", "worn"), labelled=False)
    folder = write_c99(plain, tmp_path / "board", unchecked=True).folder
    assert "DUALRES_FASTEST" not in (folder / "dualres_model.h").read_text()
    assert "turns a second" not in (folder / "README.md").read_text()
    with pytest.raises(ConfigError, match=r"--search 11: the model has not learned from speeds"):
        write_c99(plain, tmp_path / "other", search=11, unchecked=True)


@pytest.mark.parametrize("tries", [-3, 1, 2, 12, 103])
def test_a_search_has_a_middle_and_an_end(tmp_path, tries):
    with pytest.raises(ConfigError, match=rf"--search {tries}: give an odd number of speeds from 3 to 101"):
        write_c99(model_called("orders search"), tmp_path / "board", search=tries)


@pytest.mark.parametrize("which", ["paper", "views"])
def test_other_kinds_search_for_no_speed(tmp_path, which):
    with pytest.raises(ConfigError, match="has not learned from speeds"):
        write_c99(model_called(which), tmp_path / "board", search=11)


def test_the_tries_are_those_of_a_stated_speed():
    stated = near(Speed((30.0,)))
    assert np.array_equal(device_search(21).factors, stated.factors)
    assert np.array_equal(device_search(11).factors, stated.factors[::2])
    assert np.array_equal(device_search(11).costs, stated.costs[::2])
    assert device_search(TRIES).factors[TRIES // 2] == 1


@pytest.mark.parametrize(
    ("kind", "told", "near_to"), [(0, 24.0, 0.97), (0, 26.0, 1.009), (1, 26.0, 1.0), (1, 24.5, 0.98), (2, 25.0, 1.0)]
)
def test_the_device_finds_the_speed_that_python_finds(library_of, kind, told, near_to):
    given, model, device = turned(kind=kind), model_called("orders search"), library_of("orders search", RATE)
    result = device.judge(given.T, told)
    factors = factors_found(model, recorded(given), told, TRIES)
    assert min(abs(result.factor - one) for one in factors) < 1e-9
    assert result.speed == pytest.approx(told * result.factor)
    assert result.speed / 25 == pytest.approx(near_to, abs=0.02)
    shares = stream_shares(model, given, Fraction(RATE), int16=False, hz=told * result.factor)[1]
    assert np.abs(said(result) - shares).max() < 1e-4
    assert result.best == kind


def test_one_factor_holds_for_all_windows_and_is_that_of_all(library_of):
    """Which of two stretches comes first does not matter; a sample that is missing between them does not either."""
    device, parts = library_of("orders search", RATE), [turned(seed=99), turned(25.4, seed=7)]
    found = []
    for order in (parts, parts[::-1]):
        device.begin()
        device.set_speed(26.0)
        for part in order:
            device.push(part.T, piece=501)
            device.end()
        found.append(device.verdict())
    assert found[0].factor == found[1].factor != 1
    assert found[0].windows == 8
    np.testing.assert_allclose(said(found[0]), said(found[1]), rtol=1e-12)


def test_where_the_speed_is_not_known_nothing_is_searched_for(library_of):
    given, device = turned(), library_of("orders search", RATE)
    result = device.judge(given.T)
    assert (result.factor, result.speed) == (1, 0)
    shares = stream_shares(model_called("orders search"), given, Fraction(RATE), int16=False)[1]
    assert np.abs(said(result) - shares).max() < 1e-4
    alone = device.judge(given.T, 26.0)
    device.set_speed(0.0)
    device.push(given.T)
    device.end()
    both = device.verdict()
    assert both.factor == alone.factor
    np.testing.assert_allclose(said(both), (said(alone) + said(result)) / 2, atol=1e-12)


def test_a_window_that_nobody_can_judge_leaves_no_trace(library_of):
    device, given = library_of("orders search", RATE), turned()
    clean = device.judge(given.T, 26.0)
    huge = np.where(np.arange(given.shape[1]) % 7 < 3, np.float32(3.3e38), np.float32(-3.3e38))
    device.push(np.stack([given[0], huge]).T)  # one of the axes is too loud for the filter
    device.end()
    after = device.verdict()
    assert after.unjudged > 0
    assert (after.windows, after.factor, [*after.probabilities]) == (
        clean.windows,
        clean.factor,
        [*clean.probabilities],
    )


@pytest.mark.parametrize("int16", [False, *also((True,))])
def test_what_a_search_costs_is_counted_and_stated(board, int16):
    result, model = board("orders search", RATE, int16), model_called("orders search")
    check = result.checks[0]
    plain = working_memory(Fraction(5), 3, ORDERS_DEVICE, 2)
    assert device_of(model) is ORDERS_DEVICE
    assert check.state - check.window == working_memory(Fraction(5), 3, ORDERS_DEVICE, 2, tries=TRIES)
    assert result.searching == search_memory(TRIES, 3, 2) == check.state - check.window - plain
    assert plain <= 32 * 1024
    said = f"the search for the speed takes {result.searching} bytes of these"
    readme = (result.folder / "README.md").read_text()
    assert said in costs(result)
    assert said in readme
    assert f"Every window is judged at {TRIES} speeds, 0.951 to 1.051 times the told one" in readme
    assert "Labelled shafts make 20 to 30 turns a second" in readme


@pytest.mark.parametrize("which", [*also(("orders search",), ("orders search members",))])
def test_counts_find_the_same_speed(library_of, which):
    model = model_called(which)
    given = np.floor(2000 * turned()[: max(1, len(model.card.channels))])
    result = library_of(which, RATE, int16=True).judge(given.T if len(given) > 1 else given[0], 26.0)
    assert result.speed / 25 == pytest.approx(1.0, abs=0.02)
    hz = 26.0 * result.factor
    shares = stream_shares(model, given if len(given) > 1 else given[0], Fraction(RATE), int16=True, hz=hz)[1]
    assert np.abs(said(result) - shares).max() < ORDERS_DEVICE.share_tolerance
