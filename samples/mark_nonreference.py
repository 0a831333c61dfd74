#!/usr/bin/env python3
"""Mark some HEVC pictures of an MP4 as sub-layer non-reference pictures, in place, though higher sub-layers refer to them.

    mark_nonreference.py FILE

FILE holds one video alone, with two temporal sub-layers as x265 makes them. Of the lower one, each second picture of a
run becomes TRAIL_N: what follows it in the upper one refers to it, as ITU-T H.265 allows. A program of its own because
x265 marks only pictures that nothing at all refers to.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

TRAIL_N, TRAIL_R = 0, 1


def main() -> None:
    path = Path(sys.argv[1])
    data = bytearray(path.read_bytes())
    place, end = 0, len(data)
    while True:
        size, kind = struct.unpack_from(">I4s", data, place)
        if kind == b"mdat":
            place, end = place + 8, place + size
            break
        place += size
    marked, after_reference = 0, False
    while place + 6 <= end:
        length = struct.unpack_from(">I", data, place)[0]
        header = place + 4
        kind, layer = data[header] >> 1 & 0x3F, (data[header + 1] & 7) - 1
        is_first_slice = bool(data[header + 2] & 0x80)
        if kind < 32 and is_first_slice:
            if kind == TRAIL_R and layer == 0 and after_reference:
                data[header] = data[header] & 0x81 | TRAIL_N << 1
                marked += 1
                after_reference = False
            else:
                after_reference = layer == 0
        place = header + length
    if not marked:
        raise SystemExit(f"{path}: no picture to mark")
    path.write_bytes(data)


if __name__ == "__main__":
    main()
