"""Judging together from stored outcomes, made by hand."""

from dataclasses import replace

import numpy as np
import pytest

from dualres.bench.campaign.studies import jobs, study
from dualres.bench.report.adapted_scores import CONDITION, condition_of, f1_together, unlabelled_s
from dualres.bench.report.results import percent_f1
from dualres.judge.batch_correction import corrected
from tests.bench.campaign.synthetic import synthetic_outcome

NAMES = {
    "phm2009": ("helical1_30hz_high_1", "30hz_high"),
    "simulated": ("break_outer_H_speed_2000rpm_10Nm", "2000rpm_10Nm"),
    "machines": ("m10_good_light_1240rpm_34pc", "1240rpm_34pc"),
    "cwru": ("OR007@6_2", "_2"),
}


@pytest.fixture
def outcome():
    (job,) = jobs(study("adaptation"), ["phm2009"], methods=["mambasl"], seeds=[41], folds=["P1"])[:1]
    return synthetic_outcome(job)


@pytest.mark.parametrize("dataset", CONDITION)
def test_a_recording_s_name_tells_its_condition(dataset):
    recording, condition = NAMES[dataset]
    assert condition_of(dataset, recording) == condition


def test_classes_named_too_seldom_are_named_again(outcome):
    """A class whose log-probability is too low by the same amount everywhere is right again when judged together."""
    scores = np.full((len(outcome.truth), 14), 0.01)
    scores[np.arange(len(outcome.truth)), outcome.truth] = 1.0
    scores[:, 0] *= 0.008
    tilted = replace(outcome, scores=tuple(map(tuple, (scores / scores.sum(1, keepdims=True)).tolist())))
    assert percent_f1(tilted) < 95
    assert f1_together(tilted) == pytest.approx(100)
    assert f1_together(tilted, "phm2009") == pytest.approx(100)


def test_conditions_make_a_difference(outcome):
    conditions = [condition_of("phm2009", name) for name in outcome.recordings]
    unknown, known = (corrected(outcome.scores, some) for some in ([None] * len(conditions), conditions))
    assert not np.allclose(unknown, known)
    truth = np.asarray(outcome.truth)
    right = [100 * float((named.argmax(1) == truth).mean()) for named in (unknown, known)]
    assert f1_together(outcome) == pytest.approx(right[0], abs=5)
    assert f1_together(outcome, "phm2009") == pytest.approx(right[1], abs=5)


def test_unlabelled_seconds_are_those_that_windows_cover(outcome):
    assert unlabelled_s(replace(outcome, windows=(1, 3))) == pytest.approx(0.512 + 1.024)
