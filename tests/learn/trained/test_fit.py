from dataclasses import replace
from functools import partial
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from dualres.config import ModelConfig, Recipe, recipe_named
from dualres.kernel import compiled
from dualres.kernel.training import available
from dualres.learn.support import MICROBATCH
from dualres.learn.trained import fit
from dualres.learn.trained.augment.draws import draws
from dualres.learn.trained.augment.paths import curves, draw_paths, filtered
from dualres.learn.trained.augment.standardise import no_standard, standard_of
from dualres.learn.trained.fit import augmentation_of, fit_network, fit_networks, fits_together
from dualres.learn.trained.task import Task
from dualres.learn.trained.train import seeded, support_order
from dualres.model.network import DualRes


def tones(config, per_class=8, seed=0):
    """Three classes that differ in frequency, in noise."""
    rng = np.random.default_rng(seed)
    labels = np.arange(3 * per_class) % 3
    t = np.arange(config.window) / config.rate
    phases = rng.uniform(0, 2 * np.pi, len(labels))[:, None]
    windows = np.sin(2 * np.pi * (100 + 200 * labels[:, None]) * t + phases)
    return (windows + 0.5 * rng.standard_normal(windows.shape)).astype(np.float32), labels


def weights(network):
    return b"".join(p.detach().numpy().tobytes() for p in network.parameters())


def right_on_unseen(network, small):
    unseen, truth = tones(small, seed=1)
    with torch.no_grad():
        return (network(torch.from_numpy(unseen)).argmax(1).numpy() == truth).mean()


def test_it_learns_what_can_be_learned(small):
    fitted = fit_network(*tones(small), 3, config=small, recipe=Recipe(200, 1e-2))
    losses = [s.loss for s in fitted.history]
    assert losses[-1] < 0.2 < 0.9 < losses[0]
    assert right_on_unseen(fitted.network, small) > 0.9
    assert not fitted.network.training


def test_the_history_tells_update_loss_and_learning_rate(small):
    seen = []
    fitted = fit_network(
        *tones(small), 3, config=small, recipe=Recipe(5), progress=lambda step, total: seen.append((step, total))
    )
    assert [s.update for s in fitted.history] == [1, 2, 3, 4, 5]
    assert [s.learning_rate for s in fitted.history] == pytest.approx([5e-4 * 0.99**e for e in range(5)])
    assert seen == [(step, 5) for step in fitted.history]


@pytest.mark.parametrize("recipe", [Recipe(5), recipe_named("robust", updates=4)], ids=["paper", "robust"])
def test_the_same_seed_gives_the_same_weights_to_the_last_bit(small, recipe):
    fits = [fit_network(*tones(small), 3, config=small, recipe=recipe, seed=s) for s in (41, 41, 42)]
    first, again, other = (weights(f.network) for f in fits)
    assert first == again
    assert first != other


def test_under_the_paper_s_recipe_a_fit_is_what_it_always_was():
    """Whoever changes these changes every result there is. Measured before there was another recipe."""
    rng = np.random.default_rng(0)
    windows = rng.standard_normal((6, 32_768)).astype(np.float32)
    fitted = fit_network(windows, np.arange(6) % 3, 3, recipe=Recipe(4))
    losses = [step.loss for step in fitted.history]
    assert losses == pytest.approx([1.0817083, 1.2357425, 1.3109419, 1.0700759], rel=1e-6)


def test_under_the_paper_s_recipe_weights_are_those_of_the_plainest_loop(small):
    (windows, labels), order = tones(small), np.random.default_rng(1041).permutation(24)
    with seeded(41):
        network = DualRes(3, small, 41).train()
        views = [view[order] for view in network.spectra(torch.from_numpy(windows))]
        optimiser = torch.optim.Adam(network.parameters())
        for update in range(5):
            optimiser.param_groups[0]["lr"] = 5e-4 * 0.99**update
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(network.classify(*views), torch.from_numpy(labels[order])).backward()
            optimiser.step()
    assert weights(network) == weights(fit_network(windows, labels, 3, config=small, recipe=Recipe(5)).network)


