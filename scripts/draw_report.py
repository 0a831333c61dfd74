#!/usr/bin/env python3
"""Makes the pictures of the report in docs/images from the sample clip: wide, dark and narrow.

usage: draw_report.py VIDSCAN

Needs chromedriver (Debian's chromium-driver) and ffmpeg.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from browser import Browser

ROOT = Path(__file__).resolve().parent.parent
PICTURES = {
    "report": (1366, 768, False, "people"), "report-dark": (1366, 768, True, "events"),
    "report-narrow": (400, 800, False, "people"),
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [program, "analyze", "--quiet", "--pipeline", "interview", "--report", "--output", folder, ROOT / "samples/faces.mp4"],
            check=True)
        page = Path(folder) / "faces.mp4.vidscan/report.html"
        for name, (width, height, dark, tab) in PICTURES.items():
            browser = Browser(width, height, dark)
            try:
                browser.open(page, "document.body.dataset.ready === 'true' && document.getElementById('video').readyState >= 2")
                browser.run(
                    "window.vidscanReview.seek(12.8); document.getElementById('tab-' + arguments[0]).click();"
                    "for (const box of document.querySelectorAll('#layers input')) if (!box.checked) box.click()", tab)
                time.sleep(1)
                subprocess.run(
                    ["ffmpeg", "-v", "error", "-y", "-f", "png_pipe", "-i", "-", "-q:v", "4", ROOT / f"docs/images/{name}.jpg"],
                    input=browser.picture(), check=True)
            finally:
                browser.close()
            print(f"docs/images/{name}.jpg")


if __name__ == "__main__":
    main()
