import numpy as np

from dualres.config import Recipe
from dualres.learn import estimate as module
from dualres.learn.estimate import estimate
from dualres.learn.holdout import plan_rounds
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
        recordings,
        plan_rounds(recordings),
        ("good", "worn"),
        windows_each=2,
        recipe=Recipe(40, 5e-3),
        seed=0,
        progress=lambda *x: seen.append(x[:3]),
    )
    assert result.macro_f1 == 1.0
    assert result.spread == 0.0
    assert result.confusion.tolist() == [[2, 0], [0, 2]]
    assert (result.rounds, result.unit) == (2, "component")
    assert (seen[0], seen[-1]) == (("Hold out, round 1 of 2", 1, 40), ("Hold out, round 2 of 2", 40, 40))
    assert sorted(name for one in result.judged for name in one.recordings) == sorted(r.id for r in recordings)
    assert result.as_score() == {"macro_f1": 1.0, "spread": 0.0, "rounds": 2.0}


def test_an_estimate_judges_by_as_many_members_as_the_model_will_have(monkeypatch):
    recordings = [recording(f"{label}{i}", label, f"{label}{i}") for label in ("good", "worn") for i in (1, 22)]
    judges, judge = [], module.evaluate
    monkeypatch.setattr(module, "evaluate", lambda model, held: judges.append(model) or judge(model, held))
    settings = {"windows_each": 1, "recipe": Recipe(1), "seed": 5, "members": 2}
    estimate(recordings, plan_rounds(recordings), ("good", "worn"), **settings)
    assert [(len(model.networks), model.card.seeds) for model in judges] == [(2, (5, 6))] * 2
