import json
from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest

from dualres.config import HELD, ModelConfig, Recipe
from dualres.errors import ConfigError
from dualres.judge.backends import weights_of
from dualres.judge.model import Model
from dualres.judge.verdict import window_scores
from dualres.model.kinds import PAPER
from dualres.model.network import DualRes
from dualres.model_file.card import APART, Card
from dualres.recordings.recording import Recording
from dualres.stream import Monitor, score_together
from tests.stream.conftest import CLASSES, noise

RATE = 12_800
WINDOW, STEP = 6554, 3277  # at that rate: a window, and half of it


@pytest.fixture(scope="module")
def lasting():
    """Two members of the paper's network, whose memories last for seconds."""
    members = [weights_of(DualRes(3, seed=seed).eval()) for seed in (0, 1)]
    for each in members:
        each.arrays["encoder.memory.log_rate"][:] = np.log(np.log(2) / 1.5)  # a half-life of 1.5 s
        each.arrays["encoder.memory.write_in.weight"] *= 1000  # it is heard, although what lasts is written softly
    return Model(tuple(members), Card(CLASSES, ModelConfig(), Recipe(), 0, HELD, {}, method=PAPER.method, members=2))


@pytest.fixture(scope="module")
def signal():
    return noise(3 * WINDOW)


def chunks(signal, sizes):
    at = 0
    for size in cycle(sizes):
        if at >= len(signal):
            return
        yield signal[at : at + size]
        at += size


def heard(model, pieces, **how):
    monitor = Monitor(model, RATE, block_s=1.0, carry_memory=True, **how)
    return [event for piece in pieces for event in monitor.push(piece)] + monitor.finish()


def shares(events, kind="window"):
    return np.array([list(one.probabilities.values()) for one in events if one.kind == kind])


def test_a_memory_that_begins_with_the_window_gives_the_fit_network_s_scores(lasting, signal):
    """Of any window: a stream that begins with it says what the network says of it."""
    expected = window_scores(lasting, Recording.from_array(signal, RATE))
    np.testing.assert_allclose(shares(heard(lasting, [signal]))[0], expected[0], rtol=0, atol=2e-6)
    for seed in range(3):
        window = noise(32_768, seed)
        (event,) = Monitor(lasting, 64_000, carry_memory=True).push(window)
        found = list(event.probabilities.values())
        np.testing.assert_allclose(found, lasting.scores(window[None])[0], rtol=0, atol=2e-6)


def test_later_windows_hear_what_came_before(lasting, signal):
    apart = window_scores(lasting, Recording.from_array(signal, RATE))
    assert np.abs(shares(heard(lasting, [signal])) - apart)[1:].max(1).min() > 1e-3


@pytest.mark.parametrize("sizes", [[1, 977, 4], [STEP], [100_000], [5000, 1]])
def test_however_it_is_cut_it_says_the_same_bits(lasting, signal, sizes):
    assert heard(lasting, chunks(signal, sizes)) == heard(lasting, [signal])


@pytest.mark.parametrize("way", ["state", "marker"])
def test_a_monitor_that_is_saved_goes_on_as_it_was(lasting, signal, way):
    monitor, events = Monitor(lasting, RATE, block_s=1.0, carry_memory=True), []
    for chunk in chunks(signal, [2500]):
        events += monitor.push(chunk)
        if way == "state":
            monitor = Monitor.restored(lasting, monitor.state())
        else:
            marker = json.loads(json.dumps(monitor.marker()))
            monitor = Monitor.resumed(lasting, marker, signal[marker["needed_from"] : monitor.position])
    assert events + monitor.finish() == heard(lasting, [signal])


def test_what_is_kept_is_of_one_size(lasting):
    monitor, sizes = Monitor(lasting, RATE, carry_memory=True), set()
    usual = Monitor(lasting, RATE)
    for part in range(6):
        monitor.push(noise(STEP, part))
        usual.push(noise(STEP, part))
        sizes.add(len(monitor.marker()["memory"][0]))
    assert len(sizes) == 1
    each = 4 * (64 * 8 * 8) / 3  # base64 of complex64
    assert len(monitor.state()) - len(usual.state()) == pytest.approx(2 * each, rel=0.02)


def test_behind_a_gap_the_memory_begins_anew(lasting, signal):
    monitor = Monitor(lasting, RATE, carry_memory=True)
    monitor.push(noise(2 * WINDOW, 8))
    monitor.gap(100)
    assert shares(monitor.push(signal)) == pytest.approx(shares(heard(lasting, [signal]))[:4], abs=0)


def test_a_window_that_cannot_be_computed_leaves_no_trace(lasting, signal):
    loud = signal.copy()
    loud[:10] = 9e36  # finite, and its square is not
    found = heard(lasting, [np.concatenate([loud, signal])])
    assert np.isfinite(shares(found)).all()


def test_streams_that_are_scored_together_have_memories_of_their_own(lasting, signal):
    other = noise(len(signal), 3)
    monitors = [Monitor(lasting, RATE, name=name, block_s=1.0, carry_memory=name != "c") for name in "abc"]
    events = []
    for piece, second in zip(chunks(signal, [7000]), chunks(other, [7000]), strict=True):
        for monitor, samples in zip(monitors, (piece, second, piece), strict=True):
            monitor.take(samples)
        events += score_together(monitors)
    for monitor in monitors:
        events += monitor.finish()
    by_name = {name: [replace(one, stream="") for one in events if one.stream == name] for name in "abc"}
    assert by_name["a"] == heard(lasting, [signal])
    assert by_name["b"] == heard(lasting, [other])
    np.testing.assert_allclose(
        shares(by_name["c"]), window_scores(lasting, Recording.from_array(signal, RATE)), atol=1e-5
    )


def test_axes_have_networks_and_memories_of_their_own(lasting, signal):
    card = replace(lasting.card, channels=("x", "y"), axes=APART, members=1)
    both = np.stack([signal, noise(len(signal), 4)], axis=1)
    found = shares(heard(Model(lasting.members, card), [both]))
    alone = [
        shares(heard(Model((one,), replace(lasting.card, members=1)), [samples]))
        for one, samples in zip(lasting.members, both.T, strict=True)
    ]
    np.testing.assert_allclose(found, np.mean(alone, axis=0), rtol=0, atol=1e-12)


def test_a_model_without_such_a_memory_is_refused(views, orders, papers):
    for model, title in ((views, "a network of views"), (orders, "a network of orders")):
        with pytest.raises(ConfigError, match=f"{title}, which has no memory to carry on; fit the paper's network"):
            Monitor(model, RATE, carry_memory=True)
    silenced = replace(papers.card, config=ModelConfig(memory=False))
    with pytest.raises(ConfigError, match="memory silenced"):
        Monitor(Model(papers.members, silenced), RATE, carry_memory=True)
