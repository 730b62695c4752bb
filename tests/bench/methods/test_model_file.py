import json
from dataclasses import replace

import numpy as np
import pytest
import safetensors.numpy

from dualres.bench.methods import NAMES, load, method
from dualres.bench.methods.model_file import as_model
from dualres.config import Recipe
from dualres.errors import ConfigError, ModelFileError
from dualres.judge.model import save
from dualres.judge.verdict import diagnose_recording, recording_scores, signal_scores
from dualres.model.kinds import PAPER
from dualres.model_file.integrity import seal
from dualres.recordings.recording import Recording
from tests.bench.methods.golden import formula_support

CLASSES = ("good", "worn", "broken")


@pytest.fixture(scope="module")
def support():
    windows, labels = formula_support()
    return windows[:6], labels[:6] % 3


@pytest.fixture(scope="module", params=NAMES)
def fitted(request, support):
    recipe = None if request.param == "minirocket" else Recipe(2, 1e-3)
    return method(request.param, recipe).fit(*support, 3, seed=43)


def model_of(fitted):
    return as_model(fitted, CLASSES, dict.fromkeys(CLASSES, 1.5), held_out="load")


def test_a_loaded_method_scores_identically_and_is_saved_as_the_same_bytes(fitted, support, tmp_path):
    model = model_of(fitted)
    save(model, tmp_path / "m")
    loaded = load(tmp_path / "m")
    save(loaded, tmp_path / "again")
    assert 0 < (tmp_path / "m").stat().st_size - fitted.cost.state_bytes < 40_000, "little more than the state"
    assert np.array_equal(loaded.scores(support[0]), fitted.scores(support[0]))
    assert loaded.card == model.card
    assert loaded.classes == CLASSES
    assert (loaded.card.recipe, loaded.card.seed) == (fitted.method.recipe, 43)
    if loaded.card.method != PAPER.method:  # whose check values are PyTorch's, those of a loaded one the kernel's
        assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()
        (restored,) = loaded.members
        assert restored.method.name == loaded.card.method == fitted.method.name
        assert (restored.classes, restored.seed, restored.cost) == (3, 43, fitted.cost)
        assert restored.constants == fitted.constants
        assert restored.history == []


def test_the_card_of_a_comparator_holds_its_settings_and_a_file_with_others_is_refused(fitted, tmp_path):
    model = model_of(fitted)
    settings = model.card.as_data().get("settings", {})
    assert (settings == {}) == (fitted.own_network is not None), "the card of DualRes has its config"
    if not settings:
        return
    expected = {"patchtst": {"patch": 2048, "width": 32, "layers": 2, "dropout": 0.1}, "minirocket": {"features": 9996}}
    assert expected.get(fitted.method.name, {}).items() <= settings.items()
    name = next(iter(settings))
    changed = replace(model, card=replace(model.card, settings=settings | {name: 7.5}))
    save(changed, tmp_path / "m")
    with pytest.raises(ModelFileError, match=f"it was made with {name} 7.5, and this version has"):
        load(tmp_path / "m")


def test_every_method_is_judged_alike(fitted):
    """Its scores of a recording are the mean over the windows; a verdict states probabilities, where it has some."""
    signal = np.random.default_rng(0).standard_normal(60_000).astype(np.float32)
    model, recording = model_of(fitted), Recording.from_array(signal, 64_000, id="pump")
    mean, windows = recording_scores(model, recording)
    assert windows == 2
    np.testing.assert_allclose(
        mean, fitted.scores(np.stack([signal[:32_768], signal[16_384:49_152]])).mean(0), atol=1e-6
    )
    assert np.array_equal(signal_scores(model, signal, 64_000)[0], mean)
    if fitted.method.name == "minirocket":
        with pytest.raises(ConfigError, match="decision values"):
            diagnose_recording(model, recording)
    else:
        assert diagnose_recording(model, recording).label == CLASSES[int(mean.argmax())]


@pytest.fixture(scope="module")
def saved(support, tmp_path_factory):
    path = tmp_path_factory.mktemp("method") / "crossformer.safetensors"
    save(model_of(method("crossformer", Recipe(1)).fit(*support, 3)), path)
    return path


def test_a_file_of_an_unknown_format_is_refused(tmp_path):
    (tmp_path / "m").write_bytes(seal("dualres-method/1", {}, [[1.0]], {"head.bias": np.zeros(3, np.float32)}))
    with pytest.raises(ModelFileError, match="holds 'dualres-method/1'; 'dualres-model/1' is what can be read here"):
        load(tmp_path / "m")


def test_a_changed_byte_is_refused(saved, tmp_path):
    blob = bytearray(saved.read_bytes())
    blob[len(blob) // 2] ^= 1
    (tmp_path / "m").write_bytes(blob)
    with pytest.raises(ModelFileError, match="changed or damaged"):
        load(tmp_path / "m")


def test_a_comparator_is_no_dualres_model(saved):
    from dualres.judge.model import load as load_model

    with pytest.raises(ModelFileError, match=r"holds a fitted crossformer.*dualres.bench.methods.load reads it"):
        load_model(saved)
    with pytest.raises(ConfigError, match="needs a DualRes network"):
        load(saved).network  # noqa: B018


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda card, state: card.update(method="patchtst"), "do not fit"),
        (lambda card, state: card.update(method="os.system"), "not known"),
        (lambda card, state: card.update(classes=list("abcd")), "do not fit"),
        (lambda card, state: card.update(classes=None), "cannot be understood"),
        (lambda card, state: card.update(cost={"price": 1}), "do not fit"),
        (lambda card, state: card.update(recipe={"updates": 0}), "at least one update"),
        (lambda card, state: state.pop("head.bias"), "do not fit"),
        (lambda card, state: state.update({"head.bias": 9 * state["head.bias"]}), "check window"),
        (lambda card, state: card.update(price=1), "cannot be understood"),
        (lambda card, state: card["config"].update(window=2**20), "comparators take 32768"),
    ],
)
def test_a_card_that_does_not_fit_is_refused(saved, tmp_path, change, reason):
    state = safetensors.numpy.load_file(saved)
    card = json.loads(safetensors.safe_open(saved, "np").metadata()["dualres"])
    checks, kind = card.pop("checks"), card.pop("format")
    del card["sha256"]
    change(card, state)
    (tmp_path / "m").write_bytes(seal(kind, card, checks, state))
    with pytest.raises(ModelFileError, match=reason):
        load(tmp_path / "m")
