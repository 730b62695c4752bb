"""What labels and what geometry say of a recording, joined."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from dualres import fit_model, load, save
from dualres.errors import ConfigError, ExportError, ModelFileError
from dualres.export.c99 import write_c99
from dualres.export.onnx import write_onnx
from dualres.faultlines.part_evidence import MOST, NEUTRAL, PartEvidence
from dualres.judge.files import FileVerdict, together
from dualres.judge.geometry import Geometry, GeometryHeard
from dualres.judge.segments import segment_verdicts
from dualres.judge.verdict import diagnose_recording, recording_scores
from dualres.learn.geometry import StatedGeometry
from dualres.stream.monitor.monitor import Monitor
from tests.struck import RATE, labelled, struck

FAULTS = {"outer": "outer race", "inner": "inner race", "ball": "rolling element"}


@pytest.fixture(scope="module")
def fitted():
    """Nobody labelled a ball."""
    return fit_model(labelled("healthy", "inner", "outer", each=3), geometry=StatedGeometry("6205"), windows_each=4)


@pytest.fixture(scope="module")
def model(fitted):
    return fitted.model


def evidence(**nats):
    return GeometryHeard({FAULTS[name]: PartEvidence(FAULTS[name], 5.0, 6.0, 0.01, one) for name, one in nats.items()})


def geometry(**labelled):
    return Geometry("6205", None, FAULTS, {"healthy": 3, **labelled}, tuple(FAULTS.keys() - labelled.keys()))


def test_without_evidence_labels_are_right():
    known = geometry(outer=1, inner=1, ball=1)
    said = known.joined(["healthy", "outer", "inner", "ball"], [0.4, 0.3, 0.2, 0.1], GeometryHeard({}, "no speed"))
    np.testing.assert_allclose(said, [0.4, 0.3, 0.2, 0.1])


def test_evidence_counts_less_the_more_is_labelled():
    heard, shares = evidence(outer=2.0), []
    for count in (1, 2, 3, 6):
        known = geometry(outer=count, inner=1, ball=1)
        shares.append(known.joined(["healthy", "outer", "inner", "ball"], [0.25] * 4, heard)[1])
        assert known.weight("outer") == 1 / count
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == pytest.approx(np.exp(2) / (np.exp(2) + 3))
    assert shares[-1] == pytest.approx(np.exp(1 / 3) / (np.exp(1 / 3) + 3))


def test_what_nobody_labelled_overrules_sure_labels_where_a_check_would_name_it():
    known = geometry(outer=1, inner=1)
    classes, sure = ["healthy", "inner", "outer"], [1.0, 0.0, 0.0]
    assert known.unlabelled == ("ball",)
    assert known.joined(classes, sure, evidence(ball=NEUTRAL + 0.1)).argmax() == 3
    assert known.joined(classes, sure, evidence(ball=NEUTRAL - 0.1)).argmax() == 0
    assert known.joined(classes, sure, evidence(outer=MOST))[3] == 0  # its own lines could not be looked for


def test_a_class_that_nobody_labelled_is_judged(model):
    assert model.names == ("healthy", "inner", "outer", "rolling element")
    verdict = diagnose_recording(model, struck("ball", 50))
    assert verdict.label == "rolling element"
    assert verdict.sources.words(verdict.label).startswith(
        "never labelled here, known from geometry: rolling element stands out by "
    )
    assert verdict.answer.kind == "no_promise"
    assert "no recording of rolling element was held out, so nothing rules that out" in verdict.answer.reason
    assert verdict.answer.probability is None
    assert sum(verdict.probabilities.values()) == pytest.approx(1)


def test_a_verdict_says_what_came_from_where(model):
    verdict = diagnose_recording(model, struck("outer", 51))
    assert verdict.label == "outer"
    said = json.loads(json.dumps(verdict.as_data()))["geometry"]
    assert set(said["by_labels"]) == {"healthy", "inner", "outer"}
    assert sum(said["by_labels"].values()) == pytest.approx(1)
    outer = said["classes"]["outer"]
    assert (outer["part"], outer["labelled_recordings"], outer["weight"]) == ("outer race", 3, 0.3333)
    assert outer["nats"] == pytest.approx(outer["weight"] * min(outer["score"] - 2, MOST), abs=0.01)
    assert said["said"] == verdict.source_words
    by_labels = f"by labels {said['by_labels']['outer']:.2f}"
    assert re.fullmatch(rf"{by_labels}, by geometry [\d.]+ times as likely", said["said"])
    heard = verdict.sources.heard.parts["outer race"]
    for nats, words in ((-3, "by geometry 2.7 times less likely"), (-0.01, "geometry has no say")):
        other = GeometryHeard({"outer race": replace(heard, nats=nats)})
        assert replace(verdict.sources, heard=other).words("outer").endswith(words)
    assert verdict.sources.words("healthy").endswith(", no template")
    scores, _ = recording_scores(model, struck("outer", 51))
    np.testing.assert_allclose(scores, list(verdict.probabilities.values()))


def test_templates_follow_the_bearing_of_the_judged_recording(model):
    """Its outer race has the order of no part of the model's own bearing."""
    other = StatedGeometry("ER-10K").known
    recording = struck("ball", 52, orders=other)
    assert diagnose_recording(model, recording).sources.heard.parts["rolling element"].nats < 1
    stated = replace(recording, condition={"bearing": "ER-10K"})
    assert diagnose_recording(model, stated).label == "rolling element"
    strange = diagnose_recording(model, replace(recording, condition={"bearing": "B1"}))
    assert strange.sources.words(strange.label) == "by labels alone: bearing 'B1' is not known"
    assert strange.probabilities["rolling element"] == 0