def test_the_caller_s_generator_is_left_alone(small):
    before = torch.get_rng_state()
    fit_network(*tones(small), 3, config=small, recipe=Recipe(2))
    assert torch.equal(torch.get_rng_state(), before)


def test_spectra_are_computed_once(small, monkeypatch):
    (windows, labels), seen, original = tones(small), [], DualRes.spectra
    monkeypatch.setattr(DualRes, "spectra", lambda self, w: seen.append(len(w)) or original(self, w))
    fit_network(windows, labels, 3, config=small, recipe=Recipe(10))
    assert sum(seen) == len(windows)


def test_frozen_parameters_do_not_move(small):
    config = ModelConfig(**{**vars(small), "branches": "long", "rotation": False})
    start = DualRes(3, config, seed=41)
    end = fit_network(*tones(small), 3, config=config, recipe=Recipe(3)).network
    assert torch.equal(start.encoder.short.weight, end.encoder.short.weight)
    assert torch.equal(start.encoder.memory.pitch, end.encoder.memory.pitch)
    assert not torch.equal(start.encoder.long.weight, end.encoder.long.weight)


def test_an_interrupted_fit_stops_at_once(small):
    def interrupt(step, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_network(*tones(small), 3, config=small, progress=interrupt)


def test_a_support_larger_than_a_microbatch_is_all_used(small):
    windows, labels = tones(small, per_class=MICROBATCH)
    (step,) = fit_network(windows, labels, 3, config=small, recipe=Recipe(1)).history
    assert step.loss == pytest.approx(1.1, abs=0.3)


@pytest.mark.skipif(not available(), reason="the compiled library is not built")
class TestCompiledStep:
    """At the paper's sizes; the small network is PyTorch's alone."""

    @pytest.mark.parametrize(
        ("settings", "recipe", "off"),
        [
            ({}, Recipe(10), 1e-5),
            ({"branches": "short", "rotation": False, "jitter": 0.0}, Recipe(10), 1e-5),
            ({}, recipe_named("robust", updates=6), 1e-4),
        ],
        ids=str,
    )
    def test_it_learns_what_pytorch_learns(self, settings, recipe, off, monkeypatch):
        config = ModelConfig(**settings)
        support = tones(config, per_class=3)
        fast = fit_network(*support, 3, config=config, recipe=recipe)
        monkeypatch.setenv(compiled.SETTING, compiled.OFF)
        plain = fit_network(*support, 3, config=config, recipe=recipe)
        losses = [[step.loss for step in fitted.history] for fitted in (fast, plain)]
        assert losses[0] == pytest.approx(losses[1], rel=off)
        assert losses[0] != losses[1], "both went the same way"
        assert recipe.augments or losses[0][-1] < losses[0][0]

    def test_the_same_seed_and_threads_give_the_same_weights_to_the_last_bit(self):
        config, before = ModelConfig(), torch.get_num_threads()
        try:
            for threads in (1, 2):
                torch.set_num_threads(threads)
                fits = [
                    fit_network(*tones(config, 4), 3, config=config, recipe=Recipe(3), seed=s) for s in (41, 41, 42)
                ]
                first, again, other = (weights(fitted.network) for fitted in fits)
                assert first == again
                assert first != other
        finally:
            torch.set_num_threads(before)


class TestAugmented:
    """Fits by a recipe that shows every window by other paths, blended and standardised."""

    def test_it_learns_what_can_be_learned(self, small):
        recipe = recipe_named("robust", updates=200, learning_rate=1e-2)
        fitted = fit_network(*tones(small), 3, config=small, recipe=recipe)
        assert right_on_unseen(fitted.network, small) > 0.9
        assert fitted.history[-1].loss < fitted.history[0].loss

    def test_what_it_learned_outlives_a_path_that_was_not_in_the_support(self, small):
        windows, labels = tones(small)
        unseen, truth = tones(small, per_class=30, seed=1)
        paths = draw_paths(np.random.default_rng(5), len(unseen), 1.5, 4)
        through = filtered(torch.from_numpy(unseen), partial(curves, paths))
        right = []
        for name in ("paper", "robust"):
            recipe = recipe_named(name, updates=120, learning_rate=1e-2, decay=0.99)
            network = fit_network(windows, labels, 3, config=small, recipe=recipe).network
            with torch.no_grad():
                right.append((network(through).argmax(1).numpy() == truth).mean())
        assert right[0] < 0.85 < 0.95 < right[1]

    def test_weights_start_and_draw_as_under_the_paper_s_recipe(self, small):
        """Augmentation has a generator of its own: with paths of no amplitude only the way of computing differs."""
        faint = fit_network(*tones(small), 3, config=small, recipe=Recipe(5, path_sigma=1e-9))
        plain = fit_network(*tones(small), 3, config=small, recipe=Recipe(5))
        assert [s.loss for s in faint.history] == pytest.approx([s.loss for s in plain.history], rel=1e-5)


def test_many_fits_are_the_single_ones(small):
    supports, labels = zip(tones(small), tones(small, per_class=4, seed=1), strict=True)
    tasks = [Task(windows, its, 3, seed) for windows, its, seed in zip(supports, labels, (41, 42), strict=True)]
    together = fit_networks(tasks, small, Recipe(3))
    for fitted, windows, targets, seed in zip(together, supports, labels, [41, 42], strict=True):
        alone = fit_network(windows, targets, 3, config=small, recipe=Recipe(3), seed=seed)
        assert weights(fitted.network) == weights(alone.network)
        assert fitted.history == alone.history


@pytest.mark.parametrize("recipe", [Recipe(5), recipe_named("robust", updates=5)], ids=["paper", "robust"])
@pytest.mark.parametrize("compiled_or_not", [None, compiled.OFF])
def test_a_short_fit_is_the_beginning_of_a_long_one(recipe, compiled_or_not, monkeypatch):
    if compiled_or_not:
        monkeypatch.setenv(compiled.SETTING, compiled_or_not)
    support = tones(ModelConfig(), per_class=2)
    (long,) = fit_networks([Task(*support, 3, 41, stages=(2, 4))], recipe=recipe)
    assert list(long.stages) == [2, 4]
    for updates, network in (*long.stages.items(), (5, long.network)):
        short = fit_network(*support, 3, recipe=replace(recipe, updates=updates))
        assert weights(network) == weights(short.network)
        assert not network.training
        assert long.history[:updates] == short.history


def test_the_gpu_path_is_for_gpus(small):
    assert not fits_together(small, "cpu")


class TestAtOnce:
    """What is fitted at once where a GPU can, its kernels replaced by the readable path."""

    @pytest.fixture
    def bundles(self, monkeypatch):
        """Lengths and number of the supports of every fit; `most` is how many the memory is large enough for."""
        seen = SimpleNamespace(of=[], most=9, collected=[])

        def fit_bundle(tasks, config, recipe, progress):
            (length,) = {len(task.windows) for task in tasks}
            seen.of.append((length, len(tasks)))
            if len(tasks) > seen.most:
                raise torch.cuda.OutOfMemoryError("1 TiB")
            return [fit._fit_alone(replace(task, device="cpu"), config, recipe) for task in tasks]

        monkeypatch.setattr(fit, "fits_together", lambda config, device, recipe: device == "cuda")
        monkeypatch.setattr(fit, "fit_bundle", fit_bundle)
        monkeypatch.setattr(fit, "gc", SimpleNamespace(collect=lambda: seen.collected.append(1)))
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
        assert len(bundles.collected) == 2

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
