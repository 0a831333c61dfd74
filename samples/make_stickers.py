#!/usr/bin/env python3
"""Draws the sample stickers, mustache.png and frame.png, with nothing but Python's own library.

    make_stickers.py [FOLDER]     default: the folder of this script

mustache.png is for `--sticker-place mustache`; frame.png is a picture frame for
`--sticker-insets 28,28,28,28`: its corners keep their shape around any face.
"""

import math
import pathlib
import struct
import sys
import zlib

SAMPLES = 4  # on each axis of a pixel


def mustache(x, y):
    """Colour and coverage at x in -1...1, y in -0.4...0.4 (down), or None."""
    t = abs(x)
    if t >= 1:
        return None
    middle = 0.20 * math.sin(math.pi * 0.95 * t) - 0.42 * t**3
    half = 0.17 * (1 - t * t) ** 0.75 * (0.62 + 0.38 * min(1.0, t / 0.3))
    if abs(y - middle) > half:
        return None
    # Strands run along it.
    strand = 0.5 + 0.5 * math.sin((y - middle) / half * 9 + t * 7)
    light = 0.75 + 0.5 * strand
    return 46 * light, 30 * light, 22 * light


def frame(x, y):
    """Colour at x and y in 0...96, or None: gilded wood with a boss on each corner."""
    edge = min(x, y, 96 - x, 96 - y)
    corner_x, corner_y = min(x, 96 - x), min(y, 96 - y)
    boss = math.hypot(corner_x - 14, corner_y - 14)
    if boss < 13:
        light = 1.15 - boss / 26 + 0.12 * math.cos(6 * math.atan2(corner_y - 14, corner_x - 14))
    elif 4 <= edge < 20:
        light = 0.62 + 0.5 * math.sin((edge - 4) / 16 * math.pi)
    elif 20 <= edge < 22:
        light = 0.4
    else:
        return None
    return min(255, 226 * light), min(255, 176 * light), min(255, 74 * light)


def render(width, height, shade):
    """Rows of RGBA with every pixel the mean of its samples."""
    rows = []
    for row in range(height):
        line = bytearray()
        for column in range(width):
            red = green = blue = covered = 0
            for j in range(SAMPLES):
                for i in range(SAMPLES):
                    color = shade(column + (i + 0.5) / SAMPLES, row + (j + 0.5) / SAMPLES)
                    if color:
                        red, green, blue = red + color[0], green + color[1], blue + color[2]
                        covered += 1
            n = max(covered, 1)
            line += bytes(round(v) for v in (red / n, green / n, blue / n, 255 * covered / SAMPLES**2))
        rows.append(bytes(line))
    return rows


def write_png(path, width, height, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    data = b"".join(b"\0" + row for row in rows)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(data, 9))
        + chunk(b"IEND", b"")
    )


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    write_png(
        folder.parent / "pipelines" / "mustache.png", 240, 96,
        render(240, 96, lambda x, y: mustache((x - 120) / 120, (y - 48) / 120)),
    )
    write_png(folder / "frame.png", 96, 96, render(96, 96, frame))


if __name__ == "__main__":
    main()
