from dataclasses import replace

import pytest

from dualres.learn.estimate import Estimate
from dualres.learn.holdout import plan_rounds
from dualres.learn.workflow import FittedModel
from dualres.metrics import Evaluation
from dualres.recordings.recording import Recording
from tests.markup import shown
from tests.model.made_views import made_views
from tests.models import model_of

NASTY = "worn <b>"
CLASSES = ("good", NASTY)


@pytest.fixture
def estimate():
    """Of a model that calls everything good."""
    recordings = [
        replace(Recording.from_array([0.0, 1.0], 100, f"{label}{i}", label), component=f"{label} {i}")
        for i in range(3)
        for label in CLASSES
    ]
    plan = plan_rounds(recordings)
    judged = []
    for held in plan.held_out:
        some = [one for one in recordings if one.id in held]
        truth = tuple(CLASSES.index(one.label) for one in some)
        scores = tuple((0.9, 0.1) for _ in some)
        judged.append(Evaluation(CLASSES, tuple(one.id for one in some), truth, (1,) * len(some), scores))
    return Estimate(tuple(judged), plan, len(judged))


def test_an_estimate_shows_its_score_and_what_was_taken_for_what(estimate):
    html = estimate._repr_html_()
    text = " ".join(shown(html).split())
    assert "<b>" not in html
    assert "Expected on an unseen component: macro-F1 33.3 %" in text
    assert f"good {NASTY} good 3 0 {NASTY} 3 0" in text


def test_what_a_fit_gives_shows_the_model_and_the_estimate(estimate):
    fitted = FittedModel(model_of(made_views(2), CLASSES), estimate, [], estimates=(estimate,))
    html = fitted._repr_html_()
    assert "Model of 2 classes" in shown(html)
    assert html.endswith(estimate._repr_html_())
