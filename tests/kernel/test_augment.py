"""The compiled pass against its twin in PyTorch."""

import pytest
import torch

from dualres.kernel import compiled
from dualres.kernel.augment import available, seen
from dualres.learn.trained.augment.standardise import standard_of
from dualres.learn.trained.augment.supports import seen_ref
from tests.threads import by_threads

pytestmark = pytest.mark.skipif(not available(torch.zeros(1)), reason="the compiled library is not built")


def inputs(windows=5, tokens=7, bins=129):
    g = torch.Generator().manual_seed(0)
    level = torch.logspace(-4, 3, bins)
    magnitudes = level * torch.rand(windows, tokens, bins, generator=g)
    gains = torch.randn(windows, bins, generator=g).exp()
    partners, shares = torch.randperm(windows, generator=g), 0.5 + 0.5 * torch.rand(windows, generator=g)
    return magnitudes, gains, standard_of(magnitudes), partners, shares


def both(magnitudes, gains, standard, partners, shares, rows):
    out = torch.full((rows.stop - rows.start, *magnitudes.shape[1:]), torch.nan)
    exact = [x.double() for x in (magnitudes, gains, *standard, shares)]
    expected = seen_ref(exact[0], exact[1], type(standard)(*exact[2:4]), rows=rows, partners=partners, shares=exact[4])
    return seen(magnitudes, gains, standard, rows=rows, partners=partners, shares=shares, out=out), expected


@pytest.mark.parametrize("bins", [1, 2, 9, 15, 16, 17, 33, 129, 513])
def test_it_is_the_reference(variant, bins):
    for rows in (slice(0, 5), slice(2, 4)):
        got, expected = both(*inputs(bins=bins), rows)
        torch.testing.assert_close(got.double(), expected, rtol=1e-6, atol=5e-6)


def test_extremes(variant):
    """Silence, and what a path of the largest sigma can make of the loudest window."""
    magnitudes, gains, standard, partners, shares = inputs()
    magnitudes[0], magnitudes[1] = 0, 1e4
    gains[1], gains[2] = 1e17, 1e-17
    got, expected = both(magnitudes, gains, standard, partners, shares, slice(0, 5))
    torch.testing.assert_close(got.double(), expected, rtol=1e-6, atol=5e-6)


def test_the_number_of_threads_does_not_change_a_bit():
    some = inputs(windows=9)
    assert torch.equal(*by_threads((1, 3), lambda: both(*some, slice(0, 9))[0]))


@pytest.mark.parametrize(
    ("place", "wrong", "reason"),
    [
        (1, torch.ones(5, 128), r"gains is \(5, 128\), not \(5, 129\)"),
        (1, torch.ones(5, 129).double(), r"gains is torch\.float64"),
        (1, torch.ones(129, 5).T, r"gains is .* strides \(1, 5\)"),
        (3, torch.arange(5).int(), r"partners is torch\.int32"),
        (3, torch.arange(1, 6), "partners run from 1 to 5, but there are 5 windows"),
        (3, torch.arange(-1, 4), "partners run from -1"),
    ],
)
def test_what_the_library_would_misread_is_refused(place, wrong, reason):
    some = list(inputs())
    some[place] = wrong
    magnitudes, gains, standard, partners, shares = some
    out = torch.empty_like(magnitudes)
    with pytest.raises(ValueError, match=reason):
        seen(magnitudes, gains, standard, rows=slice(0, 5), partners=partners, shares=shares, out=out)
    *given, partners, shares = inputs()
    with pytest.raises(ValueError, match="out is"):
        seen(*given, rows=slice(0, 4), partners=partners, shares=shares, out=torch.empty_like(given[0]))


def test_what_it_does_not_take_is_left_to_pytorch(monkeypatch):
    assert not available(torch.zeros(1, dtype=torch.float64))
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    assert not available(torch.zeros(1))
