"""The exported C against the monitor, on streams of every kind, and on this machine.

`stress/exported_streams.py` compares them on others, too, window by window.
"""

from fractions import Fraction

import numpy as np
import pytest

from dualres.stream import Monitor
from dualres.stream.monitor.framing import Framing
from tests.export.conftest import WINDOW, machine, model_called, needs_fused_products
from tests.variants import also

RUNS = [
    ("views", 12_800, 5),
    *also(*((kind, rate, 25) for kind in ("paper", "views") for rate in (12_800, 48_000, "200000/3", 64_000))),
]


def stream(rate, seed):
    """Stretches between gaps, each with an offset and most with a step somewhere."""
    rng = np.random.default_rng(seed)
    parts = []
    for number in range(rng.integers(1, 4)):
        part = machine(rng.uniform(0.6, 1.2), rate, seed=100 * seed + number)
        part += np.float32(rng.choice([0.0, 3.0, -50.0, 1000.0]))
        part[rng.integers(len(part)) :] += np.float32(rng.choice([0.0, 2.0, -20.0, 200.0]))
        parts.append(part)
    return parts


@pytest.mark.parametrize(("kind", "rate", "streams"), RUNS)
def test_it_says_what_the_monitor_says(library_of, kind, rate, streams):
    model = model_called(kind)
    if kind == "views" and rate != 64_000:
        needs_fused_products()
    for seed in range(streams):
        monitor, board, events = Monitor(model, rate), library_of(kind, rate), []
        for part in stream(rate, seed):
            for chunk in np.array_split(part, 1 + seed % 7):
                events += monitor.push(chunk)
                board.push(chunk)
            events += monitor.gap(10)
            board.end()
        windows = [list(event.probabilities.values()) for event in events if event.kind == "window"]
        result, mean = board.verdict(), np.mean(windows, axis=0)
        assert result.windows == len(windows)
        assert np.abs(np.array(result.probabilities) - mean).max() < 2e-5
        assert result.label.decode() == model.classes[int(mean.argmax())]


@pytest.mark.parametrize("rate", [12_800, *also((12_000,), (20_000,), (48_000,), ("200000/3",), (200_000,))])
def test_it_resamples_as_the_monitor_does_to_the_last_bit(library_of, rate):
    needs_fused_products()
    for seed in range(3):
        for part in stream(rate, seed):
            some, framing = part[: int(0.4 * Fraction(rate))], Framing(Fraction(rate), 1, 64_000, WINDOW)
            framing.take(some[None])
            (under_way,) = framing.buffers()[-1:]
            board = library_of("views", rate)
            board.push(some)
            assert len(under_way) > 20_000
            np.testing.assert_array_equal(board.window(len(under_way)), under_way)
