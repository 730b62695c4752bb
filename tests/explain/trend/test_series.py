from dataclasses import replace

import numpy as np
import pytest

from dualres.explain.trend.series import features_of, trend_of
from tests.explain.trend.made_series import growing, points


def test_a_change_is_told_with_its_time_and_its_promise():
    trend = trend_of(points(growing(60, 35, 6.0)), machine="pump 3")
    assert trend.answer == "changed"
    assert f"found at day {trend.change.found}" in trend.sentence
    assert "At most 5 % of healthy machines" in trend.sentence
    said = trend.as_data()
    assert said["changes"][0]["found"]["number"] == trend.change.found + 1
    assert said["false_alarm_rate"] == 0.05
    assert len(said["points"]) == 60
    assert said["points"][-1]["rise_db"] == pytest.approx(6, abs=1)
    assert trend.points[-1].distance_db > 3 > trend.points[5].distance_db
    assert trend.baseline <= trend.change.began


def test_no_change_and_cannot_tell_are_two_answers():
    assert trend_of(points(growing(60, 59, 0.0))).answer == "no change found"
    few = trend_of(points(growing(8, 7, 0.0)))
    assert few.answer == "cannot tell"
    assert few.as_data()["recordings_needed"] == 14
    assert trend_of([]).sentence == "cannot tell: no recording could be used"


def test_one_band_that_rises_is_named_by_its_frequencies():
    series = points(growing(60, 59, 0.0, noise=0.2))
    for number in range(35, 60):
        bands = list(series[number].levels.bands)
        bands[8] *= 10 ** ((number - 35) / 30)
        series[number] = replace(series[number], levels=replace(series[number].levels, bands=tuple(bands)))
    trend = trend_of(series)
    assert trend.change.feature == "bands"
    assert "the band from 1,673 to 3,172 Hz" in trend.sentence


def test_the_load_explains_a_level_where_it_is_known_of_all():
    rng = np.random.default_rng(0)
    load = 50 + 20 * rng.random(80)
    levels = 0.3 * load + 0.2 * rng.standard_normal(80)
    trend = trend_of(points(levels, load=load))
    assert trend.explaining == ("load",)
    assert trend.answer == "no change found"
    assert trend_of(points(levels, load=load), adjust=()).explaining == ()


def test_a_speed_that_hardly_varies_explains_nothing():
    rng = np.random.default_rng(0)
    steady, varying = (1500 * (1 + share * rng.standard_normal(40)) for share in (0.001, 0.1))
    assert trend_of(points(growing(40, 39, 0.0), speed_rpm=steady)).explaining == ()
    assert trend_of(points(growing(40, 39, 0.0), speed_rpm=varying)).explaining == ("speed",)


def test_the_label_of_the_first_recordings_makes_the_baseline():
    grows = points(growing(50, 25, 6, seed=3))
    series = [replace(one, label="good" if number < 20 else None) for number, one in enumerate(grows)]
    trend = trend_of(series, healthy="good")
    assert trend.baseline == trend.change.baseline == 20
    assert trend_of(series, healthy="no such").answer == "cannot tell"


def test_recordings_at_another_rate_are_left_out():
    series = points(growing(30, 29, 0.0))
    series[4] = replace(series[4], levels=replace(series[4].levels, rate=25_600.0))
    trend = trend_of(series)
    assert len(trend.points) == 29
    assert trend.left_out[0][0] == "4.wav"
    assert "25600 Hz" in trend.left_out[0][1]


def test_lines_are_followed_where_most_recordings_have_them():
    scores = [{"outer race": 2.0, "unbalance": 9.0} for _ in range(30)]
    assert features_of(points(growing(30, 29, 0.0), lines=scores))["lines"].tolist() == [2.0] * 30
    assert "lines" not in features_of(points(growing(30, 29, 0.0)))


def test_severity_is_told_where_the_unit_is_known():
    speeds = [1.0] * 29 + [4.5]
    trend = trend_of(points(growing(30, 29, 0.0), velocity_mm_s=speeds, zone=["A"] * 29 + ["C"]))
    assert trend.severity.startswith("4.5 mm/s rms from 10 to 1,000 Hz at day 29, zone C by the limits given; 1 mm/s")
    assert trend.as_data()["severity"] == trend.severity
    assert trend_of(points(growing(30, 29, 0.0))).severity == ""
