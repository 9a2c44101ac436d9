"""Computes the name of a pack from its bytes: docs/reference/store.md, "Packs"."""

import hashlib
import struct

BEGIN, END = b"KPI1", b"KPE1"


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def write_varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def frames(pack):
    """Returns (stored bytes, content bytes) of each frame."""
    assert pack[-4:] == END
    index = pack[-struct.unpack("<I", pack[-8:-4])[0]:]
    assert index[8:12] == BEGIN
    count, at = read_varint(index, 12)
    found = []
    for _ in range(count):
        stored, at = read_varint(index, at)
        content, at = read_varint(index, at)
        found.append((stored, content))
    return found


def raw_content(frame):
    """Returns the content of a zstd frame with raw blocks only (RFC 8878)."""
    flags = frame[4]
    single = flags >> 5 & 1
    at = 5 + (not single) + {0: single, 1: 2, 2: 4, 3: 8}[flags >> 6]
    content, last = b"", False
    while not last:
        header = int.from_bytes(frame[at:at + 3], "little")
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        assert kind == 0, "a block that is not stored as it is"
        content += frame[at + 3:at + 3 + size]
        at += 3 + size
    return content


def name_of(pack):
    table, at = frames(pack), 0
    listed = hashlib.sha256(b"kinetic pack 1\n")
    for stored, content in table:
        frame = pack[at:at + stored]
        at += stored
        hashed = raw_content(frame) if stored > content else frame
        listed.update(write_varint(stored) + write_varint(content) + hashlib.sha256(hashed).digest())
    return listed.hexdigest()
