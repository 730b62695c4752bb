import pytest

from dualres.cli.optional_value import completed


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("m a.wav --over-time", "m a.wav --over-time 10"),
        ("m a.wav --over-time 2.5", "m a.wav --over-time 2.5"),
        ("--over-time m a.wav", "--over-time 10 m a.wav"),
        ("m a.wav --over-time --json", "m a.wav --over-time 10 --json"),
        ("m a.wav", "m a.wav"),
    ],
)
def test_a_number_follows_the_option(given, meant):
    assert completed(given.split(), "--over-time", 10) == meant.split()
