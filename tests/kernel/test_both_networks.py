"""What the compiled kernels of all networks do with windows, whatever these hold."""

from pickle import dumps, loads

import numpy as np
import pytest
import torch

from dualres.errors import ConfigError
from dualres.judge.backends import weights_of
from dualres.kernel import compiled
from dualres.kernel.inference import TOGETHER
from dualres.kernel.orders import OrdersKernel
from dualres.kernel.views import ViewsKernel, features
from tests.kernel.signals import CHANGES, EXTREMES, HALF, WINDOW, changing_signal, overlapping
from tests.kernel.test_inference import kernel_of, lively_network
from tests.model.made_orders import made_orders
from tests.model.made_views import made_views

pytestmark = pytest.mark.skipif(compiled.variant() is None, reason="the compiled library is not built")


JUDGES = {
    "paper": lambda: kernel_of(lively_network()),
    "views": lambda: ViewsKernel(weights_of(made_views())),
    "orders": lambda: OrdersKernel(weights_of(made_orders())),
}


@pytest.fixture(scope="module", params=JUDGES)
def judge(request):
    return JUDGES[request.param]()


@pytest.mark.parametrize("halves", [CHANGES, EXTREMES, ((7, 1),) * (TOGETHER + 4)])
def test_neither_overlap_nor_threads_change_a_bit(variant, judge, halves):
    windows = overlapping(changing_signal(halves))
    alone = np.concatenate([judge.logits(window[None].copy()) for window in windows])
    for threads in (1, 3):
        torch.set_num_threads(threads)
        np.testing.assert_array_equal(judge.logits(windows), alone)
        np.testing.assert_array_equal(judge.logits(windows[1:]), alone[1:])  # in other company


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_sample_that_is_no_number_makes_its_windows_none_and_changes_no_bit_of_others(variant, judge, wrong):
    signal = changing_signal(CHANGES)
    good = judge.logits(overlapping(signal))
    signal[3 * HALF - 5] = wrong
    bad = judge.logits(overlapping(signal))
    assert np.flatnonzero(np.isnan(bad).all(1)).tolist() == [1, 2]
    np.testing.assert_array_equal(np.delete(bad, (1, 2), 0), np.delete(good, (1, 2), 0))
    assert np.isnan(features(overlapping(signal)[1:2])).all()


def test_no_window_at_all_and_other_lengths(judge):
    classes = judge.logits(np.zeros((1, WINDOW), np.float32)).shape[1]
    assert judge.logits(np.empty((0, WINDOW), np.float32)).shape == (0, classes)
    with pytest.raises(ConfigError, match="32768"):
        judge.logits(np.zeros((2, 100), np.float32))


def test_it_survives_pickling(judge):
    windows = overlapping(changing_signal(CHANGES))[:2]
    np.testing.assert_array_equal(loads(dumps(judge)).logits(windows), judge.logits(windows))


def test_one_that_is_switched_off_says_so(judge, monkeypatch):
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    with pytest.raises(ConfigError, match="NumPy"):
        judge.logits(np.zeros((1, WINDOW), np.float32))
