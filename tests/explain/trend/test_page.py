import pytest

from dualres.errors import OutputError
from dualres.explain.trend.page import trend_page, write_trend_page
from dualres.explain.trend.series import trend_of
from tests.explain.trend.made_series import growing, points


@pytest.fixture(scope="module")
def trends():
    grows = trend_of(points(growing(60, 35, 6.0)), machine="pump <3>", left_out=[("bad.wav", "is broken")])
    return [grows, trend_of(points(growing(30, 29, 0.0)), machine="fan")]


def test_a_page_holds_every_series(trends):
    page = trend_page(trends, "hall & yard")
    assert "The trend of hall &amp; yard" in page
    assert "pump &lt;3&gt;" in page
    assert "<3>" not in page
    assert page.count("<svg") == 6
    assert "bad.wav: is broken" in page
    assert "90 recordings of 2 series. 1 changed." in page
    assert "http" not in page


def test_a_page_is_replaced_and_nothing_else(trends, tmp_path):
    path = tmp_path / "trend.html"
    write_trend_page(trends, path, "pump")
    write_trend_page(trends, path, "pump")
    path.write_text("<html>my notes</html>")
    with pytest.raises(OutputError, match="is no report of DualRes"):
        write_trend_page(trends, path, "pump")


def test_a_series_without_a_recording_is_told(trends):
    assert "No recording could be used" in trend_page([trend_of([], left_out=[("a.wav", "is broken")])], "x")
