"""An augmentation added from outside, as one file and one call, and used end to end."""

from copy import copy
from itertools import islice

import numpy as np
import pytest
import torch

from dualres.bench.methods import method
from dualres.bench.methods import model_file as files
from dualres.config import ModelConfig, Recipe, recipe_named
from dualres.errors import ConfigError
from dualres.judge.model import load, save
from dualres.learn.fit import fit_network, fit_recordings
from dualres.learn.settings import FitSettings
from dualres.learn.trained import augment
from dualres.learn.trained.augment import register
from dualres.learn.trained.augment.draws import draws
from dualres.learn.trained.augment.supports import AugmentedSpectra, AugmentedWindows
from dualres.learn.trained.fit import fits_together
from dualres.learn.trained.task import Task
from dualres.model.spectra import aligned_magnitudes, normalise
from dualres.recordings.recording import Recording
from tests.extending import toy_augmentation
from tests.learn.trained.augment.test_supports import whole
from tests.learn.trained.test_fit import tones, weights

TILTED = Recipe(3, more=(("tilt", 0.5),))


class Odd:
    """Whatever it is told to be."""

    def __init__(self, name, curves):
        self.name, self._curves = name, curves

    def draw(self, chance, windows, strength):
        return chance.normal(0.0, strength, windows)

    def curves(self, drawn, frequencies):
        return self._curves(torch.from_numpy(drawn), frequencies)


def slopes(windows, updates=1, seed=41, position=0, strength=0.5):
    chance = np.random.default_rng([3000 + seed, position])
    return [chance.normal(0.0, strength, windows) for _ in range(updates)]


def test_both_views_are_seen_with_its_gains(small):
    windows, labels = tones(small, per_class=2)
    support = AugmentedSpectra(Task(windows, labels, 3, seed=41), small, TILTED)
    order = np.random.default_rng(1041).permutation(6)
    for drawn in slopes(6, updates=2):
        seen = whole(support)
        for view, plain in zip(seen, aligned_magnitudes(torch.from_numpy(windows[order]), small), strict=False):
            gains = np.exp(np.outer(drawn, np.linspace(-1, 1, plain.shape[-1])))
            np.testing.assert_allclose(view, np.log1p(plain.numpy() * gains[:, None]), atol=1e-5)


def test_waveforms_are_filtered_by_its_gains(small):
    windows, labels = tones(small, per_class=2)
    support = AugmentedWindows(Task(windows, labels, 3, seed=41), lambda x: (x,), TILTED, microbatch=6)
    order = np.random.default_rng(1041).permutation(6)
    ((heard, _),) = support.batches()
    spectra = torch.fft.rfft(normalise(torch.from_numpy(windows[order]))).numpy()
    gains = np.exp(np.outer(slopes(6)[0], np.linspace(-1, 1, spectra.shape[-1])))
    np.testing.assert_allclose(torch.fft.rfft(heard), gains * spectra, atol=1e-3)


def test_its_gains_are_added_to_those_of_the_paths(small):
    frequencies = torch.linspace(0, 1, 9).double()
    alone = next(draws(Recipe(path_sigma=1.0), 4, 41)).curve(frequencies)
    tilted = next(draws(Recipe(path_sigma=1.0, more=(("tilt", 0.5),)), 4, 41)).curve(frequencies)
    np.testing.assert_allclose(tilted - alone, np.outer(slopes(4)[0], 2 * frequencies - 1), atol=1e-12)


def test_the_recipe_s_own_draws_stay_what_they_were():
    robust = recipe_named("robust")
    both = [draws(recipe, 5, 41) for recipe in (robust, recipe_named("robust", more=(("tilt", 0.5),)))]
    for plain, tilted in islice(zip(*both, strict=True), 3):
        assert all(np.array_equal(a, b) for a, b in zip(plain.paths, tilted.paths, strict=True))
        assert all(np.array_equal(a, b) for a, b in zip(plain.mixture, tilted.mixture, strict=True))


