import numpy as np
import pytest

from dualres.advise.curve import CurveRefusedError, LearningCurve, curve_of, learning_curve
from dualres.advise.features import looks_of
from tests.advise.made import made


def logit(percent):
    return np.log(percent / (100 - percent))


def test_a_curve_that_rises_goes_on_rising_within_its_interval():
    curve = LearningCurve((1, 2, 4), (40.0, 55.0, 68.0), 60, 5, "recording")
    now, later = curve.expected(10), curve.expected(20)
    assert 68 < now.score < later.score < 100
    assert now.low < now.score < now.high
    widths = [logit(one.high) - logit(one.low) for one in (now, later)]
    assert widths[1] > widths[0], "further away less is known"


def test_more_held_out_recordings_narrow_the_interval():
    few, many = (LearningCurve((1, 2), (50.0, 60.0), judged, 3, "recording").expected(6) for judged in (20, 2000))
    assert few.score == pytest.approx(many.score)
    assert many.high - many.low < few.high - few.low


def test_one_size_has_the_usual_slope():
    assert LearningCurve((1,), (50.0,), 30, 3, "component").expected(2).score == pytest.approx(67.9, abs=0.1)


def test_all_right_is_expected_to_stay_so():
    one = LearningCurve((1, 2), (100.0, 100.0), 30, 3, "recording").expected(6)
    assert (one.score, one.high) == (100, 100)
    assert one.low > 80


def test_sizes_double_up_to_what_every_round_leaves():
    labels = np.repeat([0, 1], 6)
    held = [np.arange(12) % 6 == i for i in range(3)]
    sizes, scores = curve_of(labels, held, lambda learned, judged: labels[judged])
    assert sizes == (1, 2, 4, 5)
    assert scores == (100, 100, 100, 100)


def test_nothing_that_is_judged_was_learned_from():
    labels, seen = np.repeat([0, 1], 4), []

    def judge(learned, judged):
        assert not set(learned) & set(judged)
        seen.append(np.bincount(labels[learned]).tolist())
        return labels[judged]

    curve_of(labels, [np.arange(8) % 4 == i for i in range(4)], judge)
    assert all(one == two for one, two in seen)


def test_views_learn_from_few_and_judge_the_rest():
    recordings = [made(label, seed) for label in ("good", "worn") for seed in range(3)]
    curve = learning_curve(recordings, looks_of(recordings))
    assert curve.per_class == (1, 2)
    assert curve.score[-1] == 100
    assert (curve.judged, curve.labelled, curve.unit) == (6, 3, "recording")


@pytest.mark.parametrize(
    ("labels", "reason"),
    [(["good"] * 3 + ["worn"] * 2, "before every class has three: worn has 2"), (["good"] * 3, "two classes")],
)
def test_too_few_are_refused_with_the_reason(labels, reason):
    recordings = [made(label, seed) for seed, label in enumerate(labels)]
    with pytest.raises(CurveRefusedError, match=reason):
        learning_curve(recordings, looks=None)
