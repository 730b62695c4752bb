"""What a fit's page says of what a model listens to."""

import re
from dataclasses import replace

import numpy as np
import pytest

from dualres import Recording, fit_model
from dualres.explain.reasons import compare_classes
from dualres.explain.sentence import marks_of, sentence_of
from dualres.fit_page.bands import TOP, WINDOWS, confused_with, reasons_of, section
from dualres.judge.verdict import diagnose_recording
from dualres.learn.estimate import Estimate
from dualres.learn.holdout import Rounds
from dualres.learn.workflow import FittedModel
from dualres.metrics import Evaluation
from dualres.model.network import DualRes
from dualres.utils.html import escape
from tests.model.made_orders import made_orders
from tests.model.made_views import RATE, machine_windows, made_views
from tests.models import model_of

NAMES = tuple(f"class {i}" for i in range(4))


@pytest.fixture(scope="module")
def typical():
    windows = machine_windows(3, 4, seed=8).reshape(4, -1)
    return {
        name: Recording.from_array(one, RATE, name, name, speed="25Hz")
        for name, one in zip(NAMES, windows, strict=True)
    }


@pytest.fixture(scope="module", params=["orders", "views", "paper"])
def model(request):
    made = {"orders": made_orders, "views": made_views, "paper": lambda classes: DualRes(classes, seed=3).eval()}
    return model_of(made[request.param](4))


def test_each_class_has_the_regions_that_explain_tells_of(model, typical):
    part = section(FittedModel(model, None, []), typical)
    reasons = reasons_of(model, typical, None)
    assert [one.label for one in reasons] == list(NAMES)
    assert ("in a turn" in part) == any(share.region.orders for one in reasons for share in one.shares)
    for one, row in zip(reasons, part.split('<div class="heard">')[1:], strict=True):
        assert f"<h3>{one.label}</h3><span>against {one.rival}</span>" in row
        shown = [float(share) for share in re.findall(r"--share:(.*?)\"", row)]
        top = one.top(TOP)
        assert shown == pytest.approx([share.whole / top[0].whole for share in top], abs=0.006)
        sentence = sentence_of(one, marks_of(one, RATE / 2))
        assert f"<p>{escape(sentence)}</p>" in row
        assert "nats" not in row
        assert all(str(share.region) in row for share in one.top(TOP))


def test_without_confusions_the_rival_comes_next_in_probability(model, typical):
    for one in reasons_of(model, typical, None):
        probabilities = diagnose_recording(model, typical[one.label], WINDOWS).probabilities
        assert one.rival == max((p, name) for name, p in probabilities.items() if name != one.label)[1]


def test_the_rival_is_the_class_that_it_was_confused_with_most():
    truth, verdicts = (0, 0, 0, 1, 2, 2, 3), (1, 2, 2, 1, 2, 1, 3)
    scores = tuple(tuple(np.eye(4)[one].tolist()) for one in verdicts)
    judged = Evaluation(NAMES, tuple("abcdefg"), truth, (1,) * 7, scores)
    estimate = Estimate((judged,), Rounds((frozenset("abcdefg"),), "recording", ()), 1)
    assert [confused_with(name, estimate) for name in NAMES] == ["class 2", "class 0", "class 0", None]
    assert confused_with("class 0", None) is None


def test_of_several_axes_the_first_is_explained():
    rng = np.random.default_rng(0)
    tones = {"good": 400, "worn": 1500}
    known = []
    for label, hz in tones.items():
        for i in range(2):
            t = np.arange(8000) / 8000
            sides = [np.sin(2 * np.pi * hz * t), np.zeros(8000)]
            axes = {name: one + 0.3 * rng.standard_normal(8000) for name, one in zip("xy", sides, strict=True)}
            known.append(Recording.from_axes(axes, 8000, f"{label}{i}", label))
    some = fit_model(known, windows_each=1, estimate=False)
    part = section(some, {"good": known[0], "worn": known[2]})
    assert "Of the axes x, y, x is explained." in part
    alone = compare_classes(some.model.along(0), known[2].axes[0], "worn", "good", limit=WINDOWS)
    assert escape(sentence_of(alone, marks_of(alone, 4000))) in part


def test_another_method_has_no_reasons(typical):
    model = model_of(made_views(4))
    other = replace(model, card=replace(model.card, method="minirocket"))
    assert "Reasons are known of DualRes alone" in section(FittedModel(other, None, []), typical)
