import io

import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.stream.monitor.chunk import Form
from dualres.stream.watch.sources.wav import begins_wav, form_in_header
from tests.stream.watch.sources.collected import wav


def header(content):
    file = io.BytesIO(content)
    assert begins_wav(file.read(12))
    return form_in_header(file.read, "x.wav"), file.read()


def test_a_header_tells_the_form_and_where_samples_end():
    samples = np.arange(5, dtype=np.int16)
    (form, length), rest = header(wav(samples, 8000))
    assert (form, length, rest) == (Form.of(8000, "i16"), 10, samples.tobytes())
    assert header(wav(samples.astype(np.float32), 44_100))[0] == (Form.of(44_100, "f32"), 20)


@pytest.mark.parametrize("length", [0, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000])
def test_a_length_that_nobody_knew_is_none(length):
    assert header(wav(np.arange(5, dtype=np.int16), length=length))[0][1] is None


def test_damaged_headers_are_refused():
    whole = wav(np.arange(5, dtype=np.int16))
    for end in range(12, len(whole) - 10):
        with pytest.raises(RecordingError, match=r"x\.wav"):
            header(whole[:end])
    with pytest.raises(RecordingError, match="8 bits"):
        header(whole.replace(b"\x02\x00\x10\x00data", b"\x02\x00\x08\x00data"))
    with pytest.raises(RecordingError, match="before it says"):
        header(whole.replace(b"fmt ", b"junk"))
