import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.explain.trend.change import WINDOWS, find_changes, low_quarter
from tests.explain.trend.made_series import growing, remembering


def test_a_level_that_grows_is_found_before_it_has_doubled():
    search = find_changes({"level": growing(60, 35, 6.0)})
    change = search.first
    assert change.feature == "level"
    assert 35 < change.found < 59
    assert 33 <= change.began <= change.found
    assert change.healthy == pytest.approx(0, abs=0.5)
    assert change.healthy < change.limit < change.level < 6


def test_what_was_said_of_a_recording_does_not_depend_on_later_ones():
    levels = {"level": growing(80, 40, 8.0), "bands": np.stack([growing(80, 40, 8.0, seed) for seed in (1, 2)], axis=1)}
    found = find_changes(levels).first
    for count in range(20, 80):
        now = find_changes({name: values[:count] for name, values in levels.items()}).first
        if count <= found.found:
            assert now is None
        else:
            assert (now.found, now.feature, now.part, now.limit) == (
                found.found,
                found.feature,
                found.part,
                found.limit,
            )


@pytest.mark.parametrize("kept", [0.0, 0.5, 0.8])
def test_healthy_machines_are_rarely_said_to_have_changed(kept):
    rng = np.random.default_rng(4)
    alarms = 0
    for _ in range(60):
        values = 3 * np.stack([remembering(60, kept, rng) for _ in range(4)], axis=1)
        alarms += bool(find_changes({"level": values[:, 0], "bands": values[:, 1:]}).changes)
    assert alarms <= 3


def test_single_outliers_are_no_change():
    levels = growing(100, 99, 0.0)
    levels[[30, 45, 46, 80, 81]] += 20
    assert find_changes({"level": levels}).first is None


def test_a_level_that_falls_or_changes_a_little_is_none():
    falls = -growing(100, 50, 12.0)
    assert find_changes({"level": falls}).first is None
    assert find_changes({"level": np.where(np.arange(2000) < 1000, 0, 0.5) + growing(2000, 1999, 0)}).first is None


def test_swings_with_the_load_are_explained_where_the_load_is_known():
    rng = np.random.default_rng(5)
    load = rng.uniform(30, 70, 120)
    load[80:] = rng.uniform(65, 75, 40)
    levels = 0.4 * load + 0.3 * rng.standard_normal(120)
    assert find_changes({"level": levels}, healthy=60).first is not None
    assert find_changes({"level": levels}, healthy=60, beside=load[:, None]).first is None
    levels[90:] += np.linspace(0, 6, 30)
    assert find_changes({"level": levels}, healthy=60, beside=load[:, None]).first.found > 90


def test_recordings_beyond_the_loads_of_the_baseline_are_not_compared():
    load = np.r_[np.linspace(40, 60, 30), np.full(30, 90.0)]
    levels = growing(60, 59, 0.0) + np.where(load > 80, 10, 0)
    assert find_changes({"level": levels}, healthy=30, beside=load[:, None]).first is None


def test_with_too_few_one_cannot_tell_and_is_told_how_many_are_needed():
    search = find_changes({"level": growing(9, 8, 20.0)})
    assert search.watched_from is None
    assert search.needed == 14
    assert "9 recordings are too few" in search.reason
    assert find_changes({"level": np.tile([0.0, 0.3], 7)}).watched_from == 13


def test_with_neighbours_that_are_much_alike_more_are_needed():
    slow = np.cumsum(np.random.default_rng(7).standard_normal(22))
    search = find_changes({"level": slow})
    assert search.watched_from is None
    assert search.needed > 22


def test_a_change_of_ten_recordings_after_ten_healthy_ones_is_found_while_it_grows():
    grown = np.stack([growing(24, 12, 10.0, seed) for seed in range(10)], axis=1)
    still = np.stack([growing(24, 23, 0.0, seed) for seed in range(10, 20)], axis=1)
    assert find_changes({"level": grown[:, 0], "bands": grown}).first.found < 23
    assert find_changes({"level": still[:, 0], "bands": still}).first is None


def test_levels_with_holes_are_judged_by_what_was_known_by_then():
    whole, holed = growing(60, 30, 8.0), growing(60, 59, 0.0, 3)
    holed[[2, 4, 6, 8]] = np.nan
    levels = {"level": whole, "other": holed}
    found = find_changes(levels).first
    for count in range(14, 60):
        now = find_changes({name: values[:count] for name, values in levels.items()}).first
        assert (now is None) == (count <= found.found)
        assert now is None or now.limit == found.limit


def test_a_stated_baseline_is_all_that_is_compared_with():
    levels = growing(40, 12, 6.0) + 0.5 * np.tile([0.0, 1.0], 20)
    found = find_changes({"level": levels}, healthy=12).first
    assert found.baseline == 12
    assert find_changes({"level": levels}, healthy=3).watched_from is None
    all_of_them = find_changes({"level": levels[:12]}, healthy=12)
    assert (all_of_them.watched_from, all_of_them.needed) == (None, 16)
    assert "12 recordings, of which 12 make the baseline" in all_of_them.reason


def test_levels_that_are_not_known_cost_their_recordings():
    levels = growing(60, 35, 6.0)
    holed = levels.copy()
    holed[::5] = np.nan
    found = find_changes({"level": holed}).first
    assert 35 < found.found < 59
    assert found.found % 5


@pytest.mark.parametrize("error", [0, 1, -1])
def test_an_error_is_a_share(error):
    with pytest.raises(ConfigError, match="share between 0 and 1"):
        find_changes({"level": growing(20, 10, 0)}, error=error)
    with pytest.raises(ConfigError, match="no level"):
        find_changes({})


def test_the_low_quarter_is_what_three_quarters_reach():
    for window in WINDOWS:
        values = np.arange(40.0)
        assert low_quarter(values, window)[0] == window // 4
        assert len(low_quarter(values, window)) == 41 - window
