"""Verdicts on recordings judged together: what a batch may change, and what it must leave alone."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dualres.judge.batch_correction import CHOSEN, Strength, corrected, spread

ALWAYS = Strength(closed=-1.0, opened=-0.5)  # believes every batch


def reference(probabilities, conditions, strength=CHOSEN):
    """The same, a recording and a class at a time, as the module's text tells it."""
    count, classes = len(probabilities), len(probabilities[0])

    def mean(members, before, weight):
        sums = [sum(probabilities[i][c] for i in members) + weight * before[c] for c in range(classes)]
        return [value / (len(members) + weight) for value in sums]

    def believed(members):
        verdicts = [max(range(classes), key=probabilities[i].__getitem__) for i in members]
        return min(1, max(0, (evenness(verdicts, classes) - strength.closed) / (strength.opened - strength.closed)))

    even, everyone = [1 / classes] * classes, range(count)
    batch = mean(everyone, even, strength.batch)
    rows = []
    for i in everyone:
        like = [j for j in everyone if conditions[j] == conditions[i]]
        own = mean(like, batch, strength.condition)
        apart = believed(like) if conditions[i] is not None and len(like) < count else 0
        row = [
            p * (even[c] / batch[c]) ** believed(everyone) * (batch[c] / own[c]) ** apart
            for c, p in enumerate(probabilities[i])
        ]
        rows.append([value / sum(row) for value in row])
    return rows if count > 1 else probabilities


def evenness(verdicts, classes):
    """Entropy over its expectation, the latter summed over how many verdicts a class may get."""
    count, share = len(verdicts), 1 / classes
    if count < 2:
        return 0
    shares = [verdicts.count(c) / count for c in set(verdicts)]
    expected = -classes * sum(
        math.comb(count, k) * share**k * (1 - share) ** (count - k) * (k / count) * math.log(k / count)
        for k in range(1, count + 1)
    )
    return -sum(s * math.log(s) for s in shares) / expected


def biased(count, classes=5, seed=0, towards=1.5, certainty=2.0):
    """Probabilities of recordings of all classes in turn, by a model that favours the first class; and the truth."""
    rng = np.random.default_rng(seed)
    truth = np.arange(count) % classes
    logits = rng.standard_normal((count, classes)) + certainty * np.eye(classes)[truth]
    logits[:, 0] += towards
    return softmax(logits), truth


def softmax(logits):
    powers = np.exp(logits)
    return powers / powers.sum(1, keepdims=True)


@st.composite
def batches(draw):
    count, classes = draw(st.integers(1, 30)), draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    probabilities = softmax(draw(st.sampled_from([0.1, 1.0, 4.0])) * rng.standard_normal((count, classes)))
    conditions = draw(st.lists(st.sampled_from([None, "slow", "fast", "idle"]), min_size=count, max_size=count))
    return probabilities, conditions


@given(batches())
@settings(max_examples=60, deadline=None)
def test_it_is_what_its_text_says(batch):
    for strength in (CHOSEN, ALWAYS, Strength(1.0, 2.0, 0.2, 0.4)):
        np.testing.assert_allclose(
            corrected(*batch, strength), reference(batch[0].tolist(), batch[1], strength), rtol=1e-9
        )


