"""What a fit keeps of the recordings that it held out, and whether their stated probabilities hold."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from dualres.config import RECIPES
from dualres.judge.model import load, save
from dualres.judge.trust.novelty import compared
from dualres.judge.verdict import diagnose_recording
from dualres.learn.calibrate import BINS, answered, bins_of, calibrated, standings_of
from dualres.learn.workflow import fit_model
from dualres.recordings.recording import Recording
from tests.model.made_views import RATE, machine_windows

LOADS, DAYS = ("low", "high"), ("Monday", "Tuesday")


def labelled(count=6, seed=0):
    """Two classes, each at two loads; every recording has a speed of its own."""
    windows = machine_windows(2 * count, 2, seed).reshape(2, count, -1)
    return [
        Recording(
            f"{seed}-{label}{i}",
            lambda signal=windows[c, i]: signal,
            Fraction(RATE),
            label,
            condition={"load": LOADS[i % 2], "speed": str(100 * i + c), "day": "Monday"},
        )
        for c, label in enumerate(("good", "worn"))
        for i in range(count)
    ]


@cache
def fit_of_labelled(recipe=None):
    """It takes seconds, and nobody changes it."""
    return fit_model(labelled(), windows_each=2, held_out="recording", recipe=recipe)


@pytest.fixture(scope="module")
def fitted():
    return fit_of_labelled()


def test_every_held_out_recording_is_kept(fitted):
    kept = calibrated(fitted.estimate, labelled())
    assert kept.unit == "recording"
    assert sorted(one.unit for one in kept.held) == sorted(r.id for r in labelled())
    assert all(one.new for one in kept.held)
    assert kept.as_data() == fitted.model.card.calibration
    assert kept.windows == max(max(one.windows) for one in fitted.estimate.judged) > 0


@cache
def fit_of_components():
    """Three components of each class, with two recordings each."""
    each = [replace(one, component=f"{one.label} {i % 6 // 2}", condition={}) for i, one in enumerate(labelled())]
    return each, fit_model(each, windows_each=2)


def test_recordings_of_known_components_are_held_out_for_themselves():
    """What was measured on unseen components is no measure for another recording of a known one."""
    recordings, fitted = fit_of_components()
    known = fitted.model.calibration
    assert sorted(one.unit for one in fitted.estimates) == ["component", "recording"]
    assert [one.unit for one in known.questions] == ["component", "recording"]
    narrow = known.others[0]
    assert sorted(one.unit for one in narrow.held) == sorted(one.id for one in recordings)
    assert narrow.conditions == {"component": tuple(sorted({one.component for one in recordings}))}
    assert known.conditions == {}
    asked = [known.asked({"component": name}, error=0.2)[0].unit for name in (recordings[0].component, "another")]
    assert asked == ["recording", "component"]


def test_a_held_out_recording_is_answered_as_what_it_was_held_out_for():
    """Its component is among the labelled ones, and the model that judged it did not know it."""
    recordings, fitted = fit_of_components()
    for estimate in fitted.estimates:
        found = answered(estimate, recordings, fitted.model.calibration)
        assert {one.answer.promise for one in found} <= {None, estimate.unit}
        assert [one.held for one in found] == list(estimate.held)


@pytest.mark.parametrize("change", ["alone", "asked", "trained"])
def test_nothing_more_is_held_out_where_nothing_more_is_learned(change):
    """Components with one recording each are recordings already; somebody asks for both; a training takes minutes."""
    recordings, _ = fit_of_components()
    if change == "alone":
        plain = fit_model(recordings[::2], windows_each=2)
    elif change == "asked":
        plain = fit_model(recordings, windows_each=2, held_out=("component", "recording"))
    else:
        plain = fit_model(recordings, windows_each=1, recipe=replace(RECIPES["paper"], updates=1))
    assert {one.unit for one in plain.model.calibration.questions} == {one.unit for one in plain.estimates}
    assert len(plain.estimates) == (2 if change == "asked" else 1)


def test_looks_are_kept_as_the_final_model_compares(fitted):
    """Its weights come from what was held out, and so do the limits of what is in doubt."""
    known, estimate = fitted.model.calibration, fitted.estimate
    assert set(known.standings) == {"hz"}, "of none the speed was known"
    assert known.standings == standings_of(estimate)
    assert sum(known.standings["hz"].weights) == pytest.approx(1, abs=1e-5)
    for one, kept in zip(estimate.held, known.held, strict=True):
        (told,) = estimate.told[one.round - 1][one.recording]
        assert kept.look.distance == pytest.approx(compared(told, known.standings)[:, 0].mean(), abs=1e-3)
    assert any(
        abs(kept.look.distance - estimate.looks[one.round - 1][one.recording].distance) > 0.01
        for one, kept in zip(estimate.held, known.held, strict=True)
    )


def test_promises_are_bound_to_what_was_known_whenever_something_was_held_out(fitted):
    """Speeds were always new, so that another one changes nothing; loads and the day were not."""
    bound = fitted.model.card.calibration["conditions"]
    assert bound == {"load": ["high", "low"], "day": ["Monday"]}


def test_a_model_file_answers_as_the_model_did(fitted, tmp_path):
    save(fitted.model, tmp_path / "model")
    new = labelled(seed=1)[0]
    here, there = (diagnose_recording(m, new).answer for m in (fitted.model, load(tmp_path / "model")))
    assert here == there
    assert here.kind in ("named", "none_of_these")
    assert diagnose_recording(fitted.model, replace(new, condition={"day": "Tuesday"})).answer.kind == "no_promise"
    assert diagnose_recording(fitted.model, new, error=0.01).answer.kind == "no_promise"


def test_noise_and_silence_are_none_of_these(fitted):
    samples = 2 * machine_windows(1).shape[1]
    for signal in (np.zeros(samples), np.sin(np.arange(samples))):
        odd = Recording.from_array(signal.astype(np.float32), RATE)
        assert diagnose_recording(fitted.model, odd).answer.kind == "none_of_these"


def test_without_an_estimate_nothing_is_promised():
    model = fit_model(labelled(), windows_each=2, estimate=False).model
    assert model.card.calibration == {}
    assert "calibration" not in model.card.as_data()
    answer = diagnose_recording(model, labelled()[0]).answer
    assert (answer.kind, answer.classes, answer.promise) == ("no_promise", (), None)
    assert "without an estimate" in answer.reason


def test_every_held_out_recording_is_answered_by_its_own_scores(fitted):
    recordings, estimate = labelled(), fitted.estimate
    known = calibrated(estimate, recordings)
    found = answered(estimate, recordings, known)
    assert [one.held for one in found] == list(estimate.held)
    for one in found:
        assert one.stated == max(one.held.probabilities.values())
        assert one.calibrated == one.answer.probability
        assert one.right == (one.held.verdict == one.held.label)
        if one.answer.classes:
            assert one.answer.classes[0] == one.held.verdict


def test_bins_hold_everything_once_and_in_order():
    stated = np.random.default_rng(0).uniform(size=500)
    right = stated > 0.5
    bins = bins_of(stated.tolist(), right.tolist())
    assert len(bins) == BINS
    assert sum(one.count for one in bins) == 500
    assert sum(one.right for one in bins) == right.sum()
    assert all(one.low < one.stated <= one.high for one in bins)
    assert [one.low for one in bins] == pytest.approx([0, 0.2, 0.4, 0.6, 0.8])


def test_an_edge_belongs_to_the_bin_below_it_and_empty_bins_are_left_out():
    lower, middle, upper = bins_of([0.6, 1.0, 0.61], [True, False, True])
    assert (lower.high, lower.count, lower.right) == (pytest.approx(0.6), 1, 1)
    assert (middle.low, middle.count, middle.right) == (pytest.approx(0.6), 1, 1)
    assert (upper.low, upper.count, upper.right) == (pytest.approx(0.8), 1, 0)
