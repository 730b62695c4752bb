"""What a fit says is read at a glance."""

from dualres.cli.fit_output import MOST_NOTES, few_of


def test_few_notes_are_shown_and_the_others_counted():
    notes = [f"note {i}" for i in range(12)]
    assert few_of(notes[:MOST_NOTES], "{} more") == notes[:MOST_NOTES]
    assert few_of(notes, "{} more: m.html") == [*notes[:4], "8 more: m.html"]
