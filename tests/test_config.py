import dataclasses

import pytest

from dualres.config import ModelConfig, Recipe
from dualres.errors import ConfigError, DualResError


def test_the_paper_s_numbers():
    paper = ModelConfig()
    assert (paper.crop, paper.tokens, paper.token_rate) == (3, 249, 500)
    assert (paper.short_bins, paper.long_bins) == (129, 513)
    assert paper.window_s == 0.512


def test_it_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ModelConfig().width = 32


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"hop": 100}, r"frame offset .* = 3.84 is not a whole number"),
        ({"width": 63}, "width=63 is odd"),
        ({"short": 255}, "must be even"),
        ({"short": 2048}, "longer than long"),
        ({"window": 1000}, "shorter than one long frame"),
        ({"window": 2**25}, "at most"),
        ({"states": 0}, "positive whole number"),
        ({"hop": 1.5}, "positive whole number"),
        ({"rate": True}, "positive whole number"),
        ({"half_life_s": (0.0, 1.0)}, "half_life_s"),
        ({"frequency_hz": (10.0, 250.0)}, "between 0 and 250 Hz"),
        ({"dropout": 1.0}, "dropout"),
        ({"jitter": -0.1}, "jitter"),
        ({"jitter": float("nan")}, "jitter"),
        ({"branches": "middle"}, "'both', 'short', 'long'"),
    ],
)
def test_what_cannot_work_is_refused_with_the_reason(settings, reason):
    with pytest.raises(ConfigError, match=reason):
        ModelConfig(**settings)


@pytest.mark.parametrize("settings", [{"updates": 0}, {"learning_rate": 0.0}, {"decay": 1.5}])
def test_recipes_too(settings):
    with pytest.raises(DualResError, match=next(iter(settings))):
        Recipe(**settings)


def test_the_learning_rate_falls_from_the_second_update_on():
    recipe = Recipe()
    assert recipe.rate_at(1) == 5e-4
    assert recipe.rate_at(3) == pytest.approx(5e-4 * 0.99**2)
