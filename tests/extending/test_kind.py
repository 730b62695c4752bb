"""A kind of network that was added from outside: it learns, judges, is saved, and says why. No device runs it."""

import json

import numpy as np
import pytest
import soundfile

from dualres import DualResClassifier, load, save
from dualres.errors import ConfigError, ModelFileError
from dualres.explain.nearest import neighbours, portrait
from dualres.explain.reasons import explain_recording
from dualres.export.c99 import write_c99
from dualres.export.onnx import write_onnx
from dualres.fit_page.page import write_fit_page
from dualres.judge.healthy_baseline import with_baseline
from dualres.judge.verdict import diagnose_recording
from dualres.learn.fit import expected_s
from dualres.learn.workflow import fit_model
from dualres.model import kinds
from dualres.model.kinds import NetworkKind, chosen_recipe, register_kind
from dualres.recordings.recording import Recording
from tests.extending.outside import dualres

RATE = 64_000
HZ = {"good": 5_500, "worn": 9_500}


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    """The toy's registration, for the time of a test."""
    monkeypatch.setattr(kinds, "_kinds", dict(kinds._kinds))
    from tests.extending.toy_kind import KIND

    kinds._kinds.setdefault(KIND.method, KIND)  # the module registers at its first import only
    return KIND


def signal(label, number):
    rng = np.random.default_rng(number)
    tone = np.sin(2 * np.pi * HZ[label] * np.arange(RATE) / RATE + number)
    return (0.1 * (tone + 0.3 * rng.standard_normal(RATE))).astype(np.float32)


def recordings(numbers=range(2)):
    return [Recording.from_array(signal(label, i), RATE, f"{label}{i}", label) for label in HZ for i in numbers]


@pytest.fixture
def fitted():
    return fit_model(recordings(), recipe="centroids", windows_each=2, members=3, announce=lambda forecast: None)


def test_it_learns_judges_and_is_read_back(fitted, tmp_path):
    model = fitted.model
    assert (model.card.method, model.card.recipe, model.card.members) == ("toy/centroids", None, 1)
    assert fitted.estimate.macro_f1 == 1.0
    assert fitted.history == []
    save(model, tmp_path / "m.safetensors")
    read = load(tmp_path / "m.safetensors")
    assert read.card == model.card
    assert list(model.card.as_data()["config"]) == ["rate", "window"]
    for unseen in recordings([7]):
        verdict = diagnose_recording(read, unseen)
        assert verdict == diagnose_recording(model, unseen)
        assert verdict.label == unseen.label
        assert verdict.answer is not None


def test_it_says_why(fitted):
    _, worn = recordings([7])
    reasons = explain_recording(fitted.model, worn)
    assert (reasons.label, reasons.rival) == ("worn", "good")
    assert reasons.total == pytest.approx(reasons.logit, rel=1e-4)
    assert sum(moment.nats for moment in reasons.moments) == pytest.approx(reasons.total)
    assert {share.region.low_hz for share in reasons.top(2)} == {5_000, 9_000}
    known = neighbours(fitted.model, portrait(fitted.model, worn), recordings())
    assert known[0].recording.label == "worn"


def test_the_estimator_and_the_page_take_it(fitted, tmp_path):
    classifier = DualResClassifier(recipe="centroids", rate=RATE).fit(
        np.stack([r.signal for r in recordings()]), [*"aabb"]
    )
    assert classifier.model_.card.method == "toy/centroids"
    write_fit_page(fitted, recordings(), tmp_path / "m.html", model_file=tmp_path / "m.safetensors")
    assert "nearest centroid" in (tmp_path / "m.html").read_text()
    assert expected_s(100, chosen_recipe("centroids")) > 0


def test_what_it_lacks_is_refused_in_a_sentence(fitted, tmp_path):
    for write in (write_c99, write_onnx):
        with pytest.raises(ConfigError, match="a nearest centroid cannot be exported: its kind, toy/centroids"):
            write(fitted.model, tmp_path / "out")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ConfigError, match="or of views; this one was trained"):
        with_baseline(fitted.model, recordings()[:1])
    with pytest.raises(ConfigError, match="there is no nearest centroid"):
        fitted.model.networks  # noqa: B018
    with pytest.raises(ConfigError, match="recipe centroids makes no updates"):
        chosen_recipe("centroids", updates=5)


def test_without_it_a_file_is_refused(fitted, tmp_path, monkeypatch):
    save(fitted.model, tmp_path / "m.safetensors")
    monkeypatch.delitem(kinds._kinds, "toy/centroids")
    with pytest.raises(ModelFileError, match="holds a fitted toy/centroids"):
        load(tmp_path / "m.safetensors")


def test_a_kind_without_an_explanation_says_so(toy, fitted, monkeypatch):
    bare = {name: getattr(toy, name) for name in ("method", "title", "recipes", "weights", "shapes", "logits", "fit")}
    monkeypatch.setitem(kinds._kinds, toy.method, NetworkKind(**bare))
    with pytest.raises(ConfigError, match="that bring an explanation alone, and the model is of the method toy/cent"):
        explain_recording(fitted.model, recordings()[0])


@pytest.mark.parametrize("taken", [{"method": "dualres"}, {"recipes": {"paper": None}}])
def test_names_are_given_once(toy, taken):
    with pytest.raises(ConfigError, match="already; give yours others"):
        register_kind(NetworkKind(**{**vars(toy), "method": "new", "recipes": {"new": None}, **taken}))


def test_the_command_line_takes_it_as_any_other(tmp_path):
    folder, model = tmp_path / "machines", tmp_path / "m.safetensors"
    for label in HZ:
        (folder / label).mkdir(parents=True)
        for number in range(2):
            soundfile.write(folder / label / f"{label}{number}.wav", signal(label, number), RATE, "FLOAT")
    file = folder / "worn" / "worn0.wav"

    def told(*arguments, status=0):
        done = dualres(*arguments, plugins=["toy_kind"], folder=tmp_path)
        assert done.returncode == status, done.stderr
        return done.stdout if status == 0 else done.stderr

    assert "Model" in told("fit", folder, "-o", model, "--recipe", "centroids", "--members", 2, "--windows", 2)
    assert json.loads(told("diagnose", model, file, "--json"))["verdict"] == "worn"
    assert json.loads(told("explain", model, file, "--json"))["bands"][0]["low_hz"] in (5_000, 9_000)
    assert "a nearest centroid cannot be exported" in told("export", model, tmp_path / "c", "--to", "c99", status=2)
    without = dualres("fit", folder, "-o", model, "--recipe", "centroids", folder=tmp_path)
    assert "recipe 'centroids' is not known; there are orders, views, paper, robust" in without.stderr
