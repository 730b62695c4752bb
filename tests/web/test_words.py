import pytest

from dualres.web.words import plain


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("choose one of them by its name (channel=..., --channel)", "choose one of them by its name"),
        ("from 8 %, with --sure 0.9 from 19 %", "from 8 %; to keep them in 0.9 of all such models, from 19 %"),
        ("choose another name, or --overwrite", "choose another name"),
        ("--held-out load: no recording has a load", "held-out load: no recording has a load"),
        ("my--file.wav: odd--name/--x.wav cannot be read", "my--file.wav: odd--name/--x.wav cannot be read"),
        ("nothing to change (as it is)", "nothing to change (as it is)"),
    ],
)  # fmt: skip
def test_options_of_commands_are_not_named_and_files_are(said: str, shown: str) -> None:
    assert plain(said) == shown
