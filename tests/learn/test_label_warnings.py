from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from dualres.learn import label_warnings
from dualres.learn.holdout import plan_rounds
from dualres.learn.label_warnings import narrow
from dualres.recordings.recording import Recording

RATE = 12_800


def recordings(**changes):
    """Two components of two classes, recorded twice each; `changes` puts other signals in their place."""
    made = []
    for seed, name in enumerate(("g1a", "g1b", "g2a", "g2b", "w1a", "w1b", "w2a", "w2b")):
        noise = np.random.default_rng(seed).standard_normal(2 * RATE).astype(np.float32)
        label = "good" if name[0] == "g" else "worn"
        made.append(replace(Recording.from_array(noise, RATE, name, label), component=name[:2]))
    known = {r.id: r.signal for r in made}
    copies = {name: 3 * known[of][2000:] for name, of in changes.items()}
    return [replace(r, load=partial(np.asarray, copies[r.id])) if r.id in copies else r for r in made]


def told(**changes):
    made = recordings(**changes)
    return label_warnings.shared_signals(made, [plan_rounds(made)])


def test_a_scaled_copy_in_another_component_is():
    (sentence,) = told(g2a="g1a")
    assert sentence.startswith("g1a and g2a share ")
    assert sentence.endswith(" s of signal: one was judged by what was learned from the other")


def test_different_recordings_and_what_is_held_out_together_are_not_spoken_of():
    assert told() == told(g1b="g1a") == ()


def test_more_than_a_few_minutes_are_left_to_the_audit(monkeypatch):
    monkeypatch.setattr(label_warnings, "MOST_S", 10.0)
    (sentence,) = told(g2a="g1a")
    assert sentence == "more than 10 s of signal were not searched for altered copies; dualres audit does it"


def test_the_same_samples_are_called_so():
    made = recordings()
    made[2] = replace(made[2], load=made[0].load)
    (sentence,) = label_warnings.shared_signals(made, [plan_rounds(made)])
    assert sentence.startswith("g1a and g2a hold the same samples: ")


def labelled(*rows):
    """Recordings of (label, component, condition)."""
    signal = np.zeros(4, np.float32)
    return [
        Recording(f"{i}", lambda: signal, 1000, label, component, condition)
        for i, (label, component, condition) in enumerate(rows)
    ]


def test_labels_at_one_load_are_told_so_by_name():
    rows = [(label, f"{label}{speed}", {"load": "2 hp", "speed": speed}) for label in "ab" for speed in ("30", "40")]
    (sentence,) = narrow(labelled(*rows))
    assert sentence.startswith("all labels are at load 2 hp: ")
    assert "another load is not known" in sentence


def test_a_class_with_a_speed_of_its_own_may_be_known_by_its_speed():
    known = ("a", "x", "30"), ("a", "y", "30"), ("b", "x", "40"), ("b", "z", "40")
    (sentence,) = narrow(labelled(*((label, its, {"speed": speed}) for label, its, speed in known)))
    assert sentence.startswith("every class has one speed only")


def test_one_specimen_per_class_is_told():
    (sentence,) = narrow(labelled(("a", "x", {}), ("a", "x", {}), ("b", "y", {})))
    assert sentence.startswith("every class is of one component only")


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [("a", None, {}), ("b", None, {})],  # nothing is known
        [("a", "x", {"load": "1"}), ("a", "y", {"load": "2"}), ("b", "x", {"load": "1"})],
        [("a", None, {"load": "1"}), ("b", None, {})],  # not known of all
        [("a", "x", {}), ("a", "y", {}), ("b", "z", {})],
    ],
)
def test_labels_that_differ_or_are_not_known_get_no_sentence(rows):
    assert narrow(labelled(*rows)) == ()
