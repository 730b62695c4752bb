import numpy as np
import pytest

from dualres.recordings.facts import BANDS, facts_of
from dualres.recordings.recording import Recording


def test_a_tone_on_an_offset_in_a_few_numbers():
    t = np.arange(12_000) / 6000
    signal = 0.5 + 2 * np.sin(2 * np.pi * 1025 * t) + 0.01 * np.random.default_rng(0).standard_normal(len(t))
    facts = facts_of(Recording.from_array(signal, 6000))
    assert (facts.samples, facts.seconds) == (12_000, 2.0)
    assert (facts.mean, facts.rms, facts.crest) == pytest.approx((0.5, np.sqrt(2), np.sqrt(2)), rel=0.02)
    assert len(facts.spectrum) == BANDS
    assert int(np.argmax(facts.spectrum)) == int(1025 / (3000 / BANDS))
    assert (min(facts.spectrum), max(facts.spectrum)) == (0.0, 1.0)
