"""The compiled kernel against PyTorch, and both against float64."""

import signal
import sys
import threading
from _thread import interrupt_main
from fractions import Fraction
from weakref import ref

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dualres.config import ModelConfig
from dualres.judge.backends import weights_of
from dualres.kernel import compiled
from dualres.kernel import inference as score
from dualres.kernel.inference import TOGETHER, Kernel
from dualres.model.network import DualRes
from dualres.recordings.resample import resample
from dualres.recordings.store import open_store
from tests.kernel.signals import CHANGES, EXTREMES, HALF, WINDOW, changing_signal, odd_windows, overlapping

TOLERANCE = 1e-5

pytestmark = pytest.mark.skipif(compiled.variant() is None, reason="the compiled library is not built")


def kernel_of(network: DualRes) -> Kernel | None:
    return Kernel(weights_of(network)) if Kernel.serves(network.config) else None


def lively_network(classes: int = 8, **settings) -> DualRes:
    """As if trained: no weight is zero, and rates differ."""
    network = DualRes(classes, ModelConfig(**settings), seed=41).eval()
    with torch.no_grad():
        for p in network.parameters():
            p.add_(0.3 * torch.randn_like(p) * (p.abs().mean() + 0.05))
    return network


@torch.inference_mode()
def assert_all_agree(network: DualRes, windows, exact_too: bool = True) -> None:
    fast = kernel_of(network).logits(windows)
    batch = torch.from_numpy(np.array(windows))
    plain = network(batch).numpy()
    assert np.abs(fast - plain).max() < TOLERANCE
    assert (fast.argmax(1) == plain.argmax(1)).all()
    if exact_too:
        exact = network.double()(batch.double()).numpy()
        network.float()
        assert np.abs(fast - exact).max() < TOLERANCE
        assert (fast.argmax(1) == exact.argmax(1)).all()


def test_agrees_on_odd_windows(variant):
    assert_all_agree(lively_network(), np.stack(list(odd_windows(55))))


@pytest.mark.slow
def test_agrees_on_ten_thousand_windows(data, phm2009):
    network = lively_network()
    for start in range(0, 8000, 100):
        assert_all_agree(network, np.stack(list(odd_windows(100, seed=start))))
    real = [window for recording in open_store(phm2009) for window in half_overlapping(recording)[:8]][:2000]
    assert len(real) == 2000
    for start in range(0, 2000, 100):
        assert_all_agree(network, np.stack(real[start : start + 100]))


def half_overlapping(recording) -> np.ndarray:
    signal = resample(recording.signal, recording.rate, ModelConfig().rate)
    return np.lib.stride_tricks.sliding_window_view(signal, WINDOW)[::HALF]


def test_agrees_on_real_windows(phm2009):
    recording = open_store(phm2009)[7]
    assert recording.rate == Fraction(200_000, 3)
    assert_all_agree(lively_network(), half_overlapping(recording))


@pytest.mark.parametrize(
    "settings", [{"branches": "short"}, {"branches": "long"}, {"rotation": False}, {"memory": False}]
)
def test_agrees_for_the_controls(settings):
    assert_all_agree(lively_network(3, **settings), np.stack(list(odd_windows(12))))


def test_agrees_at_extreme_rates():
    network = lively_network(2)
    with torch.no_grad():
        network.encoder.memory.log_rate.copy_(torch.linspace(-9, 14, 64))
    assert_all_agree(network, np.stack(list(odd_windows(12))))


@pytest.mark.parametrize("count", [1, 2, 3, TOGETHER, TOGETHER + 1, 2 * TOGETHER + 3])
def test_windows_that_overlap_share_their_frames(variant, count):
    signal = np.random.default_rng(count).standard_normal((count + 1) * HALF).astype(np.float32) + 7
    network = lively_network()
    assert_all_agree(network, overlapping(signal), exact_too=False)


@pytest.mark.parametrize("halves", [CHANGES, EXTREMES])
def test_a_recording_may_change_its_level_and_its_loudness(variant, halves):
    assert_all_agree(lively_network(), overlapping(changing_signal(halves)))


