import json

import numpy as np
import pytest
import safetensors

from dualres.config import Recipe
from dualres.errors import ModelFileError
from dualres.methods import NAMES, method
from dualres.methods.files import load, save
from dualres.seal import seal
from tests.methods.golden import formula_support


@pytest.fixture(scope="module")
def support():
    windows, labels = formula_support()
    return windows[:6], labels[:6] % 3


@pytest.fixture(scope="module", params=NAMES)
def fitted(request, support):
    recipe = None if request.param == "minirocket" else Recipe(2, 1e-3)
    return method(request.param, recipe).fit(*support, 3, seed=43)


def test_a_loaded_method_scores_identically(fitted, support, tmp_path):
    save(fitted, tmp_path / "m.safetensors")
    loaded = load(tmp_path / "m.safetensors")
    assert np.array_equal(loaded.scores(support[0]), fitted.scores(support[0]))
    assert loaded.method.name == fitted.method.name
    assert loaded.method.recipe == fitted.method.recipe
    assert (loaded.classes, loaded.seed, loaded.cost) == (3, 43, fitted.cost)
    assert loaded.constants == fitted.constants
    assert loaded.history == []


def test_saving_twice_gives_the_same_bytes(fitted, tmp_path):
    save(fitted, tmp_path / "a")
    save(load(tmp_path / "a"), tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_file_is_little_more_than_the_state(fitted, tmp_path):
    save(fitted, tmp_path / "m")
    assert 0 < (tmp_path / "m").stat().st_size - fitted.cost.state_bytes < 40_000


@pytest.fixture(scope="module")
def saved(support, tmp_path_factory):
    path = tmp_path_factory.mktemp("method") / "crossformer.safetensors"
    save(method("crossformer", Recipe(1)).fit(*support, 3), path)
    return path


def test_a_changed_byte_is_refused(saved, tmp_path):
    blob = bytearray(saved.read_bytes())
    blob[len(blob) // 2] ^= 1
    (tmp_path / "m").write_bytes(blob)
    with pytest.raises(ModelFileError, match="changed or damaged"):
        load(tmp_path / "m")


def test_a_model_file_is_not_a_method_file(saved):
    from dualres.file import load as load_model

    with pytest.raises(ModelFileError, match="holds 'dualres-method/1'"):
        load_model(saved)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda card, state: card.update(method="patchtst"), "do not fit"),
        (lambda card, state: card.update(method="os.system"), "not known"),
        (lambda card, state: card.update(classes=4), "do not fit"),
        (lambda card, state: card.update(classes=None), "do not fit"),
        (lambda card, state: card.update(cost={"price": 1}), "do not fit"),
        (lambda card, state: card.update(recipe={"updates": 0}), "at least one update"),
        (lambda card, state: state.pop("head.bias"), "do not fit"),
        (lambda card, state: state.update({"head.bias": 9 * state["head.bias"]}), "check window"),
        (lambda card, state: card.pop("constants"), "do not fit"),
    ],
)
def test_a_card_that_does_not_fit_is_refused(saved, tmp_path, change, reason):
    state = safetensors.torch.load_file(saved)
    card = json.loads(safetensors.safe_open(saved, "pt").metadata()["dualres"])
    checks, kind = card.pop("checks"), card.pop("format")
    del card["sha256"]
    change(card, state)
    (tmp_path / "m").write_bytes(seal(kind, card, checks, state))
    with pytest.raises(ModelFileError, match=reason):
        load(tmp_path / "m")
