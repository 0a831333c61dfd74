#!/usr/bin/env python3
"""Turn an H.264 stream of pictures into one of field pairs, so that two consecutive pictures make one frame.

    pair_fields.py INPUT OUTPUT

INPUT is an Annex B stream that x264 writes with cabac=0:bframes=0:weightp=0:8x8dct=0 and one slice per picture. Its pictures become
the top and bottom fields of frames of twice the height. Their content changes, but everything can be decoded. This
script exists because no encoder in ffmpeg codes field pictures.
"""

from __future__ import annotations

import sys
from pathlib import Path


class Bits:
    """Reads the bits of a NAL unit's payload, and copies them as it goes."""

    def __init__(self, payload: bytes) -> None:
        text = "".join(f"{byte:08b}" for byte in payload)
        # Without the stop bit and the zeros after it.
        self.bits = text[: text.rindex("1")]
        self.place = 0
        self.copied = ""

    def take(self, count: int) -> int:
        value = self.bits[self.place : self.place + count]
        self.place += count
        self.copied += value
        return int(value or "0", 2)

    def take_golomb(self) -> int:
        zeros = 0
        while self.bits[self.place + zeros] == "0":
            zeros += 1
        self.copied += self.bits[self.place : self.place + zeros]
        self.place += zeros
        return self.take(zeros + 1) - 1

    def replace(self, count: int, value: int) -> None:
        self.place += count
        self.copied += f"{value:0{count}b}"

    def insert(self, bits: str) -> None:
        self.copied += bits

    def finish(self) -> bytes:
        bits = self.copied + self.bits[self.place :] + "1"
        bits += "0" * (-len(bits) % 8)
        return bytes(int(bits[place : place + 8], 2) for place in range(0, len(bits), 8))


def unescape(payload: bytes) -> bytes:
    return payload.replace(b"\0\0\3", b"\0\0")


def escape(payload: bytes) -> bytes:
    out, zeros = bytearray(), 0
    for byte in payload:
        if zeros >= 2 and byte <= 3:
            out.append(3)
            zeros = 0
        out.append(byte)
        zeros = zeros + 1 if byte == 0 else 0
    return bytes(out)


def edit_parameters(payload: bytes) -> tuple[bytes, int]:
    """Return the sequence parameter set for field pictures, and how many bits a frame number has."""
    bits = Bits(payload)
    profile = bits.take(8)
    bits.take(16)
    bits.take_golomb()
    if profile >= 100:
        if bits.take_golomb() == 3:
            raise ValueError("separate colour planes are not supported")
        bits.take_golomb()
        bits.take_golomb()
        if bits.take(2) % 2:
            raise ValueError("scaling matrices are not supported")
    number_bits = bits.take_golomb() + 4
    if bits.take_golomb() != 2:
        raise ValueError("the picture order must follow the decoding order (bframes=0)")
    bits.take_golomb()
    bits.take(1)
    bits.take_golomb()
    bits.take_golomb()
    # frame_mbs_only_flag becomes 0; mb_adaptive_frame_field_flag comes in behind it.
    bits.replace(1, 0)
    bits.insert("0")
    # direct_8x8_inference_flag has to be set then.
    bits.replace(1, 1)
    return bits.finish(), number_bits


def edit_slice(payload: bytes, number_bits: int, field: int, number: int) -> bytes:
    bits = Bits(payload)
    for _ in range(3):  # first_mb_in_slice, slice_type, pic_parameter_set_id
        bits.take_golomb()
    bits.replace(number_bits, number % (1 << number_bits))
    bits.insert(f"1{field}")  # field_pic_flag, bottom_field_flag
    return bits.finish()


def main() -> None:
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    out = bytearray()
    number_bits, pictures, number = 4, 0, 0
    for unit in source.read_bytes().split(b"\0\0\1")[1:]:
        unit = unit.rstrip(b"\0")
        header, payload = unit[0], unescape(unit[1:])
        kind = header & 0x1F
        if kind == 7:
            payload, number_bits = edit_parameters(payload)
        elif kind in (1, 5):
            # An instantaneous refresh begins frames anew; it must be the first field of a pair.
            if kind == 5:
                if pictures % 2:
                    raise ValueError("a group of pictures has an odd number of them")
                number = 0
            payload = edit_slice(payload, number_bits, pictures % 2, number)
            pictures += 1
            if pictures % 2 == 0 and header & 0x60:
                number += 1
        elif kind == 6:
            continue  # Messages about the timing of frames are not true of fields.
        out += b"\0\0\0\1" + bytes([header]) + escape(payload)
    target.write_bytes(out)


if __name__ == "__main__":
    main()
