"""Messages between processes: four bytes of length, then JSON."""

import json
import os
import struct
from typing import Any

HEADER = struct.Struct(">I")
LONGEST = 64 << 20


class Malformed(Exception):
    """What came is no message, or too long a one."""


def pack(message: Any, longest: int = LONGEST) -> bytes:
    """The bytes of a message; Malformed where it is too long."""
    text = json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode()
    if len(text) > longest:
        raise Malformed(f"a message of {len(text)} bytes; {longest} are allowed")
    return HEADER.pack(len(text)) + text


def send(descriptor: int, data: bytes) -> None:
    """Write all of it."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def receive(descriptor: int) -> Any:
    """The next message, waited for; EOFError where the other side has gone."""
    length = length_of(_exactly(descriptor, HEADER.size))
    return unpack(_exactly(descriptor, length))


def length_of(header: bytes) -> int:
    """How many bytes follow; Malformed where nobody honest would send as many."""
    length: int = HEADER.unpack(header)[0]
    if length > LONGEST:
        raise Malformed(f"a message that claims {length} bytes; {LONGEST} are allowed")
    return length


def unpack(data: bytes) -> Any:
    """What the bytes say; Malformed where they say nothing."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError, MemoryError) as error:
        raise Malformed(f"no message: {type(error).__name__}") from None


def _exactly(descriptor: int, length: int) -> bytes:
    parts = bytearray()
    while len(parts) < length:
        part = os.read(descriptor, min(length - len(parts), 1 << 20))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)
