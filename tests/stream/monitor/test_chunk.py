import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.stream.monitor.chunk import STAMP, Chunk, Form, split_stamp


def test_bytes_become_samples_of_every_channel():
    data = np.array([1, -2, 3, -32768], "<i2").tobytes()
    assert Form.of(8000, "i16").samples(data).tolist() == [1, -2, 3, -32768]
    assert Form.of(8000, "i16", 2).samples(data).tolist() == [[1, -2], [3, -32768]]
    assert Form.of(8000).samples(np.array([0.5], "<f4").tobytes()).dtype == np.float32
    assert Form.of(8000, "i16", 2).count(data) == 2


def test_a_form_is_the_same_after_being_written_down():
    form = Form.of("200000/3", "i16", 3)
    assert Form.parsed(form.as_text()) == form


@pytest.mark.parametrize(("dtype", "channels"), [("f64", 1), ("f32", 0), ("f32", 5000)])
def test_what_cannot_be_read_is_refused(dtype, channels):
    with pytest.raises(ConfigError):
        Form.of(8000, dtype, channels)


def test_half_a_sample_is_no_chunk():
    with pytest.raises(ConfigError, match="3 bytes"):
        Chunk("pump", Form.of(8000, "i16"), b"abc")


def test_a_stamp_stands_before_the_samples():
    assert split_stamp(STAMP.pack(7, 1 << 40) + b"rest") == ("7", 1 << 40, b"rest")
    with pytest.raises(ConfigError, match="no stamp"):
        split_stamp(b"short")
    with pytest.raises(ConfigError, match="are there stamps before its samples"):  # beyond all counting
        split_stamp(STAMP.pack(1, (1 << 64) - 1) + b"1234")
