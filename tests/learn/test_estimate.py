from dataclasses import replace

import numpy as np
import pytest

from dualres.config import Recipe
from dualres.errors import ConfigError, RecordingError
from dualres.learn import estimate as module
from dualres.learn.estimate import Estimate, estimate, estimate_both, judge_rounds
from dualres.learn.fit import fit_recordings
from dualres.learn.holdout import Rounds, plan_rounds
from dualres.learn.settings import FitSettings
from dualres.learn.workflow import fit_model
from dualres.metrics import Evaluation
from dualres.recordings.recording import Recording


def recording(name, label, component=None):
    tone = {"good": 2_000, "worn": 9_000}[label]
    rng = np.random.default_rng(len(name))
    t = np.arange(40_000) / 64_000
    signal = np.sin(2 * np.pi * tone * t) + 0.5 * rng.standard_normal(len(t))
    return Recording(name, lambda: signal.astype(np.float32), 64_000, label, component)


def two_components_each():
    return [recording(f"{label}{i}", label, f"{label}{i}") for label in ("good", "worn") for i in (1, 22)]


def test_an_estimate_judges_what_each_round_holds_out():
    recordings = two_components_each()
    seen = []
    result = estimate(
        FitSettings(tuple(recordings), windows_each=2, recipe=Recipe(40, 5e-3), seed=0),
        plan_rounds(recordings),
        progress=lambda *x: seen.append(x[:3]),
    )
    assert result.macro_f1 == 1.0
    assert result.score.standard_error == 0.0
    assert result.confusion.tolist() == [[2, 0], [0, 2]]
    assert (result.rounds, result.unit) == (2, "component")
    assert (seen[0], seen[-1]) == (("Hold out, round 1 of 2", 1, 40), ("Hold out, round 2 of 2", 40, 40))
    assert sorted(name for one in result.judged for name in one.recordings) == sorted(r.id for r in recordings)
    score = {"macro_f1": 1.0, "spread": 0.0, "units": 4.0, "rounds": 2.0}  # two rounds, no interval
    assert result.as_score() == pytest.approx(score)
    assert (result.fits, result.covered) == (2, ("good", "worn"))


def test_an_estimate_judges_by_as_many_members_as_the_model_will_have(monkeypatch):
    recordings = two_components_each()
    judges, judge = [], module.judge_unseen
    monkeypatch.setattr(module, "judge_unseen", lambda model, held: judges.append(model) or judge(model, held))
    settings = FitSettings(tuple(recordings), windows_each=1, recipe=Recipe(1), seed=5, members=2)
    estimate(settings, plan_rounds(recordings))
    assert [(len(model.networks), model.card.seeds) for model in judges] == [(2, (5, 6))] * 2


def test_the_rounds_can_fit_whatever_they_like(monkeypatch):
    """Every round's model sees the other rounds' recordings alone, under the name of its stage."""
    recordings = two_components_each()
    model = type("Model", (), {"members": (1, 2, 3)})()
    seen = []

    def judge(model, held):
        said = verdicts(*((r.id, r.label, r.label) for r in held))
        return module.JudgedRound(said, {r.id: r.id for r in held}, {}), None

    monkeypatch.setattr(module, "judge_unseen", judge)
    rounds = plan_rounds(recordings)
    found = judge_rounds(
        recordings, rounds, lambda known, stage: seen.append((stage, {r.id for r in known})) or model, "Try"
    )
    assert [stage for stage, _ in seen] == ["Try, round 1 of 2", "Try, round 2 of 2"]
    assert [known for _, known in seen] == [{r.id for r in recordings} - held for held in rounds.held_out]
    assert found.fits == 6
    assert [set(looks) for looks in found.looks] == [set(held) for held in rounds.held_out]
    assert not found.same_components
    one_each = [replace(r, component=r.label) for r in recordings]
    assert judge_rounds(one_each, plan_rounds(one_each), lambda known, stage: model).same_components
    unnamed = [replace(r, component=None) for r in recordings]
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


FEW = {"recipe": Recipe(2), "windows_each": 1}


@pytest.fixture(scope="module")
def of_axes():
    """Four components of two axes; the noise in them depends on the length of a name."""
    made = []
    for name in ("a", "bb", "ccc", "dddd"):
        label = "good" if name < "c" else "worn"
        signals = {axis: recording(name + axis * k, label).load() for k, axis in enumerate("xy", start=1)}
        made.append(Recording.from_axes(signals, 64_000, name, label))
    return made


