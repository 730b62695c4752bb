from fractions import Fraction

import numpy as np
import pytest

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.recording import Recording, exact_rate


def test_from_array():
    recording = Recording.from_array([1, 2, 3], "200000/3", id="pump 4", label="good")
    assert recording.rate == Fraction(200_000, 3)
    assert recording.signal.dtype == np.float32
    assert recording.signal.tolist() == [1, 2, 3]
    assert (recording.id, recording.label) == ("pump 4", "good")


def test_the_signal_is_loaded_on_use():
    calls = []
    recording = Recording("a", lambda: calls.append(1) or np.ones(3, np.float32), Fraction(1))
    assert not calls
    assert recording.signal.sum() == 3
    assert calls == [1]


@pytest.mark.parametrize(
    ("signal", "reason"),
    [
        (np.ones((3, 2)), r"pump: one channel is needed, .* \(3, 2\)"),
        ([], "pump: there are no samples"),
        ([1.0, np.nan, np.inf], "pump: 2 samples are NaN or infinite"),
    ],
)
def test_unusable_samples_are_refused_by_name(signal, reason):
    with pytest.raises(RecordingError, match=reason):
        Recording.from_array(signal, 1000, id="pump").signal  # noqa: B018


@pytest.mark.parametrize(("written", "exact"), [(66666.7, "666667/10"), ("200000/3", "200000/3"), (12_800, "12800")])
def test_rates_are_as_they_were_written(written, exact):
    assert exact_rate(written) == Fraction(exact)


@pytest.mark.parametrize("rate", [0, -1, "fast", "1/0", float("nan")])
def test_a_rate_is_positive(rate):
    with pytest.raises(ConfigError, match="is no number of Hz"):
        Recording.from_array([1.0], rate, id="pump")
    with pytest.raises(RecordingError, match="pump: the sampling rate is 0 Hz"):
        Recording("pump", lambda: None, Fraction(0))
