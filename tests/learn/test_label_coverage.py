import numpy as np
import pytest

from dualres.learn.label_coverage import narrow
from dualres.recordings.recording import Recording


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
    rows = [
        ("a", "x", {"speed": "30"}),
        ("a", "y", {"speed": "30"}),
        ("b", "x", {"speed": "40"}),
        ("b", "z", {"speed": "40"}),
    ]
    (sentence,) = narrow(labelled(*rows))
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
