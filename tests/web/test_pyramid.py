"""Extremes at every magnification are those of the samples."""

import numpy as np
import pytest

from dualres.web import pyramid
from dualres.web.pyramid import FINEST, Pyramid


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyramid, "BLOCK", 1 << 14)


def of(samples: np.ndarray) -> Pyramid:
    return Pyramid(len(samples), lambda first, last: samples[first:last])


@pytest.fixture
def samples() -> np.ndarray:
    return np.random.default_rng(1).standard_normal(500_123).astype(np.float32)


def test_the_whole_is_exact_once_it_is_built(samples: np.ndarray) -> None:
    one = of(samples)
    assert not one.complete
    one.build()
    assert one.complete
    low, high = one.view(0, len(samples), 300)
    assert len(low) == 300
    assert low.min() == samples.min()
    assert high.max() == samples.max()


@pytest.mark.parametrize("columns", [1, 7, 300])
@pytest.mark.parametrize("width", [50_000, 200_000, 400_000])
def test_a_column_lies_between_its_own_extremes_and_those_of_its_neighbourhood(
    samples: np.ndarray, columns: int, width: int
) -> None:
    one = of(samples)
    one.build()
    first = 30_000
    low, high = one.view(first, first + width, columns)
    each = width / len(low)
    slack = max(2 * FINEST, each / 3)
    for column in range(len(low)):
        start, stop = first + column * each, first + (column + 1) * each
        inside = samples[int(start + slack) : int(stop - slack)]
        around = samples[max(int(start - slack), 0) : int(stop + slack)]
        assert around.min() <= low[column] <= (inside.min() if inside.size else np.inf)
        assert (inside.max() if inside.size else -np.inf) <= high[column] <= around.max()


def test_a_short_stretch_is_the_samples_themselves(samples: np.ndarray) -> None:
    low, high = of(samples).view(1000, 1100, 500)
    np.testing.assert_array_equal(low, samples[1000:1100])
    np.testing.assert_array_equal(high, samples[1000:1100])


def test_a_glance_comes_before_the_whole_was_read(samples: np.ndarray) -> None:
    asked = []

    def read(first: int, last: int) -> np.ndarray:
        asked.append(last - first)
        return samples[first:last]

    low, high = Pyramid(len(samples), read).view(0, len(samples), 200)
    assert sum(asked) < len(samples) / 10
    assert len(low) == 200
    assert (low <= high).all()
