"""Drawings that are well formed and keep within their frame."""

import re
import xml.etree.ElementTree as ET

import numpy as np

from dualres.fit_page.signal_looks import look_of
from dualres.fit_page.svg import ABOVE, HEIGHT, LEFT, SIDE, WIDTH, Scale, reliability, spectra, waveform
from tests.fit_page.test_signal_looks import tone

NASTY = '"><b>&'


def numbers(text):
    paths = re.findall(r' d="M([^"]*?)Z?"', text)
    return [np.array([point.split() for point in path.split("L")], float) for path in paths]


def test_a_waveform_fills_its_frame_and_silence_is_a_line():
    text = waveform(look_of(tone(100, NASTY), 0.25, 4000))
    ((x, y),) = (path.T for path in numbers(text))
    assert (x.min(), x.max(), y.min() >= 0, y.max() <= HEIGHT) == (0, WIDTH, True, True)
    assert np.ptp(y) > 0.9 * HEIGHT
    assert "0.25 s" in text
    assert ET.fromstring(text)[0].get("aria-label") == f"Waveform of {NASTY}, 0.25 s"
    assert "nan" not in waveform(look_of(tone(100, level=0.0), 0.25, 4000))


def test_spectra_of_a_page_share_a_scale_and_none_leaves_it():
    looks = [look_of(tone(hz, seed=hz), 0.25, 4000) for hz in (100, 900)]
    scale = Scale.of(looks, 4000)
    text = spectra(looks[0].spectrum, scale, "ball", [look.spectrum for look in looks])
    single, other, mean = numbers(text)
    assert (single == mean).all()
    assert not (single == other).all()
    assert min(path[:, 1].min() for path in (single, other)) >= 0
    assert max(path[:, 1].max() for path in (single, other)) <= HEIGHT
    assert re.findall(r"<span>(.*?)</span>", text) == ["10 Hz", "200 Hz", "4 kHz"]
    assert ET.fromstring(text).tag == "figure"


def test_reliability_has_a_point_where_it_belongs_and_larger_for_more_recordings():
    figure = ET.fromstring(reliability([(1.0, 0.5, 16)], [(0.5, 0.25, 4), (0.75, 1.0, 12)]))
    points = [{k: v if k == "class" else float(v) for k, v in one.items()} for one in figure.iter("circle")]
    assert [one["class"] for one in points] == ["before", "after", "after"]
    assert (points[0]["cx"], points[0]["cy"]) == (LEFT + SIDE, ABOVE + SIDE / 2)
    assert (points[1]["cx"], points[1]["cy"]) == (LEFT + SIDE / 2, ABOVE + 0.75 * SIDE)
    assert points[0]["r"] > points[2]["r"] > points[1]["r"]
