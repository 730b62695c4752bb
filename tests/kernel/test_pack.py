import pytest

from dualres.kernel.pack import aligned


@pytest.mark.parametrize("count", [1, 17, 1000])
def test_begins_with_a_line_of_the_cache(count):
    several = [aligned(count) for _ in range(5)]
    assert all(len(room) == count and room.ctypes.data % 64 == 0 for room in several)
