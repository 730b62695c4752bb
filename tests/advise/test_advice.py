import numpy as np
import pytest

from dualres.advise.advice import advise, choose, class_probabilities, distances_between, without_conditions
from dualres.advise.features import looks_of
from dualres.errors import RecordingError
from dualres.recordings.recording import Recording
from tests.advise.made import made


def test_advice_on_a_machine():
    known = [made(label, seed) for label in ("good", "worn") for seed in range(3)]
    new = [made("good", 8, known=False), made("broken", 9, known=False), made("good", 8, speed=2, known=False)]
    advice = advise([*known, *new], count=2)
    assert (advice.labelled, advice.unlabelled) == (6, 3)
    assert [recording.id for recording, _ in advice.picks] == ["good8 at 2", "broken9 at 1"]
    assert advice.curve is not None
    assert advice.refusal == ""


def test_without_any_label_there_is_a_list_and_no_curve():
    advice = advise([made("good", 1, known=False), made("worn", 2, known=False)], count=5)
    assert len(advice.picks) == 2
    assert advice.curve is None
    assert "not known before" in advice.refusal


def test_where_all_is_labelled_there_is_nothing_to_choose():
    with pytest.raises(RecordingError, match="every recording has a label"):
        advise([made("good", 1)])


def at(*points):
    """Distances between points on a line."""
    where = np.array(points, dtype=float)
    return np.abs(where[:, None] - where)


def recordings(*labels, loads=None, components=None):
    count = len(labels)
    return [
        Recording(str(i), lambda: None, 1, label, component, {"load": load} if load else {})
        for i, (label, load, component) in enumerate(
            zip(labels, loads or [None] * count, components or [None] * count, strict=True)
        )
    ]


def places(picks):
    return [pick.place for pick in picks]


def test_the_typical_comes_before_the_odd():
    picks = choose(recordings(None, None, None, None), at(0, 1, 2, 50), 2)
    assert places(picks) == [1, 3]
    assert picks[0].reason == "typical of 2 others without a label", "the odd one is too far to be like it"
    assert picks[1].reason == "like no other"


def test_near_copies_come_last():
    assert places(choose(recordings("good", None, None, None), at(0, 0.1, 5, 9), 3))[-1] == 1
    assert set(places(choose(recordings(None, None, None, None), at(0, 0.1, 5, 5.1), 2))) & {0, 1}


def test_a_condition_or_a_component_without_labels_comes_first():
    them = recordings("good", None, None, None, loads=["1", "1", "1", "2"])
    picks = choose(them, at(0, 20, 21, 0.1), 2)
    assert places(picks)[0] == 3
    assert picks[0].reason.startswith("no label yet at load 2")
    assert picks[1].new == ()
    picks = choose(recordings("good", None, None, components=["a", "a", "b"]), at(0, 9, 1), 1)
    assert (places(picks), picks[0].new) == ([2], ("component b",))


def test_what_is_in_doubt_counts_for_more():
    them, distances = recordings("good", "worn", None, None), at(0, 100, 40, 60)
    sure, unsure = [0.95, 0.05], [0.55, 0.45]
    assert places(choose(them, distances, 1, np.array([sure, sure, unsure, sure]))) == [2]
    (pick,) = choose(them, distances, 1, np.array([sure, sure, sure, unsure]))
    assert (pick.place, pick.doubt) == (3, pytest.approx(0.9))
    assert pick.reason.endswith("class in doubt")


def test_what_is_likely_of_a_class_with_few_labels_counts_for_more():
    few, many = [0.7, 0.3], [0.3, 0.7]  # equally in doubt
    for labels, first in (("good", "worn", "worn"), 3), (("good", "good", "worn"), 4):
        likely = np.array([few, many, many, few, many])
        assert places(choose(recordings(*labels, None, None), at(0, 0, 0, 10, -10), 1, likely)) == [first]


def test_the_odd_do_not_take_the_first_labels():
    """Farther than the median is no more unlike: the many at 10 come before the one at 1000, labels or none."""
    far = at(0, 1, 2, 10, 11, 12, 1000)
    assert places(choose(recordings("good", *[None] * 6), far, 2)) == [4, 6]
    assert 6 not in places(choose(recordings(*[None] * 7), far, 2))


def test_copies_do_not_hide_the_rest():
    assert places(choose(recordings("good", *[None] * 6), at(0, 0, 0, 0, 0, 9, 9), 1)) == [5]


def test_no_more_are_named_than_there_are():
    assert places(choose(recordings("good", None), at(0, 1), 5)) == [1]
    assert choose(recordings("good"), at(0), 5) == []


def test_a_condition_is_taken_out_of_what_is_compared():
    mean = np.array([[0.0], [1.0], [10.0], [11.0]] * 50)
    conditions = [{"speed": "slow"}, {"speed": "slow"}, {"speed": "fast"}, {"speed": "fast"}] * 50
    left = without_conditions(mean, conditions)
    assert abs(left[0] - left[2])[0] == pytest.approx(0, abs=0.5)
    assert abs(left[0] - left[1])[0] == pytest.approx(1)
    alone = without_conditions(mean, [{"rpm": str(i)} for i in range(len(mean))])
    assert np.ptp(alone) > 5, "a value that occurs once does not take all"


@pytest.fixture(scope="module")
def machines():
    return [made(label, seed, known=seed == 0) for label in ("good", "worn") for seed in range(3)] + [
        made("broken", 7, known=False)
    ]


def test_recordings_of_one_kind_are_close(machines):
    distances = distances_between(looks_of(machines), [r.condition for r in machines])
    assert distances[0, 1] < distances[0, 3] / 2
    np.testing.assert_allclose(distances, distances.T)
    assert choose(machines, distances, 1)[0].place == 6, "nothing that is labelled is like it"


def test_probabilities_need_two_classes(machines):
    looks = looks_of(machines)
    found = class_probabilities(looks, machines)
    assert found.shape == (7, 2)
    np.testing.assert_allclose(found.sum(1), 1, rtol=1e-6)
    assert found[1, 0] > 0.75, "another good one"
    assert found[4, 1] > 0.75, "another worn one"
    assert class_probabilities(looks, [machines[0], *machines[1:3], *machines[1:3], *machines[1:3]]) is None
