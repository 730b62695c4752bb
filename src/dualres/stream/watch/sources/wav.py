"""The header of a WAV stream, whose length nobody knows yet."""

import struct
from collections.abc import Callable

from dualres.errors import RecordingError
from dualres.stream.monitor.chunk import Form

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
DTYPE = {(PCM, 16): "i16", (FLOAT, 32): "f32"}
WAV_BEGIN = 12  # bytes that tell a WAV file
MOST_HEADER = 1 << 20  # bytes before the samples
ENDLESS = 0x7FFF0000  # bytes of samples, or more: what programs write that do not know how many will come


def begins_wav(first: bytes) -> bool:
    return first[:4] == b"RIFF" and first[8:12] == b"WAVE"


def form_in_header(read: Callable[[int], bytes], name: str) -> tuple[Form, int | None]:
    """The form, and the bytes of samples if known; `read` goes on behind the first twelve bytes, up to the samples."""
    form, size = None, 0
    while True:
        kind, length = struct.unpack("<4sI", _exactly(read, 8, name))
        if kind == b"data":
            if form is None:
                raise RecordingError(f"{name}: this WAV has samples before it says what they are; write it anew")
            return form, length if 0 < length < ENDLESS else None
        size += length + (length & 1)
        if size > MOST_HEADER:
            raise RecordingError(f"{name}: this WAV's header is too long; write it anew")
        content = _exactly(read, length + (length & 1), name)
        if kind == b"fmt ":
            form = _form(content, name)


def _form(content: bytes, name: str) -> Form:
    if len(content) < 16:
        raise RecordingError(f"{name}: this WAV's header is damaged; write it anew")
    tag, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", content)
    if tag == EXTENSIBLE and len(content) >= 26:
        (tag,) = struct.unpack_from("<H", content, 24)
    if (tag, bits) not in DTYPE:
        raise RecordingError(f"{name}: a live WAV has 16-bit or 32-bit float samples, this one others ({bits} bits)")
    return Form.of(rate, DTYPE[tag, bits], channels)


def _exactly(read: Callable[[int], bytes], count: int, name: str) -> bytes:
    found = read(count)
    if len(found) < count:
        raise RecordingError(f"{name}: this WAV ends within its header")
    return found
