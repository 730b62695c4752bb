from dataclasses import replace
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest

from dualres.judge.segments_picture import Strip, draw_strips


@pytest.fixture
def strip():
    strip = Strip("night $1.wav")
    strip.add(0.0, 10.0, [1.0, 0.0])
    strip.add(10.0, 20.0, [0.0, 1.0])
    return strip


def test_the_probable_class_is_dark(strip, tmp_path):
    draw_strips(tmp_path / "a.png", [strip], ["good", "worn $2"])
    image = plt.imread(tmp_path / "a.png")[..., :3].mean(axis=2)
    dark = np.argwhere(image < 0.25)
    upper, lower = (dark[half] for half in (dark[:, 0] < len(image) / 3, dark[:, 0] > len(image) / 3))
    assert np.median(upper[:, 1]) < np.median(lower[:, 1]), "good comes first, above"


def test_what_is_like_nothing_labelled_is_hatched(strip, tmp_path):
    draw_strips(tmp_path / "plain.svg", [strip], ["good", "worn"])
    strip.unlike.append((10.0, 20.0))
    draw_strips(tmp_path / "hatched.svg", [strip], ["good", "worn"])
    plain, hatched = ((tmp_path / f"{name}.svg").read_text() for name in ("plain", "hatched"))
    assert "pattern" in hatched
    assert "none of these" in hatched
    assert "pattern" not in plain


@pytest.mark.parametrize(("suffix", "begin"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("PDF", b"%PDF")])
def test_the_suffix_says_as_what(strip, tmp_path, suffix, begin):
    path = tmp_path / f"a.{suffix}"
    draw_strips(path, [strip, strip], ["good", "worn"])
    assert path.read_bytes().startswith(begin)


def test_between_parts_of_a_file_nothing_is_drawn(strip, tmp_path):
    strip.add(3000.0, 3010.0, [0.5, 0.5])
    draw_strips(tmp_path / "a.png", [strip], ["good", "worn"])
    image = plt.imread(tmp_path / "a.png")[..., :3].mean(axis=2)
    assert (image[: len(image) // 2, image.shape[1] // 2] > 0.7).all(), "the axis is below"


def test_names_with_what_xml_cannot_hold_make_a_picture_that_opens(strip, tmp_path):
    draw_strips(tmp_path / "a.svg", [replace(strip, name="x\x1b[2J.wav")], ["<b>\x07", "$\\foo$ \x00"])
    ElementTree.parse(tmp_path / "a.svg")
