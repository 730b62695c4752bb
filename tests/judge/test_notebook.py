from dataclasses import replace

import numpy as np
import pytest

from dualres import Recording, Verdict, diagnose_recording
from dualres.judge.notebook import MOST_CLASSES
from dualres.judge.trust.calibration import NAMED, Answer
from dualres.recordings.speed import Speed
from tests.markup import shown
from tests.model.made_views import machine_windows, made_views
from tests.models import model_of

NASTY = 'worn <img src=x onerror="x">'


@pytest.fixture(scope="module")
def model():
    return model_of(made_views(3), ("good", NASTY, "broken"))


def test_a_verdict_shows_its_class_its_answer_and_all_probabilities(model):
    verdict = diagnose_recording(model, Recording.from_array(machine_windows(1, 3)[1], 64_000, "pump"))
    html = verdict._repr_html_()
    text = shown(html)
    assert "<img" not in html
    assert f"pump: {verdict.label}" in text
    assert str(verdict.answer) in text
    for name, probability in verdict.probabilities.items():
        assert name in text
        assert f"{100 * probability:.1f} %" in text


def test_a_named_verdict_says_what_is_promised_and_at_which_speed():
    answer = Answer(NAMED, ("good",), 0.1, promise="component", names=True)
    shares = {"good": 0.9, "worn": 0.1}
    verdict = Verdict("pump", "good", shares, 3, answer=answer, speed=Speed((25.0,)))
    text = shown(verdict._repr_html_())
    assert "named: good" in text
    assert "at 1500 rpm, as stated" in text


def test_of_many_classes_the_most_probable_are_shown():
    shares = dict(zip(map(str, range(40)), np.arange(40) / 780, strict=True))
    text = shown(Verdict("pump", "39", shares, 1)._repr_html_())
    assert text.count(" %") == MOST_CLASSES
    assert "and 28 less probable ones" in text


def test_a_model_shows_what_it_learned_from_and_what_to_expect(model):
    html = model._repr_html_()
    assert "<img" not in html
    assert f"good, {NASTY}, broken" in shown(html)
    assert "how well it does is not known" in shown(html)
    told = {"unit": "component", "macro_f1": 0.875, "low": 0.7, "high": 0.95, "level": 0.9, "units": 8.0, "rounds": 4.0}
    told |= {"not_known": {"load": "label recordings at another load"}, "same_components": False}
    card = replace(model.card, exposure_s={"good": 12.5}, estimates=(told,), remarks=("few recordings",))
    text = shown(replace(model, card=card)._repr_html_())
    for said in ("good 12.5 s", "an unseen component", "macro-F1 87.5 % (90 % interval 70 to 95)", "few recordings"):
        assert said in text
    assert "label recordings at another load" in text
