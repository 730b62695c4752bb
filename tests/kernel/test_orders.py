"""The compiled network of orders against the readable one: what is seen, what the heads say, and the search."""

import ctypes
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from dualres.config import ORDER_SIZES
from dualres.errors import ConfigError
from dualres.judge.backends import weights_of
from dualres.kernel import compiled
from dualres.kernel.orders import MOST_CLASSES, Looks, OrdersKernel, looks_of, misfit, packed_orders, scratch_bytes
from dualres.model.reference import orders as reference
from dualres.model.views.order_weights import OrdersWeights
from tests.kernel.signals import CHANGES, EXTREMES, HALF, WINDOW, changing_signal, odd_windows, overlapping
from tests.model.made_orders import made_orders
from tests.model.made_views import machine_windows

KERNEL = Path(compiled.__file__).parent
TOLERANCE = 2e-5  # of looks, relative to the largest or to one; float64 is the truth
LEFT_BY_ROUNDING = 5e-4  # where float32 leaves a little beside a lone tone or an offset, which whitening raises
LOGITS = 1e-4  # of log-probabilities
MISFIT = 1e-3  # nats
SOME_HZ = (24.0, np.nan, 7.0, 90.0, 31.5, 0.0, 400.0, 25.0)

pytestmark = pytest.mark.skipif(compiled.variant() is None, reason="the compiled library is not built")


@pytest.fixture(scope="module")
def weights() -> OrdersWeights:
    return weights_of(made_orders())


@pytest.fixture(scope="module")
def tried(weights):
    """Looks of a few windows, speeds at which they are tried, and how badly they fit, by the readable way."""
    looks = reference.looks(weights.config, machine_windows(1, seed=7))
    hz = np.exp(np.random.default_rng(0).uniform(np.log(5), np.log(120), (37, 4)))
    hz[0] = 1e-3, 2.0, 1e3, 1e6  # far below the axes and beyond them
    return looks, hz, reference.misfit_ref(weights, looks, hz)


def turning(count: int) -> np.ndarray:
    return np.resize(SOME_HZ, count)


def assert_seen(found: Looks, wanted: Looks, tolerance=TOLERANCE) -> None:
    for name, look, exact in zip(Looks._fields, found, wanted, strict=True):
        assert look.shape == exact.shape
        assert np.abs(look - exact).max() < tolerance * max(1, np.abs(exact).max()), name


def assert_agrees(weights, windows, tolerance=TOLERANCE) -> None:
    assert_seen(looks_of(weights.config, windows), reference.looks(weights.config, windows), tolerance)
    for hz in (None, turning(len(windows))):
        said, exact = OrdersKernel(weights).logits(windows, hz), reference.log_probabilities(weights, windows, hz)
        assert np.abs(said - exact).max() < LOGITS


def test_agrees_on_windows_like_those_learned_from(variant, weights):
    assert_agrees(weights, machine_windows(2))
    assert_agrees(weights, machine_windows(2, seed=1))


def test_agrees_on_odd_windows(variant, weights):
    assert_agrees(weights, np.stack(list(odd_windows(55))), LEFT_BY_ROUNDING)


@pytest.mark.parametrize("offset", [1e3, -3e5])
def test_agrees_on_a_large_offset(variant, weights, offset):
    assert_agrees(weights, machine_windows(1) + np.float32(offset))


@pytest.mark.parametrize("size", [1e-44, 1e-30, 1e30, 1e38])
def test_the_smallest_and_largest_floats(variant, weights, size):
    noise = np.random.default_rng(2).uniform(-3, 3, (2, WINDOW))
    assert_agrees(weights, (noise * size).astype(np.float32))


@pytest.mark.parametrize("value", [0.0, 0.1, -1e6])
def test_in_a_constant_window_there_is_nothing_to_see(variant, weights, value):
    windows = np.full((1, WINDOW), value, np.float32)
    assert not any(look.any() for look in looks_of(weights.config, windows))
    assert_agrees(weights, windows)


