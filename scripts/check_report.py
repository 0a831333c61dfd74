#!/usr/bin/env python3
"""Uses a report in a browser as a reader would: hovers, switches the metric, zooms and hides a face, at two widths and in dark
mode. Checks what the page shows, and that it sends no request.

usage: check_report.py REPORT.html [FOLDER FOR SCREENSHOTS]

Needs only chromedriver (Debian's chromium-driver), to which it speaks WebDriver over HTTP.
"""

import base64
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path


class Browser:
    """A session of headless Chromium."""

    def __init__(self, width, height, dark):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.base = f"http://127.0.0.1:{line.split('port')[1].strip(' .' + chr(10))}"
                break
        else:
            sys.exit("check_report: chromedriver did not start")
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},{height}"]
        if dark:
            arguments.append("--blink-settings=preferredColorScheme=0")
        made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"}}}})
        self.base += f"/session/{made['sessionId']}"
        # A window is at least about 500 pixels wide; the viewport can be narrower.
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}})
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]}})

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            sys.exit(f"check_report: {json.load(error)['value']['message'].splitlines()[0]}")

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def pointer(self, *actions):
        self.call("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": list(actions)}]})

    def screenshot(self, path):
        Path(path).write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def close(self):
        self.call("DELETE", "")
        self.driver.terminate()
        self.driver.wait()


def expect(condition, what):
    if not condition:
        sys.exit(f"check_report: failed: {what}")
    print(f"ok: {what}")


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

        requests = [
            json.loads(entry["message"])["message"]["params"]["request"]["url"] for entry in browser.log("performance")
            if '"Network.requestWillBeSent"' in entry["message"]]
        outside = [url for url in requests if not url.startswith(("file://" + str(page.resolve()), "data:"))]
        expect(requests and not outside, f"{name}: no request leaves the page {outside}")
        errors = [entry["message"] for entry in browser.log("browser") if entry["level"] in ("SEVERE", "WARNING")]
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
