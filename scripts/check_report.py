#!/usr/bin/env python3
"""Uses a report in a browser as a reader would: hovers, switches the metric, zooms and hides a face, at two widths and in dark
mode. Checks what the page shows, and that it sends no request.

usage: check_report.py REPORT.html [FOLDER FOR SCREENSHOTS]

Needs only chromedriver (Debian's chromium-driver). The page is one that was made with --no-video.
"""

import sys
import time
from pathlib import Path

from browser import Browser, expect


def check(page, width, dark, folder):
    name = f"{width} pixels, {'dark' if dark else 'light'}"
    browser = Browser(width, 1400, dark)
    try:
        browser.call("POST", "/url", {"url": page.resolve().as_uri()})
        time.sleep(0.3)
        expect(browser.run("return document.documentElement.scrollWidth <= innerWidth"), f"{name}: nothing sticks out")
        faces = browser.run("return document.querySelectorAll('.face').length")
        curves = browser.run("return [...document.querySelectorAll('.curve')].map(c => c.getAttribute('d'))")
        expect(faces > 0 and len(curves) == faces and all(curves), f"{name}: a curve for each of {faces} faces")
        expect(
            browser.run("return [...document.images].every(i => i.complete && i.naturalWidth > 0)"), f"{name}: pictures load")

        box = browser.run("const b = document.getElementById('chart').getBoundingClientRect(); return [b.x, b.y, b.width, b.height]")
        at = lambda share: {
            "type": "pointerMove", "duration": 50, "origin": "viewport",
            "x": int(box[0] + 50 + share * (box[2] - 70)), "y": int(box[1] + box[3] / 2)}
        browser.pointer(at(0.05))
        readout = browser.run("return document.getElementById('readout').textContent")
        expect("face" in readout and ":" in readout, f"{name}: hovering shows values ({readout})")

        before = browser.run("return document.querySelector('#chart svg').innerHTML")
        browser.run(
            "const s = document.getElementById('metric'); s.value = [...s.options].find(o => o.text === 'yaw').value;"
            "s.dispatchEvent(new Event('change'))")
        after = browser.run("return document.querySelector('#chart svg').innerHTML")
        expect(before != after and "-90" in after, f"{name}: another metric, another curve and scale")
        expect(
            "turned sideways" in browser.run("return document.getElementById('meaning').textContent"),
            f"{name}: the metric is explained")

        browser.pointer(at(0.2), {"type": "pointerDown", "button": 0}, at(0.5), {"type": "pointerUp", "button": 0})
        zoomed = browser.run("return document.querySelector('#chart svg').innerHTML")
        expect(zoomed != after, f"{name}: dragging zooms")
        browser.run("document.getElementById('zoom-all').click()")
        expect(
            browser.run("document.querySelector('.face').click(); return document.querySelectorAll('.curve').length")
            == faces - 1, f"{name}: a click hides a face's curve")
        browser.run("document.querySelector('.face').click()")
        browser.run(
            "const s = document.getElementById('metric'); s.value = [...s.options].find(o => o.text === 'smile').value;"
            "s.dispatchEvent(new Event('change'))")
        browser.run("document.querySelector('table.sortable th:nth-child(4) button').click()")
        expect(
            browser.run("return document.querySelector('th:nth-child(4)').getAttribute('aria-sort')") == "ascending",
            f"{name}: tables sort")

        requests = browser.requests()
        outside = [url for url in requests if not url.startswith(("file://" + str(page.resolve()), "data:"))]
        expect(requests and not outside, f"{name}: no request leaves the page {outside}")
        errors = browser.complaints()
        expect(not errors, f"{name}: the browser complains of nothing {errors}")
        if folder:
            browser.screenshot(folder / f"report-{width}-{'dark' if dark else 'light'}.png")
    finally:
        browser.close()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = Path(sys.argv[2]) if len(sys.argv) == 3 else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    for width in (1280, 400):
        for dark in (False, True):
            check(Path(sys.argv[1]), width, dark, folder)


if __name__ == "__main__":
    main()
