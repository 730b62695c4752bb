"""None of these, noticed by exports as Python notices it."""

import ctypes
import json
import re
import subprocess
from dataclasses import asdict, replace
from fractions import Fraction

import numpy as np
import pytest

from dualres.errors import ExportError
from dualres.export import onnx as onnx_export
from dualres.export.c99 import write_c99
from dualres.export.novelty import between_classes, familiar_of, likeness_of
from dualres.export.test_vectors import turning
from dualres.judge.trust.calibration import Calibration, held_out
from dualres.judge.trust.novelty import NoveltyFeatures, look_at
from dualres.judge.trust.standing import HZ, ORDER, Standing
from dualres.recordings.recording import Recording
from tests.export.conftest import _result, machine, made_model, made_turning_model, made_views_model, shared_library
from tests.export.test_device import RIGHT, altered, make, make_for_arm, make_for_cortex_m
from tests.model.made_orders import turning_machine
from tests.variants import also

CLASSES = ("good", "worn", "broken")
NO_CLASS, OTHER_SPECTRUM, OTHER_LEVEL = 1, 2, 4


def calibrated(model, around, standings=()):
    """The model with twenty held-out recordings of each class, which look as `around` does, more or less."""
    held = []
    for label in CLASSES:
        for number in range(20):
            look = replace(around, distance=around.distance + 0.5 - 0.05 * number, level=around.level + 0.02 * number)
            held.append(held_out(CLASSES, label, f"{label}{number}", True, probabilities=[0.5, 0.3, 0.2], look=look))
    known = Calibration(CLASSES, "recording", tuple(held), standings=dict(standings)).as_data()
    return replace(model, card=replace(model.card, calibration=known))


def signal(level=1.0):
    return (level * machine(1.6, 12_800, seed=5)).astype(np.float32)


@pytest.fixture(scope="module")
def model():
    plain = made_views_model(CLASSES)
    return calibrated(plain, look_at(plain, Recording.from_array(signal(), 12_800)))


@pytest.fixture(scope="module")
def folder(model, compiler, tmp_path_factory):
    return write_c99(model, tmp_path_factory.mktemp("familiar") / "board", 12_800).folder


@pytest.fixture(scope="module")
def judged(folder):
    return judged_by(folder)


def judged_by(folder, *found):
    class Result(_result(3)):
        _fields_ = tuple((name, ctypes.c_double) for name in ("distance", "spectrum", "level", *found))

    library = shared_library(folder)
    library.dualres_verdict.restype = Result

    def get(samples, hz=0.0):
        state = ctypes.create_string_buffer(200_000)
        library.dualres_init(state)
        library.dualres_set_speed(state, ctypes.c_float(hz))
        library.dualres_push(state, samples.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(len(samples)))
        library.dualres_push(state, None, ctypes.c_size_t(0))
        result = library.dualres_verdict(state)
        return result, library.dualres_unlike(ctypes.byref(result))

    return get


def test_a_device_looks_as_python_does(model, judged):
    for samples in (signal(), np.random.default_rng(0).standard_normal(20_000).astype(np.float32)):
        result, _ = judged(samples)
        look = look_at(model, Recording.from_array(samples, Fraction(12_800)))
        assert result.windows > 1
        assert (result.distance, result.spectrum, result.level) == pytest.approx(
            (look.distance, look.spectrum, look.level), abs=1e-3
        )


@pytest.mark.parametrize("search", [0, *also((11,))])
def test_a_device_looks_at_orders_as_python_does(compiler, tmp_path, search):
    plain = made_turning_model()
    samples = turning_machine(25.0, 0, 20_000, rate=12_800, seed=99)
    recording = Recording.from_array(samples, 12_800)
    known = calibrated(plain, look_at(plain, turning(recording, 25.0)))
    known = replace(known, card=replace(known.card, classes=CLASSES))
    get = judged_by(write_c99(known, tmp_path / "board", 12_800, search=search).folder, *("factor", "speed")[:search])
    for hz in (0.0, 26.0):
        result, _ = get(samples, hz)
        factor = result.factor if search else 1.0
        look = look_at(known, turning(recording, hz * factor))
        assert (result.distance, result.spectrum, result.level) == pytest.approx(
            (look.distance, look.spectrum, look.level), abs=1e-3
        )
        assert (factor != 1) == (search > 0 and hz > 0)
    assert get(samples, 25.0)[1] == 0
    assert get(0.01 * samples, 25.0)[1] == OTHER_LEVEL
    tone = np.sin(2 * np.pi * 0.09 * np.arange(20_000)).astype(np.float32)
    assert get(tone, 25.0)[1] & OTHER_SPECTRUM


def test_a_device_compares_classes_as_what_was_held_out_says(model, compiler, tmp_path):
    weights, usual = (0.55, 0.25, 0.15, 0.05), (0.0, 0.7, 0.2)
    known = calibrated(model, look_at(model, Recording.from_array(signal(), 12_800)), {HZ: Standing(weights, usual)})
    get, found = judged_by(write_c99(known, tmp_path / "board", 12_800).folder), []
    for seed in range(3):
        samples = np.random.default_rng(seed).standard_normal(20_000).astype(np.float32) + signal()[:20_000]
        looks = [look_at(one, Recording.from_array(samples, Fraction(12_800))).distance for one in (known, model)]
        assert get(samples)[0].distance == pytest.approx(looks[0], abs=1e-3)
        found.append(abs(looks[0] - looks[1]))
    assert min(found) > 0.05