@given(batches(), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_order_does_not_matter_and_rows_stay_probabilities(batch, seed):
    probabilities, conditions = batch
    order = np.random.default_rng(seed).permutation(len(conditions))
    together = corrected(probabilities, conditions, ALWAYS)
    again = corrected(probabilities[order], [conditions[i] for i in order], ALWAYS)
    np.testing.assert_allclose(again, together[order], rtol=1e-12)
    np.testing.assert_allclose(together.sum(1), 1, rtol=1e-12)
    assert (together > 0).all()


@given(batches())
@settings(max_examples=30, deadline=None)
def test_names_of_conditions_do_not_matter_and_one_for_all_says_nothing(batch):
    probabilities, conditions = batch
    numbers = [None if c is None else len(c) * 7 + ord(c[0]) for c in conditions]
    same = corrected(probabilities, conditions, ALWAYS)
    assert np.array_equal(corrected(probabilities, numbers, ALWAYS), same)
    unknown = corrected(probabilities, [None] * len(conditions), ALWAYS)
    assert np.array_equal(corrected(probabilities, ["slow"] * len(conditions), ALWAYS), unknown)


@pytest.mark.parametrize("strength", [CHOSEN, ALWAYS])
def test_a_recording_alone_is_unchanged_to_the_last_bit(strength):
    row = np.random.default_rng(1).dirichlet(np.ones(7), 1)
    assert corrected(row, ["slow"], strength).tobytes() == row.tobytes()


def test_what_was_given_is_not_changed():
    probabilities, _ = biased(40)
    before = probabilities.copy()
    corrected(probabilities, [None] * 40, ALWAYS)
    assert np.array_equal(probabilities, before)


def test_a_batch_of_all_classes_mends_a_model_that_favours_one():
    probabilities, truth = biased(200)
    together = corrected(probabilities, [None] * 200)
    right = (probabilities.argmax(1) == truth).mean(), (together.argmax(1) == truth).mean()
    assert right[1] > right[0] + 0.05


def test_conditions_that_favour_different_classes_are_mended_apart():
    slow, truth = biased(100, seed=2)
    fast = biased(100, seed=3)[0][:, ::-1]
    both, truths = np.concatenate([slow, fast]), np.concatenate([truth, 4 - truth])
    apart = corrected(both, ["slow"] * 100 + ["fast"] * 100).argmax(1)
    unknown = corrected(both, [None] * 200).argmax(1)
    assert (apart == truths).mean() > (unknown == truths).mean() + 0.05


def test_small_batches_are_corrected_less():
    shifts = []
    for count in (5, 20, 80, 320):
        probabilities, _ = biased(count)
        shift = np.log(corrected(probabilities, [None] * count, ALWAYS) / probabilities)
        shifts.append(float((shift[:, 1] - shift[:, 0]).mean()))  # how far the favoured class falls behind another
    assert shifts == sorted(shifts)
    assert 0 < shifts[0] < shifts[-1] / 4


def test_a_condition_with_few_recordings_follows_the_batch():
    probabilities, _ = biased(101)
    conditions = ["slow"] * 50 + ["fast"] * 50 + ["idle"]
    together = corrected(probabilities, conditions)
    np.testing.assert_allclose(together[-1], corrected(probabilities, [None] * 101)[-1], rtol=1e-12)


@pytest.mark.parametrize("conditions", [[None] * 10, ["slow"] * 5 + ["fast"] * 5, list(range(10))])
def test_ten_recordings_of_one_class_are_not_torn_apart(conditions):
    rng = np.random.default_rng(4)
    probabilities = softmax(rng.standard_normal((10, 5)) + 2.5 * np.eye(5)[2])
    assert (probabilities.argmax(1) == 2).mean() >= 0.8
    assert corrected(probabilities, conditions).tobytes() == probabilities.tobytes()
    torn = corrected(probabilities, conditions, Strength(batch=1.0, closed=-1.0, opened=-0.5)).argmax(1)
    assert (torn == 2).mean() < 0.5, "without the guard they would be"


def test_a_condition_with_a_single_class_keeps_it():
    """Each of five machines has a fault of its own: that its condition is all one class says nothing of the model."""
    probabilities, truth = biased(100, towards=0.0, certainty=6.0)
    np.testing.assert_allclose(
        corrected(probabilities, truth.tolist()), corrected(probabilities, [None] * 100), rtol=1e-12
    )


def test_the_spread_of_verdicts():
    assert spread(np.eye(4)[[1, 1, 1, 1]]) == 0
    assert spread(np.eye(4)[[0, 1, 2, 3]]) > 1  # more even than chance
    rng = np.random.default_rng(5)
    drawn = [spread(np.eye(14)[rng.integers(0, 14, 20)]) for _ in range(400)]
    assert np.mean(drawn) == pytest.approx(1, abs=0.01)
    assert spread(np.eye(3)[np.arange(100_000) % 3]) == pytest.approx(1, abs=1e-4)
    assert spread(np.ones((9, 1))) == 0


def test_every_recording_has_its_condition_and_a_class_without_any_probability_stays_without():
    probabilities = np.array([[0.5, 0.5, 0.0], [0.4, 0.6, 0.0], [0.9, 0.1, 0.0]])
    assert (corrected(probabilities, [None] * 3, ALWAYS)[:, 2] == 0).all()
    with pytest.raises(ValueError, match="1 conditions were given for 3 recordings"):
        corrected(np.full((3, 2), 0.5), [None])
