import pytest

from dualres.bench.methods import NAMES
from dualres.bench.methods.sizes import summarise
from dualres.bench.paper.printed import MINIROCKET_COEFFICIENTS, WEIGHTS

ENCODER = {
    "dualres/short": 23_600,
    "dualres/long": 35_888,
    "dualres/no-rotation": 40_040,
    "dualres/no-jitter": 40_048,
    "dualres/no-memory": 40_048 - 128 - 8_320 - 2_080 - 72 - 2 * 64 * 64,
}


@pytest.mark.parametrize("name", NAMES)
def test_counts_are_the_paper_s(name):
    row = summarise(name)
    assert row.paper == WEIGHTS[name]
    printed = row.paper.registered, row.paper.active
    if name == "minirocket":
        assert printed == (None, None)
        printed = MINIROCKET_COEFFICIENTS, MINIROCKET_COEFFICIENTS
    assert (row.registered, row.active) == printed
    # Two ways to put the same tensors into a file.
    assert row.file_bytes / 2**20 == pytest.approx(row.paper.file_mib, abs=0.07)


@pytest.mark.parametrize("name", ENCODER)
def test_what_a_control_freezes_is_not_active(name):
    row = summarise(name)
    assert (row.registered, row.active, row.paper) == (40_048, ENCODER[name], None)
    assert row.of_paper == (name != "dualres/no-memory")


def test_views_are_counted_and_the_paper_has_none():
    row = summarise("dualres/views", classes=3)
    assert (row.paper, row.of_paper, row.family) == (None, False, "closed form")
    assert row.registered == row.active == 1_412 * (2 + 32 + 3) + 4 * (3 + 1)
    assert 0 < row.file_bytes - 4 * row.registered < 10_000


def test_fewer_classes_weigh_less():
    row = summarise("dualres", classes=3)
    assert (row.registered, row.paper) == (39_528 + 3 * 65, None)
