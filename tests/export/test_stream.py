"""The exported C against the monitor, on streams of every kind."""

import numpy as np
import pytest

from dualres.stream import Monitor
from tests.export.conftest import machine

RATES = (12_800, 48_000, "200000/3", 64_000)
STREAMS = 50  # at each rate


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


@pytest.mark.parametrize("rate", RATES)
def test_it_says_what_the_monitor_says(device, model, rate):
    for seed in range(STREAMS):
        monitor, board, events = Monitor(model, rate), device(rate), []
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
