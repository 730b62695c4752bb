"""The page beside a model: what stands on it, and how it looks in a browser."""

import re
from dataclasses import replace
from html import escape

import numpy as np
import pytest

from dualres import fit_model
from dualres.errors import OutputError
from dualres.fit_page import held_out
from dualres.fit_page.page import check_page, fit_page, page_beside, write_fit_page
from dualres.judge.trust.novelty import look_at
from dualres.learn.calibrate import calibrated
from dualres.learn.estimate import Estimate
from dualres.learn.holdout import plan_rounds
from dualres.learn.workflow import FittedModel
from dualres.metrics import Evaluation
from dualres.recordings.recording import Recording

RATE = 8000
NASTY = 'worn <b onclick="x">&'
CLASSES = ("good", "looseness of the housing", NASTY)


def recording(name, label, component, hz):
    t = np.arange(RATE) / RATE
    signal = np.sin(2 * np.pi * hz * t) + 0.3 * np.random.default_rng(hz).standard_normal(RATE)
    return replace(Recording.from_array(signal, RATE, name, label), component=component)


@pytest.fixture(scope="module")
def recordings():
    """Three machines of each class; those of a class sound alike, and the second twice, but for the name."""
    return [
        recording(f"{i}/{label}/a_long_name_of_a_file_{again}.wav", label, f"machine {i}", hz + 11 * i + again)
        for i in range(3)
        for label, hz in zip(CLASSES, (300, 900, 2400), strict=True)
        for again in range(2)
    ]


@pytest.fixture(scope="module")
def fitted(recordings):
    """With an estimate in which two recordings are wrong, one of them surely."""
    plan = plan_rounds(recordings)
    wrong = {recordings[0].id: (0.02, 0.96, 0.02), recordings[3].id: (0.5, 0.4, 0.1)}
    judged, by_id = [], {r.id: r for r in recordings}
    for held in plan.held_out:
        some = [r for r in recordings if r.id in held]
        truth = tuple(CLASSES.index(r.label) for r in some)
        scores = tuple(wrong.get(r.id, tuple(np.eye(3)[t].tolist())) for r, t in zip(some, truth, strict=True))
        judged.append(Evaluation(CLASSES, tuple(r.id for r in some), truth, (2,) * len(some), scores))
    model = fit_model(recordings, windows_each=1, estimate=False).model
    looks = tuple({name: look_at(model, by_id[name]) for name in one.recordings} for one in judged)
    told = tuple(dict.fromkeys(one.recordings, ()) for one in judged)
    estimate = Estimate(tuple(judged), plan, len(judged), True, looks, told)
    model = replace(model, card=replace(model.card, calibration=calibrated(estimate, recordings).as_data()))
    return FittedModel(model, estimate, [], estimates=(estimate,))


