"""A network of orders, taken apart: it averages the probabilities of its heads.

Of classes a and b, let heads h = 1 .. H give the probabilities p_h(a) and p_h(b), whose means are A and B. With the
logarithmic mean L(x, y) = (x - y) / (log x - log y), which lies between x and y,

    log A - log B = (A - B) / L(A, B) = sum_h (p_h(a) - p_h(b)) / (H L(A, B)) = sum_h w_h (log p_h(a) - log p_h(b)),

    w_h = L(p_h(a), p_h(b)) / (H L(A, B)).

So each head's own log-odds count by a weight, the sum is exact, and a head's own log-odds are a sum over its features
(`dualres.explain.heads`). Exchanging the classes changes the signs and nothing else. A weight is large where a head
gives much to the two classes; one that takes the window for a third class hardly counts. Weights add up to one where
all heads say the same of the two, and to less where heads contradict each other: what one says of a class, another one
has taken back.

A share tells how a head pulled the mean for this window. It does not tell what the network would say without the head,
whose weight the others would then have: of two heads that say the same, each has half of it. Where several heads hear
the same view, what they say of it is told in one.
"""

from dataclasses import replace

import numpy as np

from dualres.config import ORDER_SIZES
from dualres.explain.contributions import Contributions, Explanation, Portrait
from dualres.explain.heads import Asked, Head, portrait_distance, shares_of_heads
from dualres.explain.regions import ENVELOPE, MODULATION, SPECTRA, order_groupings
from dualres.judge.backends import Windows
from dualres.kernel.orders import looks_of
from dualres.model.reference.orders import Looks, by_order, views_of_looks
from dualres.model.reference.probabilities import log_mean
from dualres.model.reference.views import of_head
from dualres.model.views.order_weights import BY_HZ, BY_ORDER, OrdersWeights, view_of
from dualres.utils.arrays import Exact


def order_shares(
    weights: OrdersWeights,
    windows: Windows,
    label: int,
    rival: int,
    *,
    neutral: Exact | None = None,
    hz: Exact | None = None,
) -> Contributions:
    """Of raw windows (n, window) of shafts that turn at `hz` (n,), between two classes by their numbers; the network
    knows what is neutral. All windows are of known speed, or none."""
    heads, looks = heads_at(weights, len(windows), hz), looks_of(weights.config, windows)
    views = _views_at(weights, looks, hz if heads == BY_ORDER else None)
    counts = head_weights(np.stack([of_head(weights, name, view_of(name, views))[:, [label, rival]] for name in heads]))
    asked = {
        name: Asked(Head.of(weights, name, label, rival), view_of(name, views), heard_by(name), count)
        for name, count in zip(heads, counts, strict=True)
    }
    shares = shares_of_heads(windows, weights.config, asked, order_groupings(weights.config, heads == BY_ORDER))
    said = {view: [own for name, own in shares.heads.items() if heard_by(name) == view] for view in views}
    return replace(shares, heads={view: np.sum(several, axis=0) for view, several in said.items()})


def heads_at(weights: OrdersWeights, count: int, hz: Exact | None) -> tuple[str, ...]:
    """The names of the heads that judge `count` windows."""
    return BY_ORDER if by_order(weights, count, hz).all() and hz is not None else BY_HZ


def heard_by(head: str) -> str:
    """The name of the view that a head hears, on either axis."""
    return view_of(head, {name: name for name in (SPECTRA, MODULATION, ENVELOPE)})


def head_weights(said: Exact) -> Exact:
    """By log-probabilities of two classes (heads, n, 2), what each head's log-odds count in those of the mean of
    probabilities, (heads, n)."""
    together = log_logarithmic_mean(*np.moveaxis(log_mean(said), -1, 0))
    return np.asarray(np.exp(log_logarithmic_mean(said[..., 0], said[..., 1]) - together) / len(said))


def log_logarithmic_mean(x: Exact, y: Exact) -> Exact:
    """The logarithm of the logarithmic mean of exp(x) and exp(y), precise where these are tiny or next to equal."""
    half = np.abs(x - y) / 2
    wide = np.maximum(half, 1e-3)  # log(sinh(half) / half), below by its series
    beyond = np.where(half < 1e-3, half**2 / 6, wide + np.log(-np.expm1(-2 * wide)) - np.log(2 * wide))
    return np.asarray((x + y) / 2 + beyond)


def order_views(weights: OrdersWeights, windows: Windows, hz: Exact | None = None) -> Portrait:
    """What the heads hear of windows, (n, features) each: on an axis of Hz, and of orders where the speed is known."""
    looks = looks_of(weights.config, windows)
    heard = _views_at(weights, looks, None)
    if heads_at(weights, len(windows), hz) == BY_ORDER:
        at_speed = _views_at(weights, looks, hz)
        heard |= {name: view_of(name, at_speed) for name in BY_ORDER}
    return heard


def order_distance(weights: OrdersWeights, one: Portrait, other: Portrait) -> float:
    """As the heads have it that judge orders where both speeds are known, and Hz otherwise."""
    heads = BY_ORDER if all(name in heard for name in BY_ORDER for heard in (one, other)) else BY_HZ
    seen = ({name: heard[name.removesuffix("_moved")] for name in heads} for heard in (one, other))
    return portrait_distance(weights, *seen)


def _views_at(weights: OrdersWeights, looks: Looks, hz: Exact | None) -> dict[str, Exact]:
    exact = Looks(*(look.astype(np.float64) for look in looks))
    usual = np.full(len(looks.spectra), ORDER_SIZES.usual_hz)
    return views_of_looks(weights.config, exact, usual if hz is None else hz)


EXPLANATION = Explanation(order_shares, views=order_views, distance=order_distance)
