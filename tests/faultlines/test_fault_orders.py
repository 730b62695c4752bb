import pytest

from dualres.errors import ConfigError
from dualres.faultlines.bearing import bearing_of
from dualres.faultlines.fault_orders import PARTS, FaultOrders, orders_of


def test_orders_follow_from_a_bearing():
    orders = FaultOrders.of_bearing(bearing_of("6205"))
    assert [round(orders.of(part), 4) for part in PARTS] == [3.5848, 5.4152, 4.7134, 0.3983]
    assert orders.highest == orders.inner


def test_orders_are_typed_in():
    assert orders_of("outer=3.585, ball=4.71") == FaultOrders(outer=3.585, ball=4.71)
    assert orders_of("cage=0.4").of("inner race") is None


@pytest.mark.parametrize("text", ["", "outer", "outer=x", "outer=-1", "outer=nan", "race=3", "outer=3,outer=4"])
def test_what_is_no_order_is_refused(text):
    with pytest.raises(ConfigError, match=r"outer=3\.585"):
        orders_of(text)