@pytest.fixture(scope="module")
def path(fitted, recordings, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "pump.html"
    write_fit_page(fitted, recordings, path, notes=["broken.wav: <i>no sound</i>"])
    return path


def test_the_score_stands_beside_how_far_to_trust_it(path, fitted):
    page = path.read_text()
    score = f"{100 * fitted.estimate.macro_f1:.1f} %"
    (expected,) = re.findall(r'<div class="expected">.*?</section>', page, re.DOTALL)
    assert f"<b>{score}</b>" in expected
    assert "How far to trust it" in expected
    assert "With 3 other components the score could have been another one" in expected
    assert "on an unseen component" in expected


def test_what_was_learned_from_held_out_and_noticed_is_told(path):
    page = path.read_text()
    assert "3 classes, learned from 18 recordings of 3 components" in page
    assert '<td>good</td><td class="number">6</td><td class="number">3</td>' in page
    assert '<td>1</td><td>machine 0</td><td class="number">4 of 6</td>' in page
    assert '<td>2</td><td>machine 1</td><td class="number">6 of 6</td>' in page
    assert "broken.wav: &lt;i&gt;no sound&lt;/i&gt;" in page
    assert "dualres diagnose pump.safetensors FILES" in page
    assert "dualres explain pump.safetensors FILE" in page
    assert "dualres export pump.safetensors pump-c99 --to c99" in page
    assert "polyphase-held" in page
    assert "<th>Calibration</th>" not in page, "columns of numbers, which nobody reads"


def test_text_of_files_is_not_markup(path):
    page = path.read_text()
    assert "<b onclick" not in page
    assert "&lt;b onclick=" in page
    assert "<script" not in page


def test_wrong_recordings_stand_the_surest_first_beside_what_their_model_had_learned_from(path, fitted, recordings):
    assert [one.recording for one in held_out.wrong_ones(fitted.estimate)] == [recordings[0].id, recordings[3].id]
    page = path.read_text().replace("<wbr>", "")
    names = [re.findall(r"<h3>(.*?)</h3>", pair) for pair in page.split('<div class="pair">')[1:]]
    assert len(names) == 2
    assert names[0][0] == recordings[0].id
    # Its twin on the same machine looks most alike, and was held out with it.
    assert re.fullmatch(r"[12]/good/a_long_name_of_a_file_\d\.wav", names[0][1])
    assert "taken for <em>looseness of the housing</em> at 96 %" in page


def test_what_it_listens_to_is_told_of_the_recordings_that_are_drawn(path, recordings):
    page = path.read_text()
    (part,) = re.findall(r"<h2>What it listens to</h2>.*?</section>", page, re.DOTALL)
    assert re.findall(r"<h3>(.*?)</h3>", part) == [escape(label) for label in CLASSES]
    assert "<span>against looseness of the housing</span>" in part
    assert "<h2>How sure it may be</h2>" in page


def test_without_an_estimate_the_page_says_that_nothing_is_known(fitted, recordings, path):
    page = fit_page(replace(fitted, estimate=None, estimates=()), recordings, path)
    assert "Not known: nothing was held out" in page
    assert "Wrong verdicts" not in page


def test_two_estimates_are_told_apart(fitted, recordings, path):
    other = replace(fitted.estimate, plan=replace(fitted.estimate.plan, unit="load"))
    wanted = frozenset({"component", "load"})
    page = fit_page(replace(fitted, estimates=(fitted.estimate, other), wanted=wanted), recordings, path)
    for title in ("Wrong verdicts, component held out", "Wrong verdicts, load held out"):
        assert title in page
    page = fit_page(replace(fitted, estimates=(fitted.estimate, other)), recordings, path)
    assert "Verdicts against the truth, load held out" in page
    assert "Wrong verdicts, load held out" not in page, "pictures of the hardest alone, where nobody asked"


def test_the_page_goes_beside_the_model(tmp_path):
    assert page_beside(tmp_path / "a.b.safetensors") == tmp_path / "a.b.html"
    assert page_beside(tmp_path / "pump.v2") == tmp_path / "pump.v2.html"


def test_a_page_is_replaced_and_nothing_else(path, tmp_path):
    check_page(path)
    check_page(tmp_path / "new.html")
    other = tmp_path / "notes.html"
    other.write_text("<html>my notes</html>")
    with pytest.raises(OutputError, match="is no report of DualRes"):
        check_page(other)


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_sticks_out_and_nothing_is_fetched(browser, path, width):
    browser.open(path, width)
    assert browser.evaluate("document.documentElement.scrollWidth") == width
    hidden = "[...document.querySelectorAll('.scroll')].map(each => each.scrollWidth - each.clientWidth)"
    assert max(browser.evaluate(hidden)) <= 0, "and no part needs to be scrolled"
    assert browser.requests == [path.as_uri()]
    assert browser.errors == []


def test_it_is_dark_where_the_reader_s_screen_is(browser, path):
    shade = "getComputedStyle(document.body).backgroundColor"
    browser.open(path, 390)
    light = browser.evaluate(shade)
    browser.open(path, 390, dark=True)
    assert browser.evaluate(shade) != light