def judged(right):
    """One round in which these are named right."""
    scores, names = tuple((1.0, 0.0) if one else (0.0, 1.0) for one in right), tuple(map(str, range(len(right))))
    return Evaluation(("good", "worn"), names, (0,) * len(right), (1,) * len(right), scores)


@pytest.mark.parametrize(
    ("apart", "shared", "chosen"),
    [
        ([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1, 1, 0], "shared"),
        ([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0, 0, 0], "apart"),  # one more, which may be chance
        ([1, 1, 1, 1], [1, 1, 1, 1], "apart"),
        ([1, 1, 1, 1], [0, 0, 0, 1], "apart"),
    ],
)
def test_a_shared_network_is_taken_only_if_it_is_clearly_ahead(monkeypatch, apart, shared, chosen):
    said = {"apart": judged(apart), "shared": judged(shared)}
    monkeypatch.setattr(
        module, "estimate", lambda *_, axes, **__: Estimate((said[axes],), "component", ("as they are",))
    )
    axes, expected, why = estimate_both(None, None)
    assert axes == chosen
    assert expected.judged == (said[chosen],)
    each, one = (f"{100 * np.mean(right):.1f} %" for right in (apart, shared))
    ahead = "the shared one is clearly ahead" if chosen == "shared" else "the shared one is not clearly ahead"
    assert why == f"axes: a network each is right on {each} of what was held out, a shared one on {one}; {ahead}"


def test_both_are_held_out_in_the_same_rounds_and_the_card_says_so(of_axes):
    told, announced = [], []
    fitted = fit_model(of_axes, **FEW, announce=announced.append, progress=lambda *x: told.append(x[:3]))
    assert announced[0].fits == 2 * (1 + 2 + 2), "two axes: the fit on all, and two rounds of either kind"
    card = fitted.model.card
    assert (card.channels, card.axes, len(fitted.model.members)) == (("x", "y"), "apart", 2)
    assert card.remarks[-1] == fitted.about_axes
    assert fitted.about_axes.startswith("axes: a network each is right on ")
    rounds = [f"Hold out{which}, round {i} of 2" for which in ("", ", one network for all axes") for i in (1, 2)]
    assert list(dict.fromkeys(stage for stage, *_ in told)) == ["Time one update", *rounds, "Learn from all"]
    assert told[-1] == ("Learn from all", 4, 4)


def test_without_an_estimate_axes_have_a_network_each(of_axes):
    fitted = fit_model(of_axes, **FEW, members=2, estimate=False)
    card = fitted.model.card
    assert (card.axes, card.members, card.networks, card.remarks, fitted.about_axes) == ("apart", 2, 4, (), "")
    alone = fit_model([r.axes[0] for r in of_axes], **FEW, estimate=False).model.card
    assert card.exposure_s == alone.exposure_s


def test_a_network_each_is_what_each_axis_alone_gives(of_axes):
    labels = [r.label for r in of_axes]
    both, history = fit_recordings(of_axes, labels, ("good", "worn"), FitSettings(**FEW))
    by_axis = [[r.axes[i] for r in of_axes] for i in range(2)]
    alone = [fit_recordings(its, labels, ("good", "worn"), FitSettings(**FEW)) for its in by_axis]
    assert history == alone[0][1] + alone[1][1]
    for network, (model, _) in zip(both.networks, alone, strict=True):
        for name, tensor in model.network.state_dict().items():
            np.testing.assert_array_equal(tensor, network.state_dict()[name])


def test_a_shared_network_learns_from_all_axes(of_axes):
    labels = [r.label for r in of_axes]
    shared, history = fit_recordings(of_axes, labels, ("good", "worn"), FitSettings(**FEW), axes="shared")
    pooled = [axis for i in range(2) for axis in (r.axes[i] for r in of_axes)]
    as_one, _ = fit_recordings(pooled, labels * 2, ("good", "worn"), FitSettings(**FEW))
    assert (shared.card.axes, len(shared.members), len(history)) == ("shared", 1, 2)
    for name, tensor in as_one.network.state_dict().items():
        np.testing.assert_array_equal(tensor, shared.network.state_dict()[name])
    assert {label: 2 * s for label, s in shared.card.exposure_s.items()} == as_one.card.exposure_s


def test_too_many_networks_and_other_axes_are_refused_at_once(of_axes):
    with pytest.raises(ConfigError, match="40 networks for each of 2 axes are 80; a model has at most 64"):
        fit_model(of_axes, **FEW, members=40)
    with pytest.raises(RecordingError, match=r"bb: has one signal, and a has 2 axes \(x, y\)"):
        fit_model([of_axes[0], of_axes[1].axes[0], *of_axes[2:]], **FEW)
