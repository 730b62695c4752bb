"""A preparation that is killed leaves nothing half-written that is taken for whole."""

import json

import numpy as np
import pytest

from tests.attacks.stress_scripts import script

_tally, preparations = script("_tally"), script("preparations")


@pytest.fixture
def small(monkeypatch):
    for name, value in (("KILLS", 2), ("RECORDINGS", 8), ("SAMPLES", 1000)):
        monkeypatch.setattr(preparations, name, value)


@pytest.mark.exhaustive
def test_a_small_storm(small):
    storm = _tally.Attack("small", "", preparations.storms, longest_s=600.0)
    assert _tally.here(storm, [7])["outcomes"] == {"survived": 1}


def test_what_is_listed_and_not_whole_is_a_failure(small, monkeypatch):
    damages = iter(
        [
            lambda store: np.save(store / "signals" / "r3.npy", np.ones(1000, np.float32)),
            lambda store: (store / "signals" / "r3.npy").write_bytes(b"half"),
            lambda store: (store / "signals" / ".r3.npy.abcdefgh").write_bytes(b"half"),
            lambda store: (store / "signals" / "r9.npy").write_bytes(b"half"),
            lambda store: (store / "recordings.json").write_text(json.dumps({})),
        ]
    )

    def killed(source, store, chance):
        if not store.exists():
            preparations.prepare(source, store)
            next(damages)(store)
        return True

    monkeypatch.setattr(preparations, "killed", killed)
    result = _tally.here(_tally.Attack("small", "", preparations.storms), range(5))
    assert {seed: text.split("(")[0] for seed, text in result["failures"].items()} == {
        "0": "AssertionError",
        "1": "RecordingError",
        "3": "AssertionError",
        "4": "RecordingError",
    }
    assert result["outcomes"] == {"failed": 4, "survived": 1}
