import pytest

from dualres.recordings.labels.spelling import doubtful_components, doubtful_labels


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


def test_a_component_that_is_spelled_in_several_ways_is_pointed_out():
    (sentence,) = doubtful_components(["B007", "b007", "B-007", "B007", "B014"])
    assert sentence.startswith('"B-007" once, "B007" 2 times, "b007" once: one component')


def test_components_that_are_numbered_are_left_alone():
    assert not doubtful_components(["1", "2", "1-2", "12", "B1", "B01", "pump a", "pump b"])
