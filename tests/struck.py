"""Recordings of a bearing 6205 whose parts are struck, with the speed of its shaft: quickly made, easily heard."""

from dataclasses import replace

import numpy as np

from dualres import Recording
from dualres.faultlines.bearing import bearing_of
from dualres.faultlines.fault_orders import FaultOrders
from dualres.recordings.speed import Speed

RATE = 12_000
SECONDS = 3.0
ORDERS = FaultOrders.of_bearing(bearing_of("6205"))


def struck(label, seed, *, hz=25.0, orders=ORDERS, name=None):
    """A part by the name of the label is struck, none for any other; another seed is another place of the sensor."""
    rng = np.random.default_rng([seed, *label.encode()])
    t = np.arange(int(SECONDS * RATE)) / RATE
    signal = rng.standard_normal(len(t))
    order = {"outer": orders.outer, "inner": orders.inner, "ball": orders.ball}.get(label)
    if order:
        since = (t + rng.uniform(0, 0.01)) % (1 / (hz * order))
        zone = {"inner": hz, "ball": hz * orders.cage}.get(label, 0.0)
        blows = 4 * np.exp(-since / 0.001) * np.sin(2 * np.pi * rng.uniform(2500, 4000) * since)
        signal += blows * (1 + 0.6 * np.cos(2 * np.pi * zone * t) * bool(zone))
    known = Recording.from_array(signal, RATE, name or f"{label} {seed}", label)
    return replace(known, speed=Speed((hz,)))


def labelled(*labels, each=2, seed=0, **known):
    return [struck(label, seed + number, **known) for label in labels for number in range(each)]
