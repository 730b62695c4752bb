import pytest
from matplotlib.image import imread

from dualres.errors import ConfigError
from dualres.explain.trend.picture import MOST, draw_trends
from dualres.explain.trend.series import trend_of
from tests.explain.trend.made_series import growing, points


def test_it_is_written_as_png(tmp_path):
    numbered = trend_of(points(growing(40, 25, 6.0)), machine="pump $3$")
    dated = trend_of(points(growing(40, 39, 0.0), velocity_mm_s=[1.0] * 40), dated=True)
    draw_trends([numbered, dated], tmp_path / "p.png")
    assert imread(tmp_path / "p.png").shape[1] == 1380


def test_what_cannot_be_drawn_is_said(tmp_path):
    with pytest.raises(ConfigError, match="nothing to draw"):
        draw_trends([trend_of([])], tmp_path / "p.png")
    with pytest.raises(ConfigError, match="write a --page instead"):
        draw_trends([trend_of(points([0.0, 0.1]))] * (MOST + 1), tmp_path / "p.png")
