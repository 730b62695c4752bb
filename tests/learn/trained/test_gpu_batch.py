from dataclasses import replace
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from dualres.config import Recipe, recipe_named
from dualres.learn.trained import fit
from dualres.learn.trained import gpu_batch as bundle
from dualres.learn.trained.augment.draws import draws
from dualres.learn.trained.augment.standardise import no_standard, standard_of
from dualres.learn.trained.batches import support_order
from dualres.learn.trained.fit import fit_networks
from dualres.learn.trained.gpu_batch import augmentation_of
from dualres.learn.trained.task import Task
from tests.learn.trained.test_fit import tones, weights


class TestAtOnce:
    """What is fitted at once where a GPU can, its kernels replaced by the readable path."""

    @pytest.fixture
    def bundles(self, monkeypatch):
        """Lengths and number of the supports of every fit; `most` is how many the memory is large enough for."""
        seen = SimpleNamespace(of=[], most=9, collected=0)

        def fit_bundle(tasks, config, recipe, progress):
            (length,) = {len(task.windows) for task in tasks}
            seen.of.append((length, len(tasks)))
            if len(tasks) > seen.most:
                raise torch.cuda.OutOfMemoryError("1 TiB")
            return [fit._fit_alone(replace(task, device="cpu"), config, recipe) for task in tasks]

        def collect():
            seen.collected += 1

        monkeypatch.setattr(fit, "fits_together", lambda config, device, recipe: device == "cuda")
        monkeypatch.setattr(bundle, "fit_bundle", fit_bundle)
        monkeypatch.setattr(bundle, "gc", SimpleNamespace(collect=collect))
        return seen

    def fits(self, small, per_class, device):
        supports, labels = zip(*(tones(small, count, seed) for seed, count in enumerate(per_class)), strict=True)
        seeds = range(41, 41 + len(per_class))
        tasks = [Task(*its, 3, seed, device) for *its, seed in zip(supports, labels, seeds, strict=True)]
        fitted = fit_networks(tasks, small, Recipe(2))
        return [(weights(one.network), one.history) for one in fitted]

    def test_supports_of_one_length_are_and_the_order_stays(self, small, bundles):
        assert self.fits(small, (4, 2, 4, 2, 4), "cuda") == self.fits(small, (4, 2, 4, 2, 4), "cpu")
        assert bundles.of == [(12, 3), (6, 2)]

    def test_a_bundle_too_large_for_the_memory_is_fitted_in_halves(self, small, bundles):
        bundles.most = 1
        assert self.fits(small, (2, 2, 2), "cuda") == self.fits(small, (2, 2, 2), "cpu")
        assert bundles.of == [(6, 3), (6, 1), (6, 2), (6, 1), (6, 1)]
        assert bundles.collected == 2

    def test_a_single_fit_too_large_for_the_memory_takes_no_other_path(self, small, bundles):
        bundles.most = 0
        with pytest.raises(torch.cuda.OutOfMemoryError):
            self.fits(small, (2, 2), "cuda")
        assert bundles.of == [(6, 2), (6, 1)]


class TestAugmentation:
    """What a GPU is told to do to the windows."""

    def test_windows_are_shown_as_drawn_for_them_whatever_their_order(self):
        seeds, windows, recipe = [5, 41], 6, recipe_named("robust")
        told = augmentation_of(recipe, windows, seeds)
        assert (told.waves, told.standard_of) == (recipe.path_waves, standard_of)
        for seed, source in zip(seeds, told.sources, strict=True):
            order = support_order(seed, windows)
            for shown, drawn in zip(islice(source, 3), draws(recipe, windows, seed), strict=False):
                amplitudes, phases, partners, shares = (array[order] for array in shown)
                assert (amplitudes == drawn.paths.amplitudes).all()
                assert (phases == drawn.paths.phases).all()
                assert (partners == order[drawn.mixture.partners]).all()
                assert (shares == drawn.mixture.shares).all()

    def test_a_plain_recipe_shows_windows_as_they_are(self):
        assert augmentation_of(Recipe(), 6, [5]) is None
        told = augmentation_of(Recipe(standardise=True), 6, [5])
        amplitudes, phases, partners, shares = next(told.sources[0])
        assert amplitudes.shape == phases.shape == (6, told.waves) == (6, 0)
        assert (partners == np.arange(6)).all()
        assert (shares == 1).all()
        assert augmentation_of(Recipe(mixup=True), 6, [5]).standard_of is no_standard
