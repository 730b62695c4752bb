"""The limits of sets in exports, against what Python says."""

import ctypes
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from dualres.export.c99 import write_c99
from dualres.export.onnx import write_onnx
from dualres.export.sets import names_of, sets_of
from dualres.judge.trust.calibration import Calibration, held_out
from dualres.judge.trust.conformal import surprise
from dualres.judge.trust.novelty import NoveltyFeatures
from tests.export.conftest import _result, made_views_model, shared_library

CLASSES = ("good", "worn", "broken")


@pytest.fixture(scope="module")
def calibrated():
    """A model with 40 held-out recordings of each class; the unit has a name that a comment must not end with."""
    rng, held = np.random.default_rng(0), []
    for label in CLASSES:
        for number in range(40):
            logits = 1.5 * rng.normal(size=3) + 2 * (np.array(CLASSES) == label)
            shares = np.exp(logits) / np.exp(logits).sum()
            seen = {"probabilities": shares.tolist(), "look": NoveltyFeatures(0, 0, 0, 0, 0)}
            held.append(held_out(CLASSES, label, f"{label}{number}", True, **seen))
    model = made_views_model(CLASSES)
    calibration = Calibration(CLASSES, "day */ ?", tuple(held)).as_data()
    return replace(model, card=replace(model.card, calibration=calibration))


class Result(_result(3)):
    _fields_ = tuple((name, ctypes.c_double) for name in ("distance", "spectrum", "level"))


@pytest.fixture(scope="module")
def device(calibrated, compiler, tmp_path_factory):
    plain = replace(calibrated, card=replace(calibrated.card, calibration={}))
    libraries = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", "no-such-compiler")
        for name, model in (("promised", calibrated), ("not", plain)):
            folder = write_c99(model, tmp_path_factory.mktemp(name) / "board", 64_000, unchecked=True).folder
            libraries[name] = shared_library(folder)

    def said(name, shares, windows=1, distance=0.0):
        result = Result(None, int(np.argmax(shares)), windows, 0, 0, (ctypes.c_double * 3)(*shares), distance=distance)
        in_set = [bool(libraries[name].dualres_in_set(ctypes.byref(result), number)) for number in range(3)]
        return in_set, bool(libraries[name].dualres_named(ctypes.byref(result)))

    return said


def test_a_device_has_the_sets_that_python_has(calibrated, device):
    known = Calibration.parsed(calibrated.card.calibration, CLASSES)
    limits = sets_of(calibrated.card).limits
    sizes = set()
    for shares in [*np.random.default_rng(1).dirichlet(np.ones(3) / 3, 300), np.array([0.0, 1.0, 0.0])]:
        if np.abs(surprise(shares) - limits).min() > 1e-9:
            chosen = known.sets(surprise(shares), known.unit, 0.1)
            assert device("promised", shares)[0] == [label in chosen for label in CLASSES]
            sizes.add(len(chosen))
    assert sizes == {1, 2, 3}
    assert device("not", [0.98, 0.01, 0.01])[0] == [True] * 3  # without a promise every class is in the set


def test_a_device_names_what_python_names(calibrated, device):
    known, look = Calibration.parsed(calibrated.card.calibration, CLASSES), NoveltyFeatures(0, 0, 0, 0, 0)
    margins = names_of(calibrated.card).margins
    kinds = set()
    for shares in [*np.random.default_rng(1).dirichlet(np.ones(3) / 3, 400), np.array([0.0, 1.0, 0.0])]:
        off = np.abs(surprise(shares)[None] - [sets_of(calibrated.card).limits, -np.array(margins)])
        if off.min() > 1e-8:
            answer = known.answer(shares, look)
            assert device("promised", shares)[1] == (answer.kind == "named")
            kinds.add((answer.kind, len(known.sets(surprise(shares), known.unit, 0.1))))
    assert kinds == {("named", 1), ("one_of", 1), ("one_of", 2), ("one_of", 3)}
    limit = np.exp(margins[1])
    exactly = np.array([1e-9, limit, 1.0]) / (1 + limit)
    assert not device("promised", exactly)[1], "rounding names nothing"
    assert not device("not", [0.98, 0.01, 0.01])[1]
    assert not device("promised", [0.98, 0.01, 0.01], windows=0)[1]
    assert not device("promised", [0.98, 0.01, 0.01], distance=1.0)[1], "no class stands out"
    assert device("promised", [0.98, 0.01, 0.01])[1]


