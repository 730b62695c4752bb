from dataclasses import replace
from fractions import Fraction

import pytest

from dualres.errors import RecordingError
from dualres.recordings.labels.spelling import (
    doubtful_components,
    doubtful_labels,
    refuse_contradictions,
    refuse_spellings,
)
from dualres.recordings.recording import Origin, Recording, Segment, of_axes


@pytest.mark.parametrize("mistyped", ["bda", "baad", "bed", "Bad", "BAD", "b ad"])
def test_a_mistyped_label_is_pointed_out_with_the_counts(mistyped):
    (sentence,) = doubtful_labels(["bad"] * 12 + ["good"] * 5 + [mistyped])
    assert sentence.startswith(f'"{mistyped}" once, "bad" 12 times: did you mean "bad"?')


def test_two_of_the_same_frequency_are_pointed_out_if_only_the_case_differs():
    assert doubtful_labels(["Bad", "bad"] * 3)[0].startswith('"Bad" 3 times, "bad" 3 times')
    assert not doubtful_labels(["ball", "bull"] * 3)


@pytest.mark.parametrize(
    "labels",
    [
        ["inner", "outer"],
        ["IR", "OR", "OR", "OR"],
        ["gear1", "gear2", "gear2", "gear2"],
        ["gear", "gear2", "gear2", "gear2"],
        ["good", "worn", "worn"],
    ],
)
def test_labels_that_are_meant_are_left_alone(labels):
    assert not doubtful_labels(labels)


def test_components_in_several_spellings_are_pointed_out_and_numbered_ones_left_alone():
    (sentence,) = doubtful_components(["B007", "b007", "B-007", "B007", "B014"])
    assert sentence.startswith('"B-007" once, "B007" 2 times, "b007" once: one component')
    assert not doubtful_components(["1", "2", "1-2", "12", "B1", "B01", "pump a", "pump b"])


def recording(name, label, sha256="5ca1ab1e", part=None, channel="x"):
    return Recording(name, list, Fraction(1000), label, origin=Origin(None, sha256, channel, part))


def test_the_same_seconds_under_two_labels_name_both_files():
    with pytest.raises(RecordingError) as caught:
        refuse_contradictions([recording("a.wav", "good"), recording("b.wav", "worn")])
    assert str(caught.value).startswith("a.wav is labelled good and b.wav is labelled worn, but they hold the same")
    with pytest.raises(RecordingError, match="b is labelled worn"):
        refuse_contradictions([recording("a", "good", part=Segment(0, 2)), recording("b", "worn", part=Segment(1))])


@pytest.mark.parametrize(
    "other", [recording("b", "good"), recording("b", "worn", "another"), recording("b", "worn", channel="y")]
)
def test_what_does_not_contradict_is_let_through(other):
    refuse_contradictions([recording("a", "good"), other])


def test_parts_of_one_file_and_computed_signals_do_not_contradict():
    refuse_contradictions(
        [recording("a", "good", part=Segment(0, 1)), recording("b", "worn", part=Segment(1, 2))]
        + [recording(label, label, None) for label in ("good", "worn")]
    )


def test_an_axis_that_two_recordings_share_contradicts():
    def several(name, label, *channels):
        return of_axes([recording(name, label, channel=channel) for channel in channels], name, aligned=True)

    with pytest.raises(RecordingError, match="a is labelled good and b is labelled worn"):
        refuse_contradictions([several("a", "good", "x", "y"), several("b", "worn", "y", "z")])
    with pytest.raises(RecordingError, match="a is labelled good and b is labelled worn"):
        refuse_contradictions([several("a", "good", "x", "y"), recording("b", "worn", channel="y")])
    refuse_contradictions([several("a", "good", "x", "y"), recording("b", "worn", channel="z")])


def test_spellings_of_one_component_or_label_are_refused():
    def of(component, label):
        return replace(recording(component, label), component=component)

    with pytest.raises(RecordingError, match='"B007" and "b007" are spellings of one component'):
        refuse_spellings([of("B007", "good"), of("b007", "good"), of("B014", "worn")])
    with pytest.raises(RecordingError, match='"Good" and "good" are spellings of one label'):
        refuse_spellings([of("1", "good"), of("2", "Good"), of("3", "worn")])
    refuse_spellings([of("1-2", "good"), of("12", "goods"), recording("none", "worn")])