@pytest.mark.parametrize("recipe", [TILTED, recipe_named("robust", updates=3, more=(("tilt", 0.5),))], ids=str)
def test_a_fit_with_it_is_another_fit_and_always_the_same(recipe, small):
    support = tones(small)
    fits = [fit_network(*support, 3, config=small, recipe=recipe, seed=seed).network for seed in (41, 41, 42)]
    first, again, other = map(weights, fits)
    assert first == again != other
    without = fit_network(*support, 3, config=small, recipe=Recipe(**recipe.as_data() | {"more": ()}))
    assert weights(without.network) != first


def test_it_makes_a_network_outlive_what_it_was_shown(small):
    """What learned from tilted windows does better on others that are."""
    unseen, truth = tones(small, per_class=30, seed=1)
    tilts = np.exp(np.outer(slopes(len(unseen), seed=5, strength=3.0)[0], np.linspace(-1, 1, small.window // 2 + 1)))
    tilted = torch.fft.irfft(torch.fft.rfft(torch.from_numpy(unseen)) * torch.from_numpy(tilts)).float()
    right = []
    for more in ((), (("tilt", 3.0),)):
        recipe = Recipe(150, 1e-2, more=more)
        network = fit_network(*tones(small), 3, config=small, recipe=recipe).network
        with torch.no_grad():
            right.append((network(tilted).argmax(1).numpy() == truth).mean())
    assert right[0] < 0.83 < 0.87 < right[1]


def test_a_comparator_learns_with_it_and_is_read_back(tmp_path):
    windows, labels = tones(ModelConfig(), per_class=2)
    recipe = Recipe(2, more=(("tilt", 0.5),))
    tilted, again, plain = (method("patchtst", r).fit(windows, labels, 3) for r in (recipe, recipe, Recipe(2)))
    states = [np.concatenate([values.ravel() for values in one.state().values()]) for one in (tilted, again, plain)]
    assert np.array_equal(states[0], states[1])
    assert not np.array_equal(states[0], states[2])
    save(files.as_model(tilted, ["a", "b", "c"], {}), tmp_path / "patchtst.safetensors")
    assert files.load(tmp_path / "patchtst.safetensors").card.recipe == recipe


def test_the_card_of_a_model_names_it(small, tmp_path):
    windows, labels = tones(small, per_class=2)
    recordings = [Recording.from_array(window, small.rate, id=f"{i}") for i, window in enumerate(windows)]
    settings = FitSettings(windows_each=1, config=small, recipe=TILTED)
    model, _ = fit_recordings(recordings, [f"{label}" for label in labels], ["0", "1", "2"], settings)
    save(model, tmp_path / "model.safetensors")
    found = load(tmp_path / "model.safetensors").card.recipe
    assert found == TILTED
    assert str(found) == "paper, updates=3, tilt=0.5"


def test_a_gpu_s_kernels_are_not_asked_for_it(monkeypatch):
    monkeypatch.setattr("dualres.learn.trained.fit.available", lambda config, device: True)
    assert fits_together(ModelConfig(), "cuda", Recipe())
    assert not fits_together(ModelConfig(), "cuda", TILTED)


def test_names_are_new_and_registered(small):
    with pytest.raises(ConfigError, match=r"'hum' is not registered; there are .*tilt"):
        fit_network(*tones(small), 3, config=small, recipe=Recipe(1, more=(("hum", 1.0),)))
    with pytest.raises(ConfigError, match="'tilt' is registered already"):
        register(toy_augmentation.Tilt())
    for name in ("mixup", "a b", ""):
        with pytest.raises(ConfigError, match="pairs of a name"):
            register(Odd(name, torch.outer))


@pytest.mark.parametrize(
    ("name", "curves"),
    [
        ("transposed", lambda slopes, f: torch.outer(f, slopes)),
        ("shared", lambda slopes, f: f),
        ("infinite", lambda slopes, f: torch.outer(slopes, f) / 0),
    ],
)
def test_gains_that_cannot_be_used(name, curves, small, monkeypatch):
    monkeypatch.setattr(augment, "_known", copy(augment._known))
    register(Odd(name, curves))
    with pytest.raises(ConfigError, match=f"'{name}' gave log-gains"):
        fit_network(*tones(small), 3, config=small, recipe=Recipe(1, more=((name, 1.0),)))
