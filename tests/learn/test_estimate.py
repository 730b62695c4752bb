import numpy as np
import pytest

from dualres.config import Recipe
from dualres.errors import ConfigError
from dualres.learn import estimate as module
from dualres.learn.estimate import estimate, plan_rounds
from dualres.recordings.recording import Recording


def recording(name, label, component=None):
    tone = {"good": 2_000, "worn": 9_000}[label]
    rng = np.random.default_rng(len(name))
    t = np.arange(40_000) / 64_000
    signal = np.sin(2 * np.pi * tone * t) + 0.5 * rng.standard_normal(len(t))
    return Recording(name, lambda: signal.astype(np.float32), 64_000, label, component)


def test_components_are_held_out_whole():
    recordings = [
        recording(f"{c}{i}", label, c)
        for c, label in zip("abcd", ["good", "good", "worn", "worn"], strict=True)
        for i in (1, 2)
    ]
    rounds = plan_rounds(recordings)
    assert rounds.unit == "component"
    assert not rounds.remarks
    assert set(rounds.held_out) == {frozenset({"a1", "a2", "c1", "c2"}), frozenset({"b1", "b2", "d1", "d2"})}


def test_without_components_recordings_are_held_out_and_that_is_said():
    rounds = plan_rounds([recording(n, "good" if n < "d" else "worn") for n in "abcdef"])
    assert rounds.unit == "recording"
    assert "easier" in rounds.remarks[0]
    assert sorted(map(sorted, rounds.held_out)) == [["a", "d"], ["b", "e"], ["c", "f"]]


def test_a_class_with_one_component_is_held_out_by_recording_and_that_is_said():
    recordings = [recording(f"{c}{i}", "good", c) for c in "ab" for i in (1, 2)]
    recordings += [recording(f"w{i}", "worn", "w") for i in (1, 2)]
    rounds = plan_rounds(recordings)
    assert rounds.remarks == ("worn: a single component, so its recordings are held out: an easier test",)
    assert rounds.unit == "component (recording for worn)"
    assert all(len(held & {"w1", "w2"}) == 1 for held in rounds.held_out)


def test_a_class_with_one_recording_stays_in_training():
    recordings = [recording(n, "good" if n < "c" else "worn", n) for n in "abcd"]
    lone = Recording("x", recordings[0].load, 64_000, "broken", "x")
    rounds = plan_rounds([*recordings, lone])
    assert "broken: a single recording" in rounds.remarks[0]
    assert not any("x" in held for held in rounds.held_out)
    assert rounds.unit == "component"


def test_a_component_of_two_classes_is_held_out_with_both():
    """A bearing recorded before and after its damage: both recordings go together."""
    recordings = [recording(f"{c}{label[0]}", label, c) for c in "abc" for label in ("good", "worn")]
    for held in plan_rounds(recordings).held_out:
        assert {name[0] for name in held} == {next(iter(held))[0]}


def test_a_component_that_one_class_learns_from_is_not_claimed_to_be_new_for_another():
    recordings = [recording("a1", "good", "a"), recording("b1", "good", "b")]
    recordings += [recording(f"w{i}", "worn", "a") for i in (1, 2)]
    assert plan_rounds(recordings).unit == "component (recording for good, worn)"


def test_at_most_five_rounds():
    recordings = [recording(f"{label}{i}", label, f"{label}{i}") for label in ("good", "worn") for i in range(9)]
    rounds = plan_rounds(recordings)
    assert len(rounds.held_out) == 5
    assert sorted(name for held in rounds.held_out for name in held) == sorted(r.id for r in recordings)


def test_nothing_to_hold_out_is_said():
    with pytest.raises(ConfigError, match=r"fewer than two classes .* --no-estimate"):
        plan_rounds([recording("a", "good"), recording("b", "good"), recording("w", "worn")])
    both = [recording(f"{label}{i}", label, "a") for label in ("good", "worn") for i in (1,)]
    with pytest.raises(ConfigError, match="--no-estimate"):
        plan_rounds(both)


def test_an_estimate_judges_what_each_round_holds_out():
    recordings = [recording(f"{label}{i}", label, f"{label}{i}") for label in ("good", "worn") for i in (1, 22)]
    seen = []
    result = estimate(
        recordings,
        plan_rounds(recordings),
        ("good", "worn"),
        windows_each=2,
        recipe=Recipe(40, 5e-3),
        seed=0,
        progress=lambda *x: seen.append((x[0], x[1], x[2].update, x[3])),
    )
    assert result.macro_f1 == 1.0
    assert result.spread == 0.0
    assert result.confusion.tolist() == [[2, 0], [0, 2]]
    assert (result.rounds, result.unit) == (2, "component")
    assert (seen[0], seen[-1]) == ((1, 2, 1, 40), (2, 2, 40, 40))


def test_an_estimate_judges_by_as_many_members_as_the_model_will_have(monkeypatch):
    recordings = [recording(f"{label}{i}", label, f"{label}{i}") for label in ("good", "worn") for i in (1, 22)]
    judges, diagnose = [], module.diagnose_recording
    monkeypatch.setattr(module, "diagnose_recording", lambda model, r: judges.append(model) or diagnose(model, r))
    settings = {"windows_each": 1, "recipe": Recipe(1), "seed": 5, "members": 2}
    estimate(recordings, plan_rounds(recordings), ("good", "worn"), **settings)
    assert [(len(model.networks), model.card.seeds) for model in judges] == [(2, (5, 6))] * 4
