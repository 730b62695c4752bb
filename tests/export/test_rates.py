from fractions import Fraction

import pytest

from dualres.config import SOXR
from dualres.errors import ConfigError
from dualres.export.device_network import ORDERS_DEVICE, PAPER_DEVICE, VIEWS_DEVICE
from dualres.export.rates import ratio_for, working_memory
from dualres.utils.rates import exact_rate
from tests.export.conftest import CLASSES, made_model
from tests.variants import also


@pytest.mark.parametrize(
    ("which", "kind", "most"),
    [
        ("paper", PAPER_DEVICE, 16 * 1024),
        ("views", VIEWS_DEVICE, 32 * 1024),
        *also(("orders", ORDERS_DEVICE, 32 * 1024)),
    ],
)
@pytest.mark.parametrize("rate", [64_000, 12_800, *also((48_000,), ("200000/3",))])
def test_working_memory_is_what_a_compiler_makes_of_it(board, which, kind, most, rate):
    check = board(which, rate).checks[0]
    needed = working_memory(64_000 / Fraction(rate), len(CLASSES), kind)
    assert check.state - check.window == needed <= kind.working_memory == most


def test_a_rate_that_takes_much_memory_is_refused_with_the_figure(model):
    assert ratio_for(model, Fraction(2_000_000)) == Fraction(4, 125)
    said = r"8 classes at 6400000 Hz take 21\d\d\d bytes .*, of 16384; sample at a lower"
    with pytest.raises(ConfigError, match=said):
        ratio_for(model, Fraction(6_400_000))


@pytest.mark.parametrize("rate", ["1e300", "9" * 400])
def test_a_huge_rate_is_refused_in_few_words(model, rate):
    with pytest.raises(ConfigError, match="working memory") as refused:
        ratio_for(model, exact_rate(rate))
    assert len(str(refused.value)) < 160


@pytest.mark.parametrize(
    ("rate", "nearest"), [("12800.001", "12800"), ("66666.66667", "200000/3"), ("0.01", "32/5"), ("64000.1", "64000")]
)
def test_the_nearest_rate_is_named_and_works(model, rate, nearest):
    with pytest.raises(ConfigError, match=f"too large for a device; the nearest usable rate is {nearest} Hz"):
        ratio_for(model, exact_rate(rate))
    assert ratio_for(model, exact_rate(nearest))


def test_another_resampler_than_the_device_s_is_refused():
    with pytest.raises(ConfigError, match="soxr"):
        ratio_for(made_model(resampler=SOXR), Fraction(12_800))
