from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dualres.config import POLYPHASE, ModelConfig, Recipe
from dualres.learn import closed_form
from dualres.learn.fit import expected_s, fit_recordings, learned_from
from dualres.learn.settings import FitSettings
from dualres.learn.support import spread_support
from dualres.learn.trained.fit import fit_network
from dualres.model.kinds import network_recipe
from dualres.recordings.recording import Origin, Recording
from tests.learn.trained.test_fit import tones, weights

CONFIG = ModelConfig()


def test_members_are_the_fits_of_the_seeds_that_follow(small):
    windows, targets = tones(small)
    names = ["a", "b", "c"]
    recordings = [Recording.from_array(w, small.rate, id=f"{i}") for i, w in enumerate(windows)]
    heard = []
    settings = FitSettings(windows_each=1, config=small, recipe=Recipe(2), seed=7, members=3)
    labels = [names[t] for t in targets]
    model, history = fit_recordings(recordings, labels, names, settings, progress=lambda *told: heard.append(told))
    alone = [fit_network(windows, targets, 3, config=small, recipe=Recipe(2), seed=seed) for seed in (7, 8, 9)]
    assert model.card.seeds == (7, 8, 9)
    assert [weights(n) for n in model.networks] == [weights(one.network) for one in alone]
    assert history == [step for one in alone for step in one.history]
    assert heard == [("Updates", i, 6, f"loss {step.loss:.3f}") for i, step in enumerate(history, start=1)]


def test_the_expected_time_grows_with_windows_and_updates(small):
    little = expected_s(20, network_recipe(Recipe(10)), small)
    assert 0 < little < 60
    assert expected_s(2000, network_recipe(Recipe(100)), small) > 20 * little


@pytest.mark.parametrize(("recipe", "heads"), [("orders", 7), ("views", 4)])
def test_the_expected_time_is_that_of_looking_and_of_the_heads(monkeypatch, recipe, heads):
    """Heads take as long for many windows as for few."""
    now = iter([0.0, *(1.0 + 2 * i for i in range(heads + 1))] * 2)  # a second for 32 windows, then two for every head
    monkeypatch.setattr(closed_form, "time", SimpleNamespace(perf_counter=lambda: next(now)))
    assert expected_s(64, network_recipe(recipe)) == 2 + 2 * heads
    assert expected_s(3200, network_recipe(recipe)) == 100 + 2 * heads


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
