#!/usr/bin/env python3
"""Covers something by hand in a browser as a person would, and checks that the new video hides it.

usage: check_covers.py [--pictures FOLDER] VIDSCAN

On a clip whose sound begins before its picture: draws a box with the mouse, moves it at a later picture with mouse and keys,
takes back and makes again, reloads, saves, runs the commands that the page gives, and compares the file and the pixels. Then
draws a release on the hidden video. No request leaves the page, and the browser complains of nothing, at three window sizes.

Needs chromedriver (Debian's chromium-driver), ffmpeg, and numpy (samples/notebook-requirements.txt).
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

from browser import Browser, expect
from check_review import RIGHT, ROOT, click, gray, vidscan, with_shift

READY = "document.body.dataset.ready === 'true' && ['video', 'hidden'].every(id => document.getElementById(id).readyState >= 2)"
NAME = 'a <b> & "c" #1.mp4'
SIZE, BEGIN = (640, 360), 0.4


def drag(browser, layer, start, end):
    """Drags from one place to another, in pixels of the video, on the original (0) or the hidden video (1)."""
    x, y, width, height = browser.run(
        "const b = document.querySelectorAll('.layer')[arguments[0]].getBoundingClientRect(); return [b.x, b.y, b.width, b.height]", layer)
    scale = min(width / SIZE[0], height / SIZE[1])
    places = [
        {"type": "pointerMove", "duration": 50, "origin": "viewport",
         "x": round(x + (width - SIZE[0] * scale) / 2 + scale * a), "y": round(y + (height - SIZE[1] * scale) / 2 + scale * b)}
        for a, b in (start, ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), end)]
    browser.pointer(places[0], {"type": "pointerDown", "button": 0}, *places[1:], {"type": "pointerUp", "button": 0})
    time.sleep(0.2)


def seek(browser, at):
    browser.run("window.vidscanCovers.seek(arguments[0])", at)
    time.sleep(0.6)
    return browser.run("return [window.vidscanCovers.shown, document.getElementById('hidden').currentTime]")


def saved(browser, folder):
    """Saves, and returns the file and the commands."""
    before = set(folder.glob("covers-*.json"))
    click(browser, "#save")
    for _ in range(50):
        time.sleep(0.1)
        new = set(folder.glob("covers-*.json")) - before
        if new:
            path = new.pop()
            return path, json.loads(path.read_text()), browser.run("return document.getElementById('commands').textContent")
    expect(False, "the file is saved")


def near(box, expected):
    return all(abs(a - b) <= 3 for a, b in zip(box, expected))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vidscan", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--pictures", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name).resolve()
        ffmpeg = ["ffmpeg", "-v", "error"]
        subprocess.run([*ffmpeg, "-ss", "2.5", "-t", "1.2", "-i", ROOT / "samples/faces.mp4", "-an", work / "cut.mp4"], check=True)
        subprocess.run(
            [*ffmpeg, "-itsoffset", str(BEGIN), "-i", work / "cut.mp4", "-f", "lavfi", "-t", "1.6", "-i", "sine", "-map", "0:v",
             "-map", "1:a", "-c:v", "copy", work / NAME], check=True)
        vidscan(arguments.vidscan, "analyze", "--quiet", "--anonymize", "solid", "--output", work / "my results", work / NAME)
        result = work / "my results" / f"{NAME}.vidscan"
        page = work / "my results" / f"{NAME}.covers.html"
        vidscan(arguments.vidscan, "covers", "--quiet", result)
        browser = Browser(1366, 768, False)
        try:
            browser.call("POST", "/goog/cdp/execute", {"cmd": "Browser.setDownloadBehavior", "params": {
                "behavior": "allow", "downloadPath": str(work)}})
            browser.open(page, READY)
            shown, hidden = seek(browser, BEGIN)
            expect(abs(shown - BEGIN) < 1e-3 and hidden < 0.01, f"the hidden video begins with the picture: {shown} {hidden}")
            drag(browser, 0, (500, 200), (600, 280))
            browser.run("const k = document.getElementById('kind'); k.value = 'plate'; k.dispatchEvent(new Event('change'))")
            shown, hidden = seek(browser, 1.2)
            expect(abs(shown - hidden - BEGIN) < 0.021, f"both videos show the same picture: {shown} {hidden}")
            expect(browser.run("return document.querySelectorAll('.box.ghost').length") == 2, "the box is dashed where it covers nothing")
            drag(browser, 0, (550, 240), (450, 240))
            browser.run("document.querySelector('.box.chosen').focus()")
            with_shift(browser, RIGHT)
            keyframes = "return window.vidscanCovers.covers.list[0].keyframes.length"
            browser.run("document.activeElement.blur()")
            browser.key("u", "u")
            expect(browser.run(keyframes) == 1, "U takes back the moves")
            for _ in range(2):
                with_shift(browser, "u")
            expect(browser.run(keyframes) == 2, "shift U makes them again")
            reached = []
            seek(browser, 0.8)
            for key in "][]":
                browser.key(key)
                time.sleep(0.5)
                reached.append(browser.run("return window.vidscanCovers.shown"))
            expect(
                [abs(at - wanted) < 0.021 for at, wanted in zip(reached, (1.2, BEGIN, 1.2))] == [True] * 3,
                f"] and [ go to the keyframes {reached}")
            browser.call("POST", "/refresh", {})
            browser.open(page, READY)
            expect(browser.run(keyframes) == 2, "unsaved boxes survive a reload")
            click(browser, "#covers .go")
            expect(browser.run("return document.getElementById('follow').checked"), "a box with two keyframes follows the picture")
            click(browser, "#follow")
            path, file, commands = saved(browser, work)
            cover = file["covers"][0]
            expect(
                file["video"] == {"name": NAME, "bytes": (work / NAME).stat().st_size} and len(file["covers"]) == 1
                and {key: cover[key] for key in cover if key != "keyframes"} == {"do": "cover", "what": "plate"},
                "the file has what was drawn")
            first, last = cover["keyframes"]
            expect(near(first["box"], [500, 200, 100, 80]) and abs(first["time"] - BEGIN) < 1e-3, f"the first keyframe: {first}")
            expect(near(last["box"], [410, 200, 100, 80]) and abs(last["time"] - 1.2) < 0.05, f"the second one: {last}")
            # The page's own commands, from another folder.
            shell = f"vidscan() {{ '{arguments.vidscan}' \"$@\"; }}; " + commands.replace("~/Downloads", str(work))
            subprocess.run(["bash", "-c", shell], cwd="/", check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            record = json.loads((result / "anonymized.json").read_text())
            expect(record["method"] == "solid" and record["covers"]["count"] == 1, "the commands make the video with the same settings")
            pictures = gray(result / "anonymized.mp4", SIZE)
            for picture in (0, 10, 20):
                fraction = min(1, picture * 0.04 / (last["time"] - first["time"]))
                x, y, w, h = (round(a + fraction * (b - a)) for a, b in zip(first["box"], last["box"]))
                place = pictures[picture][y + 4:y + h - 4, x + 4:x + w - 4]
                expect(place.std() < 3 and place.mean() < 60, f"picture {picture} hides the place")
            expect(pictures[27][204:276, 414:506].std() > 3, "it is visible after the last keyframe")
            vidscan(arguments.vidscan, "covers", "--quiet", "--force", result)
            browser.open(page, READY)
            expect(
                browser.run("return [document.querySelectorAll('#covers li').length, document.getElementById('covers-state').textContent]")
                == [1, "1 box"], "a new page has the box of the file")
            browser.run("document.getElementById('kind').value = 'release'")
            seek(browser, 0.8)
            drag(browser, 1, (40, 40), (140, 140))
            _, file, _ = saved(browser, work)
            expect(
                file["covers"][0] == cover and file["covers"][1]["do"] == "release" and set(file["covers"][1]) == {"do", "keyframes"}
                and near(file["covers"][1]["keyframes"][0]["box"], [40, 40, 100, 100]), "a release is drawn on the hidden video")
            browser.key(" ")
            time.sleep(0.5)
            browser.key("k")
            time.sleep(0.5)
            shown, hidden = browser.run("return [window.vidscanCovers.shown, document.getElementById('hidden').currentTime]")
            expect(abs(shown - hidden - BEGIN) < 0.021, f"after playing, both show the same picture: {shown} {hidden}")
        finally:
            browser.close()
        for width, height, dark in ((1366, 768, True), (400, 800, False), (2560, 1400, False)):
            browser = Browser(width, height, dark)
            try:
                browser.open(page, READY)
                click(browser, "#covers .go")
                expect(browser.run("return document.documentElement.scrollWidth <= innerWidth"), f"{width}: nothing is cut off")
                outside = [url for url in browser.requests() if not url.startswith((work.as_uri(), "data:"))]
                expect(not outside, f"{width}: no request leaves the page {outside}")
                expect(not browser.complaints(), f"{width}: the browser complains of nothing")
                if arguments.pictures:
                    browser.screenshot(arguments.pictures / f"covers-{width}.png")
            finally:
                browser.close()


if __name__ == "__main__":
    main()
