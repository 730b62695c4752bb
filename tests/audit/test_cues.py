"""Classes that how they were recorded gives away."""

import numpy as np
import pytest

from dualres.audit import Split, audit, cues
from dualres.recordings.recording import Recording

CLASSES = ("good", "inner", "outer")
EACH = 6  # recordings per class, half of them judged


def given_away(rate=None, make=None, each=EACH):
    """What is found where class i is recorded at `rate(i)` Hz, or its noise is altered by `make(i, noise, rng)`."""
    rng = np.random.default_rng(3)
    recordings = []
    for i, label in enumerate(CLASSES):
        for n in range(each):
            noise = rng.standard_normal(4_000)
            hz = rate(i) if rate else 8_000
            signal = make(i, noise, rng) if make else noise
            recordings.append(Recording.from_array(signal, hz, f"{label}{n}", label))
    ids = [r.id for r in recordings]
    findings = audit(recordings, Split(tuple(ids[::2]), tuple(ids[1::2]), "recording"))
    assert {f.kind for f in findings} <= {"class-given-away"}
    assert all(f.recordings == tuple(ids[1::2]) for f in findings)
    return {f.evidence["cue"]: f for f in findings}


def test_equal_recordings_give_nothing_away():
    assert given_away() == {}


def test_by_the_rate_also_with_one_recording_each():
    found = given_away(rate=lambda i: 8_000 if i else 12_000)
    assert found["rate"].severity == "leak"
    assert found["rate"].evidence["right"] == pytest.approx(2 / 3)
    assert found["rate"].evidence["chance"] == pytest.approx(1 / 3, abs=0.05)
    assert given_away(rate=lambda i: 8_000 + 1_000 * i, each=2)["rate"].severity == "leak"


def test_by_the_length_unless_lengths_scatter():
    found = given_away(make=lambda i, noise, rng: noise[: 4_000 - 800 * i])
    assert list(found) == ["length"]
    assert (found["length"].severity, found["length"].evidence["right"]) == ("leak", 1.0)
    assert given_away(make=lambda i, noise, rng: noise[: rng.integers(2_500, 4_000)]) == {}
    assert given_away(make=lambda i, noise, rng: noise[: 4_000 - 2 * i]) == {}


def test_by_the_offset_the_amplitude_and_clipping():
    found = given_away(make=lambda i, noise, rng: noise + 0.5 * i)
    assert list(found) == ["offset"]
    assert found["offset"].severity == "warning"
    found = given_away(make=lambda i, noise, rng: noise * 2.0**i)
    assert found["amplitude"].severity == "warning"
    assert found["amplitude"].evidence["right"] == 1.0
    found = given_away(make=lambda i, noise, rng: np.clip(noise, -3 + i, 3 - i) / np.clip(noise, -3 + i, 3 - i).std())
    assert "clipping" in found
    assert not any(f.severity == "leak" for f in found.values())


@pytest.mark.parametrize("at_once", [1, 40, 10**6])
def test_labels_of_the_nearest_are_counted_by_their_order(monkeypatch, at_once):
    monkeypatch.setattr(cues, "_AT_ONCE", at_once)
    rng = np.random.default_rng(4)
    learned, judged, tolerance = rng.integers(0, 12, 30) / 4, rng.integers(-2, 15, 11) / 4, 0.3
    labels = np.eye(3)[rng.integers(0, 3, 30)], np.eye(3)[rng.integers(0, 2, 11)]
    near = np.abs(judged[:, None] - learned)
    votes = (near <= near.min(1, keepdims=True) + tolerance) @ labels[0] > 0
    answers = votes / votes.sum(1, keepdims=True)
    expected = [np.mean([answers[labels[1][:, k] > 0, k].mean() for k in range(2)])]
    found = cues._right(cues._Near.of(judged, learned, tolerance), *(one[None] for one in labels))
    np.testing.assert_allclose(found, expected)
    shuffled = list(cues._shuffled(*labels))
    assert [sum(len(side) for side in sides) for sides in zip(*shuffled, strict=True)] == [999, 999]
