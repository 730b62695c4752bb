"""Reading a figure back."""

from unittest.mock import patch

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from dualres.utils.figures import DOUBLE, POINTS, SINGLE


def drawn_texts(figure):
    """Every text that is really drawn, as (words, size in points, extent in pixels), and the extent of the figure."""
    seen = []
    original = Text.draw

    def draw(self, renderer):
        if self.get_text().strip() and self.get_visible():
            seen.append(self)
        return original(self, renderer)

    canvas = FigureCanvasAgg(figure)
    with patch.object(Text, "draw", draw):
        canvas.draw()
    return [(t.get_text(), t.get_fontsize(), Text.get_window_extent(t)) for t in seen], figure.bbox


def check_legible(picture):
    """Texts are of a readable size, within the figure and apart."""
    assert picture.figure.get_figwidth() in (SINGLE, DOUBLE)
    texts, whole = drawn_texts(picture.figure)
    for words, points, box in texts:
        assert points >= POINTS, (picture.name, words)
        assert whole.x0 - 1 <= box.x0 <= box.x1 <= whole.x1 + 1, (picture.name, words)
        assert whole.y0 - 1 <= box.y0 <= box.y1 <= whole.y1 + 1, (picture.name, words)
    share = overlaps([box for *_, box in texts])
    pair = [texts[i][0] for i in np.unravel_index(share.argmax(), share.shape)]
    assert share.max() < 0.12, (picture.name, pair)


def overlaps(boxes):
    """Which share of the smaller of two boxes the other covers, for every pair; zero for a box and itself."""
    low, high = np.array([box.min for box in boxes]), np.array([box.max for box in boxes])
    common = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
    area = np.prod(high - low, axis=1)
    share = np.prod(common.clip(min=0), axis=2) / np.minimum(area[:, None], area)
    np.fill_diagonal(share, 0)
    return share


def line_named(axes, name):
    return next(line for line in axes.get_lines() if line.get_label() == name)


def bars(axes):
    """(centre, length) of lying bars, from the top down."""
    return sorted((p.get_y() + p.get_height() / 2, p.get_width()) for p in axes.patches)


def upright_bars(axes):
    """(centre, height), from the left."""
    return sorted((p.get_x() + p.get_width() / 2, p.get_height()) for p in axes.patches)