def test_the_header_says_the_rate(calibrated, no_compiler, tmp_path):
    write_c99(calibrated, tmp_path / "a", 64_000, unchecked=True)
    assert "#define DUALRES_ERROR 0.1\n" in (tmp_path / "a" / "dualres_model.h").read_text()
    write_c99(made_views_model(CLASSES), tmp_path / "b", 64_000, unchecked=True)
    assert "nothing is promised. */\n#define DUALRES_ERROR 0.0\n" in (tmp_path / "b" / "dualres_model.h").read_text()


def test_onnx_has_them_in_its_metadata(calibrated, tmp_path):
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    for model in (calibrated, made_views_model(CLASSES)):
        write_onnx(model, tmp_path / "it.onnx", overwrite=True)
        kept = {entry.key: entry.value for entry in onnx.load(tmp_path / "it.onnx").metadata_props}
        sets = sets_of(model.card)
        wanted = {"error": 0.1, "unit": "day */ ?", "limits": list(sets.limits)} if sets else None
        assert json.loads(kept["dualres_sets"]) == wanted
        names = names_of(model.card)
        wanted = {"error": 0.1, "unit": "day */ ?", "margins": list(names.margins)} if names else None
        assert json.loads(kept["dualres_names"]) == wanted
        assert (names is not None) == (sets is not None)


def test_too_few_units_have_no_limits(calibrated):
    card = calibrated.card

    def some(which):
        kept = {k: v[which] if isinstance(v, list) else v for k, v in card.calibration.items()}
        return replace(card, calibration=kept)

    few = some(slice(0, None, 15))  # eight, of all classes
    assert sets_of(few) is None
    assert sets_of(few, error=0.2).unit == "day */ ?"
    assert sets_of(some(slice(0, 80))) is None, "of the last class nothing was held out"
    assert names_of(few) is None
    assert names_of(few, error=0.2) is None or sets_of(few, error=0.2)


def test_a_class_that_is_never_named_has_no_margin(calibrated, no_compiler, tmp_path):
    calibration = calibrated.card.calibration
    never = {**calibration, "verdict": [0 if which == 2 else which for which in calibration["verdict"]]}
    card = replace(calibrated.card, calibration=never)
    assert names_of(card).margins[2] is None
    write_c99(replace(calibrated, card=card), tmp_path / "a", 64_000, unchecked=True)
    (ahead,) = re.findall(
        r"dualres_ahead\[DUALRES_CLASSES\] = \{\s*(.+?)\};", (tmp_path / "a/dualres_model.c").read_text()
    )
    assert float.fromhex(ahead.split(", ")[2]) > 1e300


def test_a_limit_that_no_ratio_holds_lets_any_class_belong(calibrated, no_compiler, tmp_path):
    """Of a card that somebody else wrote: e to the power of 9000 is no number, in C least of all."""
    far = {**calibrated.card.calibration, "surprise": [9000.0] * len(calibrated.card.calibration["surprise"])}
    model = replace(calibrated, card=replace(calibrated.card, calibration=far))
    write_c99(model, tmp_path / "a", 64_000, unchecked=True)
    source = (tmp_path / "a/dualres_model.c").read_text()
    (times,) = re.findall(r"dualres_times\[DUALRES_CLASSES\] = \{\s*(.+?)\};", source)
    assert [float.fromhex(one) > 1e300 for one in times.split(", ")] == [True] * 3
