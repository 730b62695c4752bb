"""A campaign whose processes are killed ends as one that is left alone."""

import os
from functools import partial
from pathlib import Path

import pytest

from tests.attacks.stress_scripts import script

_tally, kill_storm = script("_tally"), script("kill_storm")


@pytest.mark.exhaustive
@pytest.mark.skipif(not Path(f"/proc/self/task/{os.getpid()}/children").exists(), reason="needs Linux")
def test_a_small_storm():
    plan = kill_storm.Plan(jobs=6, kills=2, workers=1)
    storm = _tally.Attack("small", "", partial(kill_storm.storms, plan), longest_s=600.0, each=plan.kills)
    result = _tally.here(storm, [7])
    assert result["failures"] == {}
    assert (result["tries"], result["outcomes"]) == (2, {"survived": 1})


def test_a_lost_job_is_a_failure(monkeypatch):
    whole = {"a": "1", "b": "2"}
    monkeypatch.setattr(kill_storm, "coordinate", lambda folder, plan: None)
    storm = kill_storm.Storm({"worker": 1})
    monkeypatch.setattr(kill_storm, "rage", lambda folder, plan, seed: folder.mkdir() or storm)
    stormy = iter([{"a": "1"}, {"a": "1", "b": "3"}, whole])
    monkeypatch.setattr(kill_storm, "scores", lambda folder: whole if folder.name == "calm" else next(stormy))
    attack = _tally.Attack("small", "", partial(kill_storm.storms, kill_storm.Plan(jobs=2, kills=1)))
    result = _tally.here(attack, range(3))
    assert "1 jobs were done, not 2" in result["failures"]["0"]
    assert "scores differ" in result["failures"]["1"]
    assert result["outcomes"] == {"failed": 2, "survived": 1}