@given(st.integers(0, 500), st.sampled_from([1, TOGETHER]), st.integers(1, 9))
def test_all_threads_get_as_many_windows(count, most, threads):
    pieces = score.pieces_of(count, most, threads)
    sizes = np.diff([piece * count // max(pieces, 1) for piece in range(pieces + 1)])
    assert sizes.sum() == count
    assert set(sizes) <= set(range(1, most + 1))
    assert pieces % threads == 0 or pieces == count  # fewer windows than would go round
    assert not len(sizes) or sizes.max() - sizes.min() <= 1


def test_neither_threads_nor_pieces_change_a_bit():
    kernel = kernel_of(lively_network())
    windows = overlapping(np.random.default_rng(1).standard_normal((3 * TOGETHER + 5) * HALF).astype(np.float32))
    alone = kernel.logits(windows)
    pieces = [kernel.logits(windows[i : i + 7]) for i in range(0, len(windows), 7)]
    np.testing.assert_array_equal(np.concatenate(pieces), alone)
    torch.set_num_threads(3)
    np.testing.assert_array_equal(kernel.logits(windows), alone)


@pytest.mark.parametrize("size", [1e-44, 1e-30, 1e30, 1e38])
def test_the_smallest_and_largest_floats(variant, size):
    noise = np.random.default_rng(2).uniform(-3, 3, (2, WINDOW))
    assert_all_agree(lively_network(), (noise * size).astype(np.float32))


@pytest.mark.parametrize("offset", [1e20, 1e30, 1e37])
def test_a_signal_of_one_ulp_on_a_huge_offset(variant, offset):
    steps = np.random.default_rng(3).integers(-1, 2, (2, WINDOW)) * np.spacing(np.float32(offset))
    assert_all_agree(lively_network(), (np.float64(offset) + steps).astype(np.float32))


def test_keeps_the_weights_it_was_made_with():
    network = lively_network()
    kernel, window = kernel_of(network), next(odd_windows(1, seed=5))[None] + 1
    before = kernel.logits(window)
    with torch.no_grad():
        network.head.bias.add_(1)
    np.testing.assert_array_equal(kernel.logits(window), before)


def test_leaves_other_networks_to_pytorch(small, monkeypatch):
    assert kernel_of(DualRes(3, small)) is None
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    assert kernel_of(lively_network()) is None


def test_a_library_without_this_leaves_it_to_pytorch(monkeypatch):
    there = compiled.function
    monkeypatch.setattr(
        score, "function", lambda name, *types: None if name == "dualres_windows" else there(name, *types)
    )
    score._entry.cache_clear()
    try:
        assert kernel_of(lively_network()) is None
    finally:
        score._entry.cache_clear()


def side_by_side(signal) -> np.ndarray:
    return signal.reshape(-1, WINDOW)


@pytest.mark.parametrize("arranged", [side_by_side, overlapping])
def test_samples_between_the_places_of_floats_are_moved(arranged, monkeypatch):
    signal = np.random.default_rng(4).standard_normal(2 * WINDOW).astype(np.float32)
    shifted = np.empty(signal.nbytes + 1, np.uint8)[1:].view(np.float32)
    shifted[:] = signal
    kernel = kernel_of(lively_network())
    expected = kernel.logits(arranged(signal))

    called, scratch = Kernel.entry()
    read = []

    def remembered(model, windows, *rest) -> None:
        read.append(windows)
        called(model, windows, *rest)

    monkeypatch.setattr(Kernel, "entry", staticmethod(lambda: (remembered, scratch)))
    np.testing.assert_allclose(kernel.logits(arranged(shifted)), expected, atol=TOLERANCE)
    assert read
    assert all(address % 4 == 0 for address in read)


def test_what_the_library_reads_is_held_by_what_is_handed_to_it():
    constants, head = np.zeros(5, np.float32), np.zeros(3, np.float32)
    held, model = [ref(constants), ref(head)], score._Model(constants, head, 2)
    del constants, head
    assert [array().ctypes.data for array in held] == [model.constants, model.head]


def at_work() -> set[str]:
    names, frames = set(), sys._current_frames()
    for thread in threading.enumerate():
        frame = frames.get(thread.ident) if thread.name.startswith("dualres") else None
        while frame is not None:
            names.add(frame.f_code.co_name)
            frame = frame.f_back
    return names


def score_until_interrupted(network: DualRes, windows) -> None:
    """The kernel is its own: nobody else holds its weights."""
    threading.Timer(0.1, interrupt_main).start()
    for _ in range(1000):
        kernel_of(network).logits(windows)


def test_whoever_interrupts_leaves_no_thread_in_the_kernel():
    network, windows = lively_network(), np.ones((600, WINDOW), np.float32)
    torch.set_num_threads(2)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            score_until_interrupted(network, windows)
        assert "go" not in at_work()
    finally:
        signal.signal(signal.SIGINT, before)