@pytest.mark.parametrize("last", [1, 300, WINDOW])
def test_the_loudest_frames_that_a_window_can_have(variant, weights, last):
    """Logarithms are of products of eight magnitudes, which are largest where all is a tone or a burst of it."""
    windows = np.zeros((2, WINDOW), np.float32)
    burst = np.cos(2 * np.pi * np.arange(min(last, WINDOW // 2)) / 16)
    windows[0, WINDOW // 2 :][: len(burst)] = burst
    windows[1, :last] = 1e6 * np.cos(2 * np.pi * np.arange(last) / 64)
    assert_agrees(weights, windows, LEFT_BY_ROUNDING)


def test_the_speed_does_not_matter_where_none_was_labelled(variant):
    weights, windows = weights_of(made_orders(labelled=False)), machine_windows(1)
    kernel = OrdersKernel(weights)
    np.testing.assert_array_equal(kernel.logits(windows, np.full(4, 30.0)), kernel.logits(windows))
    assert_agrees(weights, windows)


@pytest.mark.parametrize("halves", [CHANGES, EXTREMES])
def test_neither_overlap_nor_threads_change_a_bit_of_looks_and_of_logits_at_a_speed(variant, weights, halves):
    windows, kernel = overlapping(changing_signal(halves)), OrdersKernel(weights)
    hz = turning(len(windows))
    alone = [looks_of(weights.config, window[None].copy()) for window in windows]
    said = np.concatenate([kernel.logits(windows[i][None].copy(), hz[i : i + 1]) for i in range(len(windows))])
    for threads in (1, 3):
        torch.set_num_threads(threads)
        for look, each in zip(looks_of(weights.config, windows), zip(*alone, strict=True), strict=True):
            np.testing.assert_array_equal(look, np.concatenate(each))
        np.testing.assert_array_equal(kernel.logits(windows, hz), said)
        np.testing.assert_array_equal(kernel.logits(windows[1:], hz[1:]), said[1:])  # in other company


def test_looks_give_the_same_logits_whoever_has_seen_them(variant, weights):
    windows, kernel, hz = machine_windows(1, seed=3), OrdersKernel(weights), turning(4)
    seen = looks_of(weights.config, windows)
    assert all(look.dtype == np.float32 for look in seen)
    np.testing.assert_array_equal(kernel.logits_of(seen, hz), kernel.logits(windows, hz))
    apart = Looks(*(np.array(look[::-1])[::-1] for look in seen))  # no longer rows of one array
    np.testing.assert_array_equal(kernel.logits_of(apart, hz), kernel.logits(windows, hz))
    exact = kernel.logits_of(reference.looks(weights.config, windows), hz)
    np.testing.assert_allclose(exact, kernel.logits(windows, hz), atol=LOGITS)
    np.testing.assert_array_equal(kernel.logits_of(seen.of(slice(1, 3)), hz[1:3]), exact_rows(kernel, seen, hz)[1:3])


def exact_rows(kernel, seen, hz):
    return np.concatenate([kernel.logits_of(seen.of(slice(i, i + 1)), hz[i : i + 1]) for i in range(len(hz))])


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_of_a_window_that_holds_no_numbers_nothing_is_seen_or_said(variant, weights, wrong):
    signal = changing_signal(CHANGES[:4])
    good = looks_of(weights.config, overlapping(signal))
    signal[-5] = wrong
    bad = looks_of(weights.config, overlapping(signal))
    for look, before in zip(bad, good, strict=True):
        assert np.isnan(look[2]).all()
        np.testing.assert_array_equal(look[:2], before[:2])
    assert np.isnan(OrdersKernel(weights).logits_of(bad, np.full(3, 25.0))).all(1).tolist() == [False, False, True]
    assert np.isnan(misfit(weights, bad, np.full((2, 3), 25.0))).all()
    assert np.isfinite(misfit(weights, bad.of(slice(2)), np.full((2, 2), 25.0))).all()


def test_misfit_is_that_of_the_readable_way(variant, weights, tried):
    looks, hz, wanted = tried
    found = misfit(weights, looks, hz)
    assert found.shape == (len(hz),)
    assert np.abs(found - wanted).max() < MISFIT
    assert np.ptp(wanted[1:]) > 100 * MISFIT
    assert np.abs(found[1:] - misfit(weights, looks, hz[1:] * 1.03)).max() > 10 * MISFIT


def test_neither_other_tries_nor_threads_change_a_bit_of_a_misfit(variant, weights, tried):
    looks, hz, _ = tried
    found = misfit(weights, looks, hz)
    for threads in (1, 3):
        torch.set_num_threads(threads)
        np.testing.assert_array_equal(misfit(weights, looks, hz), found)
        np.testing.assert_array_equal(misfit(weights, looks, hz[5:12]), found[5:12])


def test_more_classes_than_the_kernel_has_room_for(variant, weights):
    times = MOST_CLASSES // weights.classes + 1
    arrays = {
        name: np.concatenate([array] * times) if name.endswith(("slopes", "offsets")) else array
        for name, array in weights.arrays.items()
    }
    many, windows = replace(weights, arrays=arrays), machine_windows(1)
    assert_agrees(many, windows)
    looks, hz = looks_of(weights.config, windows), np.full((3, 4), 25.0)
    np.testing.assert_array_equal(misfit(many, looks, hz), misfit(weights, looks, hz))


def test_leaves_other_frames_to_numpy(small, weights, monkeypatch):
    noise = np.random.default_rng(0).standard_normal((2, small.window)).astype(np.float32)
    assert scratch_bytes() > 27_000
    assert not OrdersKernel.serves(small)
    assert_seen(looks_of(small, noise), reference.looks(small, noise), 1e-12)
    windows, hz = machine_windows(1), np.full((2, 4), 25.0)
    looks = looks_of(weights.config, windows)
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    assert scratch_bytes() == 0
    assert_seen(looks_of(weights.config, windows), reference.looks(weights.config, windows), 1e-12)
    np.testing.assert_array_equal(misfit(weights, looks, hz), reference.misfit_ref(weights, looks, hz))
    with pytest.raises(ConfigError, match="compiled kernel"):
        OrdersKernel(weights).logits_of(looks)


@pytest.mark.parametrize("lanes", [1, 4])
def test_a_device_keeps_the_looks_of_a_window_in_32_kb(lanes, weights, tried, tmp_path):
    """With one lane, all that it needs beside the window; with more, the same functions."""
    kernel = device_kernel(lanes, tmp_path)
    constants, heads = packed_orders(weights)
    size = kernel.dualres_orders_scratch()
    assert lanes > 1 or size < 32_000
    scratch = ctypes.create_string_buffer(size)
    model = Model(constants.ctypes.data, heads.ctypes.data, weights.classes)
    room = ctypes.c_void_p(kernel.dualres_orders_room(scratch))
    _, tries, wanted_misfit = tried
    sums, misfits = np.zeros((len(tries), ORDER_SIZES.lines), np.float32), np.empty(len(tries), np.float32)
    windows = machine_windows(1, seed=7)
    for i, window in enumerate(windows):
        hz, logits = tries[:, i].copy(), np.empty(weights.classes, np.float32)
        kernel.dualres_orders_see(pointer(constants), pointer(window), 1, room, scratch)
        lines = ctypes.c_void_p(room.value + 4 * (weights.config.short_bins + weights.config.long_bins))
        kernel.dualres_orders_hear(pointer(constants), lines, pointer(hz), len(hz), pointer(sums))
        for speed in (None, np.array([30.0]), np.array([np.nan])):
            kernel.dualres_orders_judge(ctypes.byref(model), room, 1, pointer(speed), pointer(logits), scratch)
            wanted = reference.log_probabilities(weights, window[None], speed)
            assert np.abs(logits - wanted).max() < LOGITS
    kernel.dualres_orders_misfit(
        ctypes.byref(model), pointer(sums), len(windows), len(tries), pointer(misfits), scratch
    )
    assert np.abs(misfits - wanted_misfit).max() < MISFIT
    window[HALF] = np.nan
    kernel.dualres_orders_see(pointer(constants), pointer(window), 1, room, scratch)
    kernel.dualres_orders_judge(ctypes.byref(model), room, 1, None, pointer(logits), scratch)
    assert np.isnan(logits).all()


class Model(ctypes.Structure):
    """`dualres_orders_model`."""

    _fields_ = (("constants", ctypes.c_void_p), ("heads", ctypes.c_void_p), ("classes", ctypes.c_int))


def pointer(array):
    return None if array is None else ctypes.c_void_p(array.ctypes.data)


def device_kernel(lanes, folder) -> ctypes.CDLL:
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler here")
    library = folder / "orders.so"
    strict = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O3", "-ffp-contract=fast")
    flags = ("-shared", "-fPIC", f"-DDUALRES_LANES={lanes}", "-DDUALRES_ALONE")
    subprocess.run(["cc", *strict, *flags, KERNEL / "orders.c", "-lm", "-o", library], check=True)
    kernel = ctypes.CDLL(str(library))
    kernel.dualres_orders_scratch.restype, kernel.dualres_orders_room.restype = ctypes.c_size_t, ctypes.c_void_p
    count, any_of = ctypes.c_size_t, ctypes.c_void_p
    kernel.dualres_orders_see.argtypes = (any_of, any_of, count, any_of, any_of)
    kernel.dualres_orders_judge.argtypes = (any_of, any_of, count, any_of, any_of, any_of)
    kernel.dualres_orders_hear.argtypes = (any_of, any_of, any_of, count, any_of)
    kernel.dualres_orders_misfit.argtypes = (any_of, any_of, count, count, any_of, any_of)
    return kernel
