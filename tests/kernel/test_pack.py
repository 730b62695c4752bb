import numpy as np
import pytest

from dualres.kernel.compiled import address, aligned


@pytest.mark.parametrize("count", [1, 17, 1000])
def test_begins_with_a_line_of_the_cache(count):
    several = [aligned(count) for _ in range(5)]
    assert all(len(room) == count and room.ctypes.data % 64 == 0 for room in several)


def test_an_array_s_address_is_where_it_begins():
    room = np.zeros((4, 8), np.float32)
    assert address(room) == room.ctypes.data
    assert address(room[1:]) == room.ctypes.data + 32


def test_what_may_not_be_written_has_no_address_to_write_to():
    room = np.zeros(8, np.float32)
    room.flags.writeable = False
    with pytest.raises(TypeError, match="writable"):
        address(room)
