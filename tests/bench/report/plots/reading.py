"""Reading a figure back."""

from __future__ import annotations

from unittest.mock import patch

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text


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


def line_named(axes, name):
    return next(line for line in axes.get_lines() if line.get_label() == name)


def bars(axes):
    """(centre, length) of lying bars, from the top down."""
    return sorted((p.get_y() + p.get_height() / 2, p.get_width()) for p in axes.patches)


def upright_bars(axes):
    """(centre, height), from the left."""
    return sorted((p.get_x() + p.get_width() / 2, p.get_height()) for p in axes.patches)
