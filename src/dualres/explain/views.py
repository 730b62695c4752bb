"""A network of views, taken apart: it adds up what its heads say."""

import numpy as np

from dualres.explain.contributions import Contributions, Explanation
from dualres.explain.heads import Asked, Head, portrait_distance, shares_of_heads
from dualres.explain.regions import LOW_LINES, REPETITION, SPECTRA, groupings
from dualres.judge.backends import Windows
from dualres.kernel.views import views_of
from dualres.model.views.weights import ViewsWeights
from dualres.utils.arrays import Exact

VIEW_OF_HEAD = {"spectra": SPECTRA, "repetition": REPETITION, "rhythm": REPETITION, "lines": LOW_LINES}


def view_shares(
    weights: ViewsWeights, windows: Windows, label: int, rival: int, *, neutral: Exact | None = None
) -> Contributions:
    """Of raw windows (n, window), between two classes by their numbers; the network knows what is neutral."""
    asked = {
        name: Asked(Head.of(weights, name, label, rival), view.astype(np.float64), VIEW_OF_HEAD[name])
        for name, view in views_of(weights, windows).items()
    }
    return shares_of_heads(windows, weights.config, asked, groupings(weights.config))


EXPLANATION = Explanation(view_shares, views=views_of, distance=portrait_distance)
