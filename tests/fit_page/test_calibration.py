"""What a fit's page says of how sure verdicts may be."""

import re
from dataclasses import replace

import pytest

from dualres.fit_page.calibration import section
from dualres.judge.trust.calibration import WITHOUT, Calibration
from dualres.learn.calibrate import answered
from tests.learn.test_calibrate import fit_of_labelled, labelled


@pytest.fixture(scope="module")
def part():
    return section(fit_of_labelled(), labelled()).replace("&nbsp;", " ")


def test_what_can_be_promised_is_said_as_the_command_does(part):
    card = fit_of_labelled().model.card
    for promise in Calibration.parsed(card.calibration, card.classes).promises():
        assert f"<li>dualres diagnose can state {promise}.</li>" in part
    assert "error rates from 7.7 %" in part, "twelve recordings"
    assert "in 10 % of cases and as large a share of the names may be wrong" in part
    assert part.count("<li>Promises are for conditions like the labelled ones: day Monday; load high, low.</li>") == 1


def test_every_held_out_recording_has_one_of_the_four_answers(part):
    fitted, recordings = fit_of_labelled(), labelled()
    counts = dict(re.findall(r'<tr><td>(\w+ ?\w*).*?</td><td class="number">(\d+)</td>', part))
    known = answered(fitted.estimate, recordings, Calibration.parsed(fitted.model.card.calibration, ("good", "worn")))
    assert len(counts) == 4
    assert sum(map(int, counts.values())) == len(recordings)
    assert int(counts["Named"]) == sum(one.answer.kind == "named" for one in known) > 0


def test_few_recordings_are_called_coarse(part):
    assert "With 12 recordings this picture is coarse" in part
    assert part.count("<circle") >= 2


def test_without_an_estimate_it_says_why_there_is_nothing():
    fitted = fit_of_labelled()
    plain = replace(fitted.model, card=replace(fitted.model.card, calibration={}))
    part = section(replace(fitted, model=plain, estimate=None, estimates=()), labelled())
    assert f"Nothing is promised: {WITHOUT}." in part
    assert "<svg" not in part
