"""Methods on several axes: a fit for each, scores averaged as DualRes' are."""

import numpy as np
import pytest

from dualres.bench.methods import load, method
from dualres.bench.methods.axes import fit_axes
from dualres.bench.methods.model_file import as_model
from dualres.config import Recipe
from dualres.errors import ConfigError, ModelFileError
from dualres.judge.model import save
from dualres.judge.verdict import window_scores
from dualres.learn.support import Support
from dualres.recordings.recording import Recording
from tests.bench.methods.golden import formula_support

CLASSES = ("good", "worn", "broken")
HOW = {"dualres": Recipe(1), "minirocket": None, "itransformer": Recipe(1)}


@pytest.fixture(scope="module")
def support():
    windows, labels = formula_support()
    windows, labels = windows[:6], labels[:6] % 3
    return Support(windows, labels, (), {}, (windows[::-1].copy(),), ("x", "y"))


@pytest.mark.parametrize("name", HOW)
def test_a_method_of_two_axes_scores_by_the_mean_and_survives_its_file(name, support, tmp_path):
    learner = method(name, HOW[name])
    fitted = fit_axes(learner, support, 3, seed=43)
    alone = [learner.fit(windows, support.labels, 3, seed=43) for windows in support.axes]
    assert fitted.cost.registered == sum(one.cost.registered for one in alone)
    assert len(fitted.history) == sum(len(one.history) for one in alone)
    with pytest.raises(ConfigError, match="fitted to 2 axes; ask the fit of one"):
        fitted.scores(support.windows)
    model = as_model(fitted, CLASSES, dict.fromkeys(CLASSES, 1.5), channels=support.channels)
    save(model, tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert loaded.card == model.card
    assert (loaded.card.channels, loaded.card.axes, loaded.card.networks) == (("x", "y"), "apart", 2)
    recording = Recording.from_axes({"y": support.windows[1], "x": support.windows[0]}, 64_000)
    expected = np.mean([alone[0].scores(support.windows[:1]), alone[1].scores(support.windows[1:2])], axis=0)
    for one in (model, loaded):
        np.testing.assert_allclose(window_scores(one, recording), expected, rtol=1e-4, atol=1e-6)


def test_one_axis_is_the_plain_fit(support):
    one = Support(support.windows, support.labels, (), {})
    fitted = fit_axes(method("minirocket"), one, 3)
    plain = method("minirocket").fit(support.windows, support.labels, 3)
    assert type(fitted) is type(plain)
    np.testing.assert_array_equal(fitted.scores(support.windows), plain.scores(support.windows))


def test_a_file_with_an_axis_missing_is_refused(support, tmp_path):
    fitted = fit_axes(method("minirocket", None), support, 3)
    model = as_model(fitted, CLASSES, {}, channels=support.channels)
    save(as_model(fitted.axes[0], CLASSES, {}), tmp_path / "one")
    assert load(tmp_path / "one").card.networks == 1
    content = (tmp_path / "one").read_bytes()
    save(model, tmp_path / "two")
    assert len((tmp_path / "two").read_bytes()) > 1.9 * len(content)
    (tmp_path / "cut").write_bytes((tmp_path / "two").read_bytes()[: len(content)])
    with pytest.raises(ModelFileError):
        load(tmp_path / "cut")
