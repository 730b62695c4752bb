"""How like the labelled recordings another one is, in what the network itself looks at, and in how it was recorded.

Distances to classes are compared without what is the same for all of them. The classes' means span a space of few
dimensions. In it they differ; across it, a window may lie far from all of them at once, because the speed is another
one, say. That tells little of an unknown fault, and the less, the more classes there are to tell apart. It follows from
the distances alone, once those between the classes are known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from weakref import WeakKeyDictionary

import numpy as np

from dualres.config import ORDER_SIZES, SMALLEST_DISTANCE
from dualres.errors import ModelFileError
from dualres.judge.backends import Seen, scorer, weights_of
from dualres.judge.model import Model
from dualres.judge.training_profile import bandwidths
from dualres.judge.trust.standing import HZ, ORDER, Standing
from dualres.judge.turning import Moments, WindowBlock, turned_windows, unsearched_speeds
from dualres.kernel.resample import moments
from dualres.model.kinds import ORDERS, VIEWS, kind_of, resolved
from dualres.model.reference.orders import Chosen, Looks, by_order, views_of_looks
from dualres.model.views.order_weights import OrdersWeights
from dualres.model.views.weights import ViewsWeights
from dualres.model.weights import NetworkWeights
from dualres.recordings.recording import Recording, Samples
from dualres.utils.arrays import Exact, Floats

MOST_WINDOWS = 24  # of a recording, from its start: a look costs the same however long it is
QUIETEST = 1e-9  # a level below it is silence
# Of the heads' log-distances, so much, where nothing that was held out says which of them tell classes apart.
# Spectra and rhythm hold at other speeds, too.
WEIGHTS = {"spectra": 2 / 6, "repetition": 1 / 6, "rhythm": 2 / 6, "lines": 1 / 6}
# Likewise of a network of orders, on either axis.
ORDER_WEIGHTS = {"spectra": 1 / 7, "modulation": 3 / 7, "envelope": 3 / 7}
LEAST_WIDTH = 1e-4  # of the widest direction, squared; narrower ones do not tell classes apart


@dataclass(frozen=True)
class NoveltyFeatures:
    """A recording as it compares with what was labelled; all but `rate` are means over windows."""

    distance: float  # nats, at most 0; the less any class stands out, the nearer to 0
    spectrum: float  # nats; the further from every class in mean spectra, the larger; 0 where no head knows them
    level: float  # log of the rms
    bandwidth: float  # octaves above 1 Hz, of the frequency below which 99 % of the power lies
    rate: float  # octaves above 1 Hz, of the sensor

    def values(self) -> tuple[float, ...]:
        """As `astuple` gives them, which takes ten times as long."""
        return self.distance, self.spectrum, self.level, self.bandwidth, self.rate

    def rounded(self) -> list[float]:
        return [round(value, 4) for value in self.values()]


@dataclass(frozen=True)
class Told:
    """What heads tell of windows, each by its own distances to the classes."""

    logs: Exact  # of squared distances, as `between` leaves them, (windows, heads, classes)
    spectrum: Exact  # log of the squared distance to the nearest class by spectra alone, (windows,)
    by_order: Chosen  # which windows were judged on an axis of orders, (windows,)
    usual: Standing  # by which they are compared where nothing that was held out says more


PARTS = tuple(field.name for field in fields(NoveltyFeatures))


def look_at(model: Model, recording: Recording) -> NoveltyFeatures:
    """How a recording looks to a model; the mean over its axes where it has several."""
    speeds = unsearched_speeds(model, recording)
    return look_at_windows(
        model, next(turned_windows(model, recording, speeds=speeds)).part(0, MOST_WINDOWS), recording.rate
    )


def look_at_windows(
    model: Model, moments: Moments, rate: Fraction, heard: Sequence[Exact] | None = None
) -> NoveltyFeatures:
    """How windows of all axes at the same moments look to a model, recorded at `rate` Hz; the mean over the axes.

    `heard` is what `how_recorded` says of the windows along each axis, where they are not there any more.
    """
    heard = heard or [how_recorded(model, block.windows, rate) for block in moments.axes]
    looks = [_look(model, block, each, rate) for block, each in zip(moments.axes, heard, strict=True)]
    return NoveltyFeatures(*np.mean([look.values() for look in looks], axis=0).tolist())


def told_of_windows(model: Model, moments: Moments) -> tuple[Told, ...]:
    """What each network tells of windows of all axes; nothing of a kind that has one readout."""
    told = [
        told_of(weights_of(member), block.seen, block.hz)
        for block in moments.axes
        for member in model.members_of(block.axis)
    ]
    return tuple(one for one in told if one is not None)


def _look(model: Model, block: WindowBlock, heard: Exact, rate: Fraction) -> NoveltyFeatures:
    members, known = [weights_of(member) for member in model.members_of(block.axis)], model.standings
    found = [distances(one, block.seen, block.hz, known) for one in members]
    distance, spectrum = np.mean(found, axis=(0, 1)).tolist()
    level, width = heard.mean(0).tolist()
    return NoveltyFeatures(distance, spectrum, level, width, float(np.log2(float(rate))))


def how_recorded(model: Model, windows: Samples, native: Fraction) -> Exact:
    """Level and bandwidth of windows (n, window) at the model's rate, as a look has them, recorded at `native` Hz:
    (n, 2)."""
    return recorded(windows, model.card.config.rate, float(native))


def recorded(windows: Samples, rate: float, native: float) -> Exact:
    """Level and bandwidth of windows (n, window) at `rate` Hz, of a signal of `native` Hz: (n, 2)."""
    means, variances = moments(windows)
    widths = bandwidths(windows, rate, native, means)
    return np.stack([np.log(np.maximum(np.sqrt(variances), QUIETEST)), np.log2(np.maximum(widths, 1.0))], axis=1)


def compared(told: Told, known: Mapping[str, Standing] | None = None) -> Exact:
    """How much a class stands out, near zero where none does, and how near it is by spectra alone, (windows, 2)."""
    found = np.empty(len(told.logs))
    for axis, which in ((ORDER, told.by_order), (HZ, ~told.by_order)):
        found[which] = (known or {}).get(axis, told.usual).stands_out(told.logs[which])
    return np.stack([found, told.spectrum], axis=1)


def of_orders(weights: OrdersWeights, seen: Looks, hz: Exact | None = None) -> Told:
    """Of what was seen of windows of shafts that turn at `hz` (n,), NaN where that is not known."""
    count = len(seen.spectra)
    known, usual = by_order(weights, count, hz), np.full(count, ORDER_SIZES.usual_hz)
    logs, spectrum = np.empty((count, len(ORDER_WEIGHTS), weights.classes)), np.empty(count)
    for which, axis, turning in ((known, "order_", hz), (~known, "", usual)):
        if turning is not None and which.any():
            views = views_of_looks(weights.config, seen.of(which), turning[which])
            named = {name if name == "spectra" else f"{axis}{name}": views[name] for name in ORDER_WEIGHTS}
            logs[which], spectrum[which] = _told(weights, named)
    return Told(logs, spectrum, known, Standing(tuple(ORDER_WEIGHTS.values())))


def of_views(weights: ViewsWeights, windows: Samples, hz: Exact | None = None) -> Told:
    """Of raw windows (n, window), whatever the speed."""
    from dualres.kernel.views import views_of  # which no other kind needs

    views = views_of(weights, windows)
    logs, spectrum = _told(weights, {name: views[name] for name in WEIGHTS})
    return Told(logs, spectrum, np.zeros(len(logs), dtype=bool), Standing(tuple(WEIGHTS.values())))


def check_standings(model: Model) -> None:
    """An error for a calibration that is broken, or that compares heads that the model does not have."""
    shares = {ORDERS.method: ORDER_WEIGHTS, VIEWS.method: WEIGHTS}.get(model.card.method)
    for standing in model.standings.values():
        if shares is not None and len(standing.weights) != len(shares):
            raise ModelFileError("the calibration in the model's card is one of other heads; fit the model again")


def told_of(member: NetworkWeights, seen: Seen, hz: Exact | None = None) -> Told | None:
    """By what was `seen` of windows; None for a kind that has one readout."""
    known = resolved(kind_of(member).novelty)
    return known(member, seen, hz) if known else None


def distances(
    member: NetworkWeights, seen: Seen, hz: Exact | None = None, known: Mapping[str, Standing] | None = None
) -> Exact:
    """As `compared`, by what was `seen` of windows. Of a kind that has one readout, one of its logits stands out where
    it knows a window."""
    if (told := told_of(member, seen, hz)) is not None:
        return compared(told, known)
    logits = scorer(member)(seen, hz).astype(np.float64)
    return np.stack([logits.mean(1) - logits.max(1), np.zeros(len(logits))], axis=1)


def _told(weights: ViewsWeights, views: Mapping[str, Floats | Exact]) -> tuple[Exact, Exact]:
    found = {head: _to_classes(weights, head, view) for head, view in views.items()}
    logs = np.stack([np.log(_head(weights, head).classes.told(d)) for head, d in found.items()], axis=1)
    return logs, np.log(found["spectra"].min(1))


def _to_classes(weights: ViewsWeights, head: str, view: Floats | Exact) -> Exact:
    """Squared distances (windows, classes), as `dualres.model.discriminant.Discriminant` has them."""
    known = _head(weights, head)
    z = (view - known.centre) * known.scale
    common = (z**2).sum(1, keepdims=True) - ((z @ known.directions.T) ** 2).sum(1, keepdims=True)
    return np.asarray(np.maximum(common - 2 * (z @ known.slopes.T) + known.offsets, SMALLEST_DISTANCE))


@dataclass(frozen=True)
class ClassSubspace:
    """How the classes of a head lie around their middle."""

    lengths: Exact  # squared, from the middle to each class, (classes,)
    across: Exact  # from products with the classes to coordinates between them, (classes - 1, classes)

    def told(self, distances: Exact) -> Exact:
        """Squared distances (windows, classes), less most of what is the same for all classes; of two, less nothing."""
        off = distances - distances.mean(1, keepdims=True) - (self.lengths - self.lengths.mean())
        inside = ((off / -2) @ self.across.T) ** 2
        same = distances.mean(1) - self.lengths.mean() - inside.sum(1)
        shared = (1 - 1 / len(self.across)) * np.maximum(same, 0)[:, None]
        return np.asarray(np.maximum(distances - shared, SMALLEST_DISTANCE))


def between(weights: ViewsWeights, head: str) -> ClassSubspace:
    """The classes of a head, as its slopes and offsets place them."""
    means = np.stack([weights.class_mean(head, number) for number in range(weights.classes)])
    slopes = weights.array(head, "slopes")
    products = (slopes - slopes.mean(0)) @ (means - means.mean(0)).T
    widths, directions = np.linalg.eigh((products + products.T) / 2)
    widths, directions = widths[1:], directions[:, 1:]  # the first is zero: they lie around their middle
    wide = widths > LEAST_WIDTH * widths[-1]
    across = np.where(wide, directions / np.sqrt(np.where(wide, widths, 1.0)), 0.0).T
    return ClassSubspace(np.diag(products).copy(), across)


@dataclass(frozen=True)
class _Head:
    """A head's tensors in float64, and how its classes lie: computed once, for thousands of recordings."""

    centre: Exact
    scale: Exact
    directions: Exact
    slopes: Exact
    offsets: Exact
    classes: ClassSubspace


def _head(weights: ViewsWeights, head: str) -> _Head:
    known = _heads.setdefault(weights, {})
    if head not in known:
        tensors = {name: weights.array(head, name) for name in ("centre", "scale", "directions", "slopes", "offsets")}
        known[head] = _Head(**tensors, classes=between(weights, head))
    return known[head]


_heads: WeakKeyDictionary[ViewsWeights, dict[str, _Head]] = WeakKeyDictionary()
