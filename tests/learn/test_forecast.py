from dualres.config import Recipe
from dualres.learn.forecast import expected_s


def test_the_expected_time_grows_with_windows_and_updates(small):
    little = expected_s(20, Recipe(10), small)
    assert 0 < little < 60
    assert expected_s(2000, Recipe(100), small) > 20 * little
