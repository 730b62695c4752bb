import dataclasses

import numpy as np
import pytest

from dualres.config import Recipe
from dualres.learn import estimate as module
from dualres.learn.estimate import Estimate, estimate, judge_rounds
from dualres.learn.holdout import Rounds, plan_rounds
from dualres.learn.settings import FitSettings
from dualres.metrics import Evaluation
from dualres.recordings.recording import Recording


def recording(name, label, component=None):
    tone = {"good": 2_000, "worn": 9_000}[label]
    rng = np.random.default_rng(len(name))
    t = np.arange(40_000) / 64_000
    signal = np.sin(2 * np.pi * tone * t) + 0.5 * rng.standard_normal(len(t))
    return Recording(name, lambda: signal.astype(np.float32), 64_000, label, component)


def test_an_estimate_judges_what_each_round_holds_out():
    recordings = [recording(f"{label}{i}", label, f"{label}{i}") for label in ("good", "worn") for i in (1, 22)]
    seen = []
    result = estimate(
        FitSettings(tuple(recordings), windows_each=2, recipe=Recipe(40, 5e-3), seed=0),
        plan_rounds(recordings),
        progress=lambda *x: seen.append(x[:3]),
    )
    assert result.macro_f1 == 1.0
    assert result.spread == 0.0
    assert result.confusion.tolist() == [[2, 0], [0, 2]]
    assert (result.rounds, result.unit) == (2, "component")
    assert (seen[0], seen[-1]) == (("Hold out, round 1 of 2", 1, 40), ("Hold out, round 2 of 2", 40, 40))
    assert sorted(name for one in result.judged for name in one.recordings) == sorted(r.id for r in recordings)
    low = 0.05 ** (1 / 4)  # of four components that are all judged right
    score = {"macro_f1": 1.0, "spread": 0.0, "low": low, "high": 1.0, "level": 0.9, "units": 4.0, "rounds": 2.0}
    assert result.as_score() == pytest.approx(score)
    assert (result.fits, result.covered) == (2, ("good", "worn"))


def test_an_estimate_judges_by_as_many_members_as_the_model_will_have(monkeypatch):
    recordings = [recording(f"{label}{i}", label, f"{label}{i}") for label in ("good", "worn") for i in (1, 22)]
    judges, judge = [], module.evaluate
    monkeypatch.setattr(module, "evaluate", lambda model, held: judges.append(model) or judge(model, held))
    settings = FitSettings(tuple(recordings), windows_each=1, recipe=Recipe(1), seed=5, members=2)
    estimate(settings, plan_rounds(recordings))
    assert [(len(model.networks), model.card.seeds) for model in judges] == [(2, (5, 6))] * 2


def test_the_rounds_can_fit_whatever_they_like(monkeypatch):
    """Every round's model sees the other rounds' recordings alone, under the name of its stage."""
    recordings = [recording(f"{label}{i}", label, f"{label}{i}") for label in ("good", "worn") for i in (1, 22)]
    model = type("Model", (), {"members": (1, 2, 3)})()
    seen = []
    monkeypatch.setattr(module, "evaluate", lambda model, held: verdicts(*((r.id, r.label, r.label) for r in held)))
    monkeypatch.setattr(module, "look_at", lambda model, recording: recording.id)
    rounds = plan_rounds(recordings)
    found = judge_rounds(
        recordings, rounds, lambda known, stage: seen.append((stage, {r.id for r in known})) or model, "Try"
    )
    assert [stage for stage, _ in seen] == ["Try, round 1 of 2", "Try, round 2 of 2"]
    assert [known for _, known in seen] == [{r.id for r in recordings} - held for held in rounds.held_out]
    assert found.fits == 6
    assert [set(looks) for looks in found.looks] == [set(held) for held in rounds.held_out]
    assert not found.same_components
    one_each = [dataclasses.replace(r, component=r.label) for r in recordings]
    assert judge_rounds(one_each, plan_rounds(one_each), lambda known, stage: model).same_components
    unnamed = [dataclasses.replace(r, component=None) for r in recordings]
    assert not judge_rounds(unnamed, plan_rounds(unnamed), lambda known, stage: model).same_components


def verdicts(*judged):
    """Of recordings with their labels and what was said of them."""
    classes = ("bad", "good", "worn")
    scores = tuple(tuple(0.8 if c == said else 0.1 for c in classes) for *_, said in judged)
    truth = tuple(classes.index(label) for _, label, _ in judged)
    return Evaluation(classes, tuple(name for name, *_ in judged), truth, (1,) * len(judged), scores)


def test_only_what_was_new_counts_and_the_rest_is_told_apart():
    """Of bad things there is one component: its recordings were held out, one of them judged wrong."""
    said = (
        verdicts(("a1", "good", "good"), ("c1", "worn", "worn"), ("x1", "bad", "worn")),
        verdicts(("b1", "good", "worn"), ("d1", "worn", "worn"), ("x2", "bad", "bad")),
    )
    units = {"a1": "a", "b1": "b", "c1": "c", "d1": "d", "x1": "x", "x2": "x"}
    plan = Rounds((frozenset(), frozenset()), "component", (), units, frozenset({"x1", "x2"}))
    found = Estimate(said, plan, 2)
    assert found.macro_f1 == (2 / 3 + 4 / 5) / 2, "of good and worn, whatever is said of bad"
    assert found.confusion.tolist() == [[1, 0, 1], [0, 1, 1], [0, 0, 2]], "the table has all"
    first, last = found.held[0], found.held[-1]
    assert (first.recording, first.unit, first.label, first.verdict, first.round) == ("a1", "a", "good", "good", 1)
    assert first.probabilities == {"bad": 0.1, "good": 0.8, "worn": 0.1}
    assert (first.new, last.recording, last.new, last.round) == (True, "x2", False, 2)
    data = found.as_data()
    assert (data["unit"], data["units"], data["rounds"], data["fits"]) == ("component", 4, 2, 2)
    assert (data["classes"], data["classes_not_covered"]) == (["good", "worn"], ["bad"])
    assert data["on_another_recording"] == {"bad": [1, 2]}
