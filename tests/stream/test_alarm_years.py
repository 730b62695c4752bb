"""The simulation of years in stress/ bets as an alarm does."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from dualres.stream.alarm import Alarm
from dualres.stream.bets import Bets

sys.path.insert(0, str(Path(__file__).parents[2] / "stress"))
from alarm_years import BLOCK_S, HEALTHY, STEPS, Healthy, Machines, steady

INDEPENDENT = Healthy(0.0, False, "", steady(1500))


class Given(Machines):
    """Machines whose scores are given, (bets, machines)."""

    given: np.ndarray

    def scores(self, done):
        rest = self.given[done : done + STEPS]
        quiet = np.full((STEPS - len(rest), 1), -9, np.float32)
        return torch.from_numpy(np.vstack([rest, quiet]))


def test_many_machines_at_once_are_alarmed_when_each_would_be():
    rng, between = np.random.default_rng(1), 1000
    references = [INDEPENDENT.reference(INDEPENDENT, rng) for _ in range(20)]
    bets = [Bets.learned(reference, 0.9) for reference in references]
    assert {one.joined for one in bets if one} == {1}
    given = rng.standard_normal((120, len(bets))).astype(np.float32)
    given[60:] += 2
    first = []
    for column, reference in enumerate(references):
        alarm = Alarm.learned(reference, blocks_between_false_alarms=between)
        states = [alarm.update(float(score)) for score in given[:, column]]
        first.append(next(i for i, state in enumerate(states) if state.raised))
    for column, bet in enumerate(first):
        alone = Given(INDEPENDENT, bets[column : column + 1], 1)
        alone.given = given[: bet + 1, column : column + 1]
        assert alone.alarms(between, 1) == [1]  # a cell rounds scores up, so never later
        alone.given = given[: bet - 2, column : column + 1]
        assert alone.alarms(between, 1) == [0]


@pytest.mark.parametrize("healthy", HEALTHY[1:3], ids=lambda healthy: str(healthy.correlation))
def test_means_of_joined_blocks_are_those_of_the_autoregression(healthy):
    rng = np.random.default_rng(2)
    bets = Bets.learned(healthy.reference(healthy, rng), 0.9)
    assert bets
    machines = Machines(healthy, [bets] * 100, 2)
    found = torch.cat([machines.scores(0).cpu() for _ in range(10)]).numpy()
    blocks = healthy.scores(rng, 20_000 * bets.joined * BLOCK_S).reshape(-1, bets.joined).mean(1)
    assert found.std() == pytest.approx(blocks.std(), rel=0.03)
    alike = np.corrcoef(found[1:].ravel(), found[:-1].ravel())[0, 1]
    assert alike == pytest.approx(np.corrcoef(blocks[1:], blocks[:-1])[0, 1], abs=0.03)
