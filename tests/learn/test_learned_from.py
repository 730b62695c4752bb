from dataclasses import replace

import numpy as np
import pytest

from dualres.config import POLYPHASE, ModelConfig
from dualres.learn.learned_from import learned_from
from dualres.learn.support import spread_support
from dualres.recordings.recording import Origin, Recording

CONFIG = ModelConfig()


def test_names_rates_units_and_looks_without_reading_again():
    noise = np.random.default_rng(0).standard_normal(12_800)
    reads = []

    def made(name, gain, origin):
        one = Recording.from_array(gain * noise, 12_800, name)
        return replace(one, origin=origin, load=lambda: reads.append(name) or one.load())

    recordings = [made("a", 1, Origin(channel="DE", unit="g")), made("b", 4, Origin(channel="DE", unit="g"))]
    shown = {"windows_each": 2, "resampler": POLYPHASE}
    support = spread_support(recordings, ["good", "worn"], ["good", "worn"], CONFIG, **shown)
    before = len(reads)
    found = learned_from(recordings, support, CONFIG.rate)
    assert len(reads) == before
    looks = found.pop("looks")
    assert found == {"channels": ["DE"], "rates": ["12800"], "units": ["g"]}
    assert looks["level"] == pytest.approx([1, 4], rel=0.05)
    assert looks["level"][1] == pytest.approx(4 * looks["level"][0], rel=0.01)
    assert looks["seconds"] == pytest.approx([0.768, 0.768])
    assert all(5000 < hz < 6500 for hz in looks["bandwidth_hz"]), "half the rate of the recordings, not of the model"
    assert all(3 < one < 6 for one in looks["crest"])
