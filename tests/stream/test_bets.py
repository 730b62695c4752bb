"""Bets that a healthy machine wins nothing by."""

import numpy as np
import pytest

from dualres.stream.bets import KAPPAS, LEAST, Bets


def autoregression(rng, correlation, count):
    scores = [rng.standard_normal()]
    for noise in rng.standard_normal(count - 1) * np.sqrt(1 - correlation**2):
        scores.append(correlation * scores[-1] + noise)
    return np.array(scores)


def paid(bets):
    """What bets pay on average to a healthy machine of uniform scores, (kappas,), exactly."""
    edges = np.array([0, *bets.stretches[0], 1])
    pays = np.exp(bets.repeats * bets.against(edges[1:]))  # constant between two healthy scores
    return np.diff(edges) @ pays


def test_bets_are_fair_in_the_share_of_references_that_is_promised():
    rng = np.random.default_rng(1)
    references = [Bets.learned([rng.uniform(size=200)], 0.9) for _ in range(300)]
    averages = np.array([paid(bets) for bets in references if bets])
    assert len(averages) > 250
    assert (averages > 1).any(1).mean() <= 0.1
    assert averages.mean() > 0.6  # and no more is paid for it than needed
    # a p-value alone is fair on average over references, and not for this one
    free = np.exp([np.array(bets.costs[0]) for bets in references if bets])
    usual = np.array([np.mean((np.arange(1, 202) / 201) ** (kappa - 1)) for kappa in KAPPAS])
    assert (averages * free / usual > 1).any(1).mean() > 0.3


@pytest.mark.parametrize(("correlation", "fewest", "most"), [(0.0, 1, 1), (0.5, 2, 4), (0.9, 12, 64)])
def test_blocks_are_joined_until_they_are_nearly_independent(correlation, fewest, most):
    bets = Bets.learned([autoregression(np.random.default_rng(2), correlation, 8000)], 0.9)
    assert bets
    assert fewest <= bets.joined <= most
    assert len(bets.stretches) == 1
    assert len(bets.stretches[0]) == 8000 // bets.joined
    assert 1 <= bets.repeats <= 1.8


def test_a_drifting_reference_is_cut_and_its_highest_piece_counts():
    rng = np.random.default_rng(3)
    load = 2 * np.sin(2 * np.pi * np.arange(8000) / 8000)
    bets = Bets.learned([rng.standard_normal(8000) + load], 0.9)
    assert bets
    assert len(bets.stretches) >= 4
    assert (bets.against(2.5) < 0).all()  # usual at the highest load
    assert bets.against(6).max() > 1
    steady = Bets.learned([rng.standard_normal(8000)], 0.9)
    assert steady
    assert steady.against(2.5).max() > 1


def test_what_never_becomes_independent_is_refused():
    rng = np.random.default_rng(4)
    assert Bets.learned([np.cumsum(rng.standard_normal(400))], 0.9) is None
    assert Bets.learned([rng.standard_normal(LEAST - 1)], 0.9) is None
    assert Bets.learned([rng.standard_normal(500), rng.standard_normal(LEAST - 1)], 0.9) is None
    assert Bets.learned([[]], 0.9) is None


def test_a_block_counts_as_far_as_it_is_unusual_for_every_stretch():
    rng = np.random.default_rng(5)
    low, high = rng.uniform(0, 1, 200), rng.uniform(2, 3, 200)
    both = Bets.learned([low, high], 0.9)
    assert both
    assert (both.against(1.5) < 0).all()
    assert (both.against(4.0) > 0).all()
    assert both.back(1.5) > 0 > both.back(4.0)


def test_bets_grow_with_the_score_and_an_equal_score_is_no_evidence():
    bets = Bets.learned([np.zeros(100)], 0.9)
    assert bets
    assert (bets.against(0.0) < 0).all()
    assert (bets.against(1e-9) > 0).all()
    rng = np.random.default_rng(6)
    steps = Bets.learned([rng.standard_normal(300)], 0.9)
    assert steps
    assert (np.diff(steps.against(np.linspace(-4, 4, 500)), axis=0) >= 0).all()
    assert (np.diff([steps.back(score) for score in np.linspace(-4, 4, 500)]) <= 0).all()