def test_without_a_speed_labels_are_alone(model):
    verdict = diagnose_recording(model, replace(struck("ball", 53), speed=None, speedless=True))
    assert verdict.sources.words(verdict.label) == "by labels alone: its speed is not known"


def test_the_estimate_is_of_labels_and_geometry(fitted):
    (estimate,) = fitted.estimates
    assert estimate.judged[0].classes == fitted.model.names
    assert estimate.by_labels.judged != estimate.judged
    told = fitted.model.card.estimates[0]
    assert told["by_labels"]["macro_f1"] == estimate.by_labels.macro_f1
    assert any(one.startswith("  Knowing the geometry ") for one in estimate.sentences)


def test_a_file_keeps_it(model, tmp_path):
    save(model, tmp_path / "m.safetensors")
    read = load(tmp_path / "m.safetensors")
    assert read.geometry == model.geometry
    assert read.fingerprint == model.fingerprint
    recording = struck("ball", 54)
    assert diagnose_recording(read, recording).probabilities == diagnose_recording(model, recording).probabilities


@pytest.mark.parametrize(
    "changes",
    [
        {"bearing": "no such bearing"},
        {"faults": {"outer": "tooth"}},
        {"faults": {"rolling element": "rolling element", "other": "cage"}},
        {"labelled": {"healthy": 0, "inner": 3, "outer": 3}},
        {"labelled": {"healthy": 3}},
        {"unlabelled": ["healthy"]},
        {"strange": 1},
    ],
)
def test_a_strange_card_is_refused(model, tmp_path, changes):
    card = replace(model.card, geometry={**model.card.geometry, **changes})
    save(replace(model, card=card), tmp_path / "m.safetensors")
    with pytest.raises(ModelFileError, match="geometry cannot be understood"):
        load(tmp_path / "m.safetensors")


def test_files_are_judged_together_with_what_nobody_labelled(model, tmp_path):
    judged = [FileVerdict(tmp_path, diagnose_recording(model, struck(one, 60))) for one in ("ball", "outer", "inner")]
    found = together(model, judged)
    assert {len(one.verdict.probabilities) for one in found.judged} == {4}


def test_windows_alone_are_refused(model, tmp_path):
    """A stretch, a stream and a device do not hear a whole recording."""
    remedy = "judge these by dualres diagnose, or fit without --bearing"
    with pytest.raises(ConfigError, match=f"over time: .*{remedy}"):
        segment_verdicts(model, struck("ball", 55), 1.0)
    with pytest.raises(ConfigError, match=f"a stream: .*{remedy}"):
        Monitor(model, RATE)
    with pytest.raises(ExportError, match=remedy):
        write_c99(model, tmp_path / "c")
    with pytest.raises(ExportError, match=remedy):
        write_onnx(model, tmp_path / "m.onnx")
