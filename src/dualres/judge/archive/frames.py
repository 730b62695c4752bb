"""Messages between the process that hands out files and those that judge them: a size, then so many bytes."""

import struct
from typing import BinaryIO

SIZE = struct.Struct("<Q")
LARGEST = 64 << 20  # bytes


def framed(message: bytes) -> bytes:
    return SIZE.pack(len(message)) + message


def read_frame(file: BinaryIO) -> bytes | None:
    """The next message; None at the end."""
    size = file.read(SIZE.size)
    return file.read(SIZE.unpack(size)[0]) if len(size) == SIZE.size else None


def take_frames(received: bytearray) -> list[bytes]:
    """All whole messages of what was received so far, taken out of it; a ValueError for one beyond `LARGEST`."""
    found = []
    while len(received) >= SIZE.size:
        (size,) = SIZE.unpack_from(received)
        if size > LARGEST:
            raise ValueError(f"a message of {size} bytes is none of ours")
        if len(received) < SIZE.size + size:
            break
        found.append(bytes(received[SIZE.size : SIZE.size + size]))
        del received[: SIZE.size + size]
    return found