@pytest.mark.parametrize("hz", [0.0, *also((26.0,))])
def test_a_device_does_so_on_each_axis(compiler, tmp_path, hz):
    plain = replace(made_turning_model(), card=replace(made_turning_model().card, classes=CLASSES))
    standings = {HZ: Standing((0.5, 0.3, 0.2), (0.4, 0.0, 0.9)), ORDER: Standing((0.1, 0.2, 0.7), (0.0, 0.8, 0.3))}
    samples = turning_machine(25.0, 0, 20_000, rate=12_800, seed=99)
    recording = turning(Recording.from_array(samples, 12_800), hz)
    known = calibrated(plain, look_at(plain, recording), standings)
    result, _ = judged_by(write_c99(known, tmp_path / "board", 12_800).folder)(samples, hz)
    looks = [look_at(one, recording).distance for one in (known, plain)]
    assert result.distance == pytest.approx(looks[0], abs=1e-3)
    assert abs(looks[0] - looks[1]) > 0.01


def test_a_device_notices_what_is_unlike(model, judged):
    assert judged(signal())[1] == 0
    assert judged(signal(0.01))[1] == OTHER_LEVEL
    assert judged(np.random.default_rng(0).standard_normal(20_000).astype(np.float32))[1] & OTHER_SPECTRUM
    result, _ = judged(signal())
    assert result.distance <= familiar_of(model).distance <= 0
    assert judged(np.zeros(10, np.float32))[1] == 0, "before the first window"


def test_no_class_stands_out_beyond_the_limit(model, folder, judged, tmp_path):
    """The same model whose held-out recordings stood out more."""
    result, _ = judged(signal())
    stricter = calibrated(model, NoveltyFeatures(result.distance - 1, result.spectrum, result.level, 12, 14))
    other = write_c99(stricter, tmp_path / "board", 12_800).folder
    assert re.search(r"dualres_familiar\[4\]", (other / "dualres_model.c").read_text())
    assert make(other, "example") == []
    samples = " ".join(map(str, signal().tolist()))
    done = subprocess.run([other / "build" / "example"], input=samples, capture_output=True, text=True)
    assert done.returncode == 0
    assert "none of these" in done.stderr
    make(folder, "example")
    done = subprocess.run([folder / "build" / "example"], input=samples, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_check_notices_another_likeness(folder, tmp_path):
    def other_look(text):
        return re.sub(r"(expected_look\[STREAMS\]\[3\] = \{\{)[^,]+", r"\g<1>-0x1p+3", text)

    assert RIGHT in make(folder, "check")
    altered(folder, tmp_path, "check_values.h", other_look)


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", [("LANES=4",), ("INT16=1",)], ids="-".join)
def test_other_builds(folder, options):
    assert RIGHT in make(folder, "check", *options)


@pytest.mark.device
def test_on_emulated_devices(folder):
    assert RIGHT in make_for_arm(folder, 4)
    said = make_for_cortex_m(folder, "INT16=1")
    assert RIGHT in said
    assert any("likeness off by" in line for line in said)


@pytest.mark.parametrize("which", ["views", "paper"])
def test_where_nothing_is_known_that_is_said(which, no_compiler, tmp_path, model):
    plain = made_views_model(CLASSES) if which == "views" else made_model(classes=CLASSES)
    if which == "paper":
        plain = replace(plain, card=replace(plain.card, calibration=model.card.calibration))
    assert familiar_of(plain) is None
    write_c99(plain, tmp_path / "board", 64_000, unchecked=True)
    assert "DUALRES_LIKENESS is not defined" in (tmp_path / "board" / "dualres_model.h").read_text()
    assert "#define DUALRES_LIKENESS" not in (tmp_path / "board" / "dualres_model.h").read_text()


def test_too_few_units_leave_level_and_spectrum(model):
    few = {k: v[:8] if isinstance(v, list) else v for k, v in model.card.calibration.items()}
    found = familiar_of(replace(model, card=replace(model.card, calibration=few)))
    assert found.distance == 0, "nothing is beyond it"
    assert found.level[0] < found.level[1]


@pytest.mark.parametrize("axes", [{}, {"channels": ("x", "y"), "axes": "apart", "members": 2}], ids=["one", "axes"])
def test_onnx_finds_the_same(axes, model, tmp_path, monkeypatch):
    onnx, runtime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    plain = made_views_model(CLASSES, **axes)
    standings = {HZ: Standing((0.55, 0.25, 0.15, 0.05), (0.0, 0.7, 0.2))}
    known = calibrated(plain, NoveltyFeatures(-1.0, 5.0, 0.0, 12.0, 14.0), standings)
    assert between_classes(known).shape == (len(known.members), 4, 3, 3)
    path = tmp_path / "it.onnx"
    onnx_export.write_onnx(known, path)
    kept = {entry.key: entry.value for entry in onnx.load(path).metadata_props}
    said = json.loads(kept["dualres_unlike"])
    assert said == json.loads(json.dumps(asdict(familiar_of(known))))
    session = runtime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    windows = np.random.default_rng(3).standard_normal((2, 2, 32_768)[: 3 if axes else 1] + (32_768,) * (not axes))
    windows = windows.astype(np.float32)
    logits, likeness = session.run(["logits", "likeness"], {"windows": windows})
    assert logits.shape == (2, 3)
    assert likeness == pytest.approx(likeness_of(known, windows), abs=1e-3)
    monkeypatch.setattr(onnx_export, "likeness_of", lambda *_: likeness_of(*_) + 1)
    with pytest.raises(ExportError, match="another likeness"):
        onnx_export.write_onnx(known, path, overwrite=True)


def test_onnx_without_a_calibration_has_logits_alone(tmp_path):
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    onnx_export.write_onnx(made_views_model(CLASSES), tmp_path / "it.onnx")
    made = onnx.load(tmp_path / "it.onnx")
    assert [output.name for output in made.graph.output] == ["logits"]
    assert json.loads({entry.key: entry.value for entry in made.metadata_props}["dualres_unlike"]) is None
