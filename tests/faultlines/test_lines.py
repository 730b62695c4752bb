import pytest

from dualres.errors import ConfigError
from dualres.faultlines.bearing import bearing_of
from dualres.faultlines.lines import gear_lines, machine_lines, order_lines, teeth_of


def test_a_bearing_and_a_gear_have_their_lines_beside_the_shafts():
    lines = {line.name: line for line in machine_lines(29.95, bearing_of("6205"), teeth_of("29/95"))}
    assert list(lines) == ["shaft", "BPFO", "BPFI", "2xBSF", "FTF", "mesh", "mesh ± shaft", "mesh ± mate"]
    assert lines["BPFO"].hz + lines["BPFI"].hz == pytest.approx(9 * 29.95, abs=1e-9)
    assert {line.where for line in lines.values()} == {"spectrum", "envelope"}


def test_sidebands_lie_at_both_shafts_around_the_mesh():
    _, own, mate = gear_lines(teeth_of("29/95"), 30.0)
    assert own.carrier_hz == mate.carrier_hz == 870
    assert own.frequencies().tolist() == [810, 840, 900, 930]
    assert mate.hz == pytest.approx(30 * 29 / 95)


def test_a_comb_ends_where_a_spectrum_does():
    (shaft,) = machine_lines(30.0)
    assert shaft.below(95.0).multiples == (1, 2, 3)


@pytest.mark.parametrize("text", ["29", "29/", "0/95", "a/b", "29:95"])
def test_what_are_no_teeth_is_refused(text):
    with pytest.raises(ConfigError, match="29/95"):
        teeth_of(text)


def test_known_orders_are_those_of_the_lines_whatever_the_speed():
    known = {line.name: line for line in order_lines(bearing_of("6205"), teeth_of("29/95"))}
    lines = {line.name: line.hz / 30 for line in machine_lines(30.0, bearing_of("6205"), teeth_of("29/95"))}
    for name, line in {"BPFO": "BPFO", "BPFI": "BPFI", "2 x BSF": "2xBSF", "FTF": "FTF"}.items():
        assert known[f"{name} of 6205"].order == pytest.approx(lines[line])
        assert known[f"{name} of 6205"].lowest
    assert known["4 x BSF of 6205"].order == pytest.approx(2 * lines["2xBSF"])
    assert known["mate's shaft"].order == pytest.approx(lines["mesh ± mate"])
    assert known["3 x BPFO of 6205"].order == pytest.approx(3 * lines["BPFO"])
    assert not known["3 x BPFO of 6205"].lowest
    assert order_lines() == ()
    assert order_lines(bearing_of("9,7.94,39.04"))[0].name == "BPFO"
