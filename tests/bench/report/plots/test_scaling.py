import json

import pytest

from dualres.bench.report.plots.scaling import MEASURED, ScalingCurve, curves, scaling_picture


def measured(power=1.0):
    def points(name, sizes):
        return [{name: size, "s": 1e-6 * size**power, "rise_mb": 1.0} for size in sizes]

    return {
        "rate_hz": 12800,
        "window_s": 0.512,
        "fixed": {"tokens": 1024, "width": 64, "states": 8},
        "tokens": points("tokens", (64, 256, 1024, 4096)),
        "width": points("width", (16, 32, 64)),
        "states": points("states", (2, 4, 8)),
        "windows": points("windows", (1, 10, 100)),
        "recordings": points("seconds", (1, 10, 60)),
    }


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_the_slope_is_the_power_with_which_cost_grows(power):
    for curve in curves(measured(power)).values():
        assert curve.slope == pytest.approx(power)


def test_a_fixed_cost_does_not_hide_what_grows():
    curve = ScalingCurve("", (1, 10, 100, 1000, 10_000), (1.1, 2.0, 101, 1001, 10_001))
    assert curve.slope == pytest.approx(1, abs=0.01)
    assert curve.relative[0] == pytest.approx(1.1, rel=1e-3)
    assert curve.relative[-1] == 1


def test_windows_stand_at_the_seconds_they_add():
    assert curves(measured())["windows"].sizes == pytest.approx((0.256, 2.56, 25.6))


def test_every_point_is_drawn_with_its_slope_and_its_cost_per_unit_where_it_was_measured(tmp_path):
    assert scaling_picture(tmp_path) is None
    (tmp_path / MEASURED).parent.mkdir()
    (tmp_path / MEASURED).write_text(json.dumps(measured()))
    picture = scaling_picture(tmp_path)
    above, below = picture.figure.axes[:3], picture.figure.axes[3:]
    labels = [text.get_text() for axes in above for text in axes.get_legend().get_texts()]
    assert labels[0] == "slope 1.00"
    assert len(labels) == 5
    lines = [line for line in above[0].get_lines() if line.get_label() == "slope 1.00"]
    assert list(lines[0].get_ydata()) == pytest.approx([64e-6, 256e-6, 1024e-6, 4096e-6])
    per_unit = [line for line in below[0].get_lines() if line.get_marker() == "o"]
    assert list(per_unit[0].get_ydata()) == pytest.approx([1] * 4)
    assert "T = 1024, D = 64 and K = 8" in picture.caption
