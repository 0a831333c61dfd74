#!/usr/bin/env python3
"""Write one of the eight orientations into the display matrix of an MP4's video tracks, in place.

    set_display_matrix.py FILE ORIENTATION

The orientation is numbered as in EXIF: the coded picture, put through transform ORIENTATION, is upright. A program of
its own because ffmpeg's command line before 6.0 can write rotations but no flips.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

# Orientation -> (a, b, c, d) of x' = a*x + c*y + tx, y' = b*x + d*y + ty, in the words of ISO/IEC 14496-12.
LINEAR = {
    1: (1, 0, 0, 1),  # upright
    2: (-1, 0, 0, 1),  # mirrored left to right
    3: (-1, 0, 0, -1),  # turned by 180 degrees
    4: (1, 0, 0, -1),  # mirrored top to bottom
    5: (0, 1, 1, 0),  # transposed
    6: (0, 1, -1, 0),  # to be turned by 90 degrees clockwise
    7: (0, -1, -1, 0),  # transposed along the other diagonal
    8: (0, -1, 1, 0),  # to be turned by 90 degrees anticlockwise
}


def boxes(data: bytearray, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield type, start of payload and end of every box in data[start:end]."""
    while start + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, start)
        header = 8
        if size == 1:
            size, header = struct.unpack_from(">Q", data, start + 8)[0], 16
        elif size == 0:
            size = end - start
        if size < header or start + size > end:
            raise ValueError(f"box {kind!r} at {start} does not fit into its parent")
        yield kind, start + header, start + size
        start += size


def track_headers(data: bytearray) -> Iterator[int]:
    """Yield where the payload of every track header begins."""
    for kind, start, end in boxes(data, 0, len(data)):
        if kind != b"moov":
            continue
        for child, child_start, child_end in boxes(data, start, end):
            if child == b"trak":
                yield from (at for name, at, _ in boxes(data, child_start, child_end) if name == b"tkhd")


def set_orientation(data: bytearray, orientation: int) -> int:
    """Patch the matrix of every track that has a picture size; return how many there were."""
    patched = 0
    for header in track_headers(data):
        # Version 1 has 64-bit times: three fields are four bytes longer.
        matrix = header + (52 if data[header] == 1 else 40)
        width, height = (value / 65536 for value in struct.unpack_from(">II", data, matrix + 36))
        if width == 0 or height == 0:
            continue
        a, b, c, d = LINEAR[orientation]
        # The translation moves the picture back to where both coordinates are positive.
        shift_x = (width if a < 0 else 0) + (height if c < 0 else 0)
        shift_y = (width if b < 0 else 0) + (height if d < 0 else 0)
        rows = (a, b, 0), (c, d, 0), (shift_x, shift_y, 1)
        # The third column is 2.30 fixed point, the others 16.16.
        numbers = (int(value * (1 << (30 if column == 2 else 16))) for row in rows for column, value in enumerate(row))
        struct.pack_into(">9i", data, matrix, *numbers)
        patched += 1
    return patched


def main() -> None:
    """Patch the file named on the command line."""
    if len(sys.argv) != 3 or sys.argv[2] not in {str(number) for number in LINEAR}:
        sys.exit("usage: set_display_matrix.py FILE ORIENTATION(1-8)")
    file = Path(sys.argv[1])
    data = bytearray(file.read_bytes())
    if set_orientation(data, int(sys.argv[2])) == 0:
        sys.exit(f"set_display_matrix: {file} has no video track")
    file.write_bytes(data)


if __name__ == "__main__":
    main()
