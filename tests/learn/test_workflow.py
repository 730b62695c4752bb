"""What `dualres fit` does, as a function."""

import dataclasses

import numpy as np
import pytest

from dualres.audit import LeakError
from dualres.errors import ConfigError
from dualres.learn.fit import fit_recordings
from dualres.learn.settings import FitSettings
from dualres.learn.workflow import fit_model
from tests.learn.test_estimate import FEW, recording


@pytest.fixture(scope="module")
def recordings():
    names = ("a", "bb", "ccc", "dddd")  # the noise in them depends on the length
    return [recording(n, "good" if n < "c" else "worn", n) for n in names]


def test_it_estimates_fits_on_all_and_tells_it_on_the_card(recordings):
    told, announced = [], []
    fitted = fit_model(recordings, **FEW, members=2, announce=announced.append, progress=lambda *x: told.append(x[:3]))
    assert announced == [fitted.forecast]
    assert fitted.forecast.fits == 6, "two rounds and the fit on all, of two networks each"
    assert fitted.forecast.total_s == 6 * fitted.forecast.each_s > 0
    half, again, whole = fitted.forecast.stages.values()
    assert half == again == whole / 2 == fitted.forecast.each_s, "two members learn from half of the recordings"
    card = fitted.model.card
    assert (card.held_out, card.score) == (fitted.estimate.unit, fitted.estimate.as_score())
    assert (card.classes, card.seeds) == (("good", "worn"), (41, 42))
    assert len(fitted.history) == 4
    assert told[-1] == ("Learn from all", 4, 4)
    assert list(dict.fromkeys(stage for stage, *_ in told)) == ["Time one update", *fitted.forecast.stages]
    assert list(fitted.forecast.stages) == ["Hold out, round 1 of 2", "Hold out, round 2 of 2", "Learn from all"]


def test_the_model_is_the_one_that_a_plain_fit_gives(recordings):
    fitted = fit_model(recordings, **FEW, estimate=False, seed=7)
    labels = [r.label for r in recordings]
    plain, history = fit_recordings(recordings, labels, ("good", "worn"), FitSettings(**FEW, seed=7))
    assert fitted.history == history
    assert fitted.model.card == plain.card
    assert (fitted.estimate, fitted.forecast) == (None, None)
    for name, tensor in plain.network.state_dict().items():
        np.testing.assert_array_equal(fitted.model.network.state_dict()[name], tensor)


def test_without_a_recipe_one_network_of_orders_is_fitted_whatever_the_members(recordings):
    told, announced = [], []
    fitted = fit_model(
        recordings, windows_each=1, members=3, announce=announced.append, progress=lambda *x: told.append(x[:3])
    )
    assert fitted.forecast.fits == 3, "two rounds and the fit on all"
    card = fitted.model.card
    assert (card.method, card.recipe, card.members, fitted.history) == ("dualres/orders", None, 1, [])
    assert (told[0], told[-1]) == (("Find speeds", 0, 4), ("Learn from all", 8, 8)), "one batch and seven heads"
    assert ("Time a small fit", 0, 1) in told
    assert list(fitted.forecast.stages) == [*(f"Hold out, round {i} of 2" for i in (1, 2)), "Learn from all"]


def test_strict_refuses_a_copy_before_anything_is_fitted(recordings):
    copied = [recordings[0], dataclasses.replace(recordings[0], id="bb", component="bb"), *recordings[2:]]
    with pytest.raises(LeakError):
        fit_model(copied, **FEW, estimate=False, strict=True, announce=lambda forecast: pytest.fail("too late"))


def test_settings_have_the_default_recipe_and_refuse_what_has_no_label(recordings):
    settings = FitSettings(tuple(recordings))
    assert settings.recipe is None, "orders"
    assert (settings.labels, settings.classes) == (("good", "good", "worn", "worn"), ("good", "worn"))
    with pytest.raises(ConfigError, match="bb: has no label"):
        FitSettings((recordings[0], dataclasses.replace(recordings[1], label=None)))
    with pytest.raises(ConfigError, match="two classes or more"):
        fit_model(recordings[:2])


@pytest.mark.parametrize("members", [0, -1, 65, 1.5])
def test_a_number_of_members_that_no_model_has(members):
    with pytest.raises(ConfigError, match="whole number from 1 to 64"):
        FitSettings(members=members)
