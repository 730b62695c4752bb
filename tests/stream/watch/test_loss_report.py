import pytest

from dualres.stream.watch import loss_report as losses
from dualres.stream.watch.loss_report import Losses


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(losses.time, "monotonic", lambda: now[0])
    return now


def test_a_loss_is_told_when_it_begins_and_when_it_is_over(clock):
    said = []
    told = Losses(said.append)
    told.count(0)
    assert said == []
    for lost in (5, 1000, 1000):
        clock[0] += 1
        told.count(lost)
    assert len(said) == 1
    assert "told as missing" in said[0]
    clock[0] += losses.CALM_S
    told.count(1000)
    told.count(1000)
    assert said[1:] == ["1,000 samples were lost, and no more are"]
    told.count(1007, ended=True)
    assert said[3:] == ["7 samples were lost, and no more are"]


def test_nothing_is_said_at_the_end_where_nothing_was_lost(clock):
    said = []
    Losses(said.append).count(0, ended=True)
    assert said == []
