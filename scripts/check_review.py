#!/usr/bin/env python3
"""Uses reports with and without their video in a browser as people would, and checks what they show.

usage: check_review.py [--seeks N] [--pictures FOLDER] VIDSCAN

For the sample clip, and a rotated, an anamorphic and a variable-frame-rate variant of it, at three window sizes: goes to N
random samples (50), and checks that the picture is that very frame, as ffmpeg decodes it, that it lies where it should to
less than a pixel, and that the box drawn on it lies within 3 pixels of the place that faces.csv gives. Then: every key, each
correction by clicks, twice with `vidscan apply` between, times typed in six ways, two tabs, space after each kind of click,
ten fast steps, links, print, names that try to do harm, 180,000 rows at 50 frames per second, 1,000 people, and a page without
the video at two sizes; no request, no message of the browser.

Needs chromedriver (Debian's chromium-driver), with --firefox firefox-esr, ffmpeg, and numpy (samples/notebook-requirements.txt).
"""

import argparse
import csv
import json
import random
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy

import browser as browsers
from browser import expect

ROOT = Path(__file__).resolve().parent.parent
Browser = browsers.Browser
SIZES = [(1440, 1000), (900, 1100), (400, 800)]
READY = "document.body.dataset.ready === 'true' && (!document.getElementById('video') || document.getElementById('video').readyState >= 2)"
LEFT, RIGHT, HOME, END, SHIFT = "\ue012", "\ue014", "\ue011", "\ue010", "\ue008"


def vidscan(program, *arguments):
    subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def rows(result, table="faces.csv"):
    with open(Path(result) / table, newline="") as file:
        return list(csv.DictReader(file))


def gray(source, size=None, data=None):
    """Decodes all pictures of a file, or of a PNG in memory, to gray."""
    scale = ["-vf", f"scale={size[0]}:{size[1]}:flags=bilinear,format=gray"] if size else ["-vf", "format=gray"]
    if data is None:
        shape = subprocess.run(
            ["ffmpeg", "-v", "error", "-i", source, "-vsync", "passthrough", *scale, "-f", "rawvideo", "-"],
            check=True, capture_output=True).stdout
        return numpy.frombuffer(shape, numpy.uint8).reshape(-1, size[1], size[0])
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "png_pipe", "-i", "-", *scale, "-f", "rawvideo", "-"], input=data, check=True,
        capture_output=True).stdout
    width, height = (int.from_bytes(data[at:at + 4], "big") for at in (16, 20))
    return numpy.frombuffer(raw, numpy.uint8).reshape(height, width)


def shown_time(browser):
    """The time of the picture, when no seek is under way."""
    for _ in range(100):
        time.sleep(0.03)
        if browser.run("const v = document.getElementById('video'); return !v.seeking && v.readyState >= 2"):
            break
    time.sleep(0.06)
    minutes = browser.run("return document.getElementById('time').textContent").split(":")
    return sum(float(part) * 60 ** power for power, part in enumerate(reversed(minutes)))


# The extent of what is drawn on the overlay, in CSS pixels of the picture.
BOUNDS = """
const canvas = document.getElementById('overlay'), density = canvas.width / canvas.clientWidth;
const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
let [left, top, right, bottom] = [width, height, -1, -1];
for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) if (data[4 * (y * width + x) + 3] > 127) {
  left = Math.min(left, x); right = Math.max(right, x); top = Math.min(top, y); bottom = Math.max(bottom, y);
}
return right < 0 ? null : [left, top, right + 1, bottom + 1].map(value => value / density);
"""
PLACE = "const b = document.getElementById('picture').getBoundingClientRect(); return [b.x, b.y, b.width, b.height]"


def only_layers(browser, *wanted):
    browser.run(
        "for (const box of document.querySelectorAll('#layers input')) "
        "if (box.checked !== arguments[0].includes(box.dataset.layer)) box.click()", list(wanted))


def check_frames(program, work, name, video, seeks):
    """Goes to random samples, and compares the picture and the boxes."""
    result = work / f"{name}.out" / f"{video.name}.vidscan"
    vidscan(program, "analyze", "--quiet", "--every-frame", "--output", result.parent, video)
    vidscan(program, "report", "--quiet", result)
    record = json.loads((result / "run.json").read_text())["video"]
    upright = (record["display_width"], record["display_height"])
    times = [float(row["time"]) for row in rows(result, "frames.csv")]
    faces = {}
    for row in rows(result):
        faces.setdefault(float(row["time"]), []).append([float(row[key]) for key in ("x", "y", "width", "height")])
    chance = random.Random(name)
    for width, height in SIZES:
        browser = Browser(width, height, False)
        try:
            browser.open(result / "report.html", READY)
            x, y, w, h = browser.run(PLACE)
            scale = min(w / upright[0], h / upright[1])
            size = (round(upright[0] * scale), round(upright[1] * scale))
            decoded = gray(video, size).astype(numpy.int16)
            expect(len(decoded) == len(times), f"{name} at {width}: ffmpeg decodes as many frames as were analysed")
            worst = {"box": 0.0, "place": 0, "wrong": 0}
            for _ in range(seeks):
                index = chance.randrange(len(times))
                only_layers(browser)
                browser.run("window.vidscanReview.seek(arguments[0])", times[index])
                at = shown_time(browser)
                if abs(at - times[index]) > 0.0006:
                    worst["wrong"] += 1
                    print(f"{name} at {width}: went to {times[index]}, but the picture's time is {at}")
                    continue
                image = gray(None, data=browser.picture()).astype(numpy.int16)
                left, top = x + (w - size[0]) / 2, y + (h - size[1]) / 2
                errors = {}
                for near in range(max(0, index - 2), min(len(times), index + 3)):
                    for dx in (-2, -1, 0, 1, 2):
                        for dy in (-2, -1, 0, 1, 2):
                            if near != index and (dx or dy):
                                continue
                            a, b = round(left) + dx, round(top) + dy
                            inner = image[max(0, b) + 8:min(b + size[1] - 8, image.shape[0]), a + 8:a + size[0] - 8]
                            own = decoded[near][max(0, -b) + 8:, 8:size[0] - 8][:inner.shape[0]]
                            errors[near, dx, dy] = abs(inner[::3, ::3] - own[::3, ::3]).mean()
                best = min(errors, key=errors.get)
                # Neighbouring frames may be almost the same picture, and browsers scale differently from ffmpeg.
                if best[0] != index and errors[best] < 0.7 * errors[index, 0, 0]:
                    worst["wrong"] += 1
                    print(f"{name} at {width}: at {times[index]} is the frame of {times[best[0]]}: {errors[best]} {errors[index, 0, 0]}")
                worst["place"] = max(worst["place"], abs(best[1]) if best[0] == index else 0, abs(best[2]) if best[0] == index else 0)
                only_layers(browser, "boxes")
                drawn, boxes = browser.run(BOUNDS), faces.get(times[index], [])
                if not boxes:
                    worst["box"] = max(worst["box"], 99 if drawn else 0)
                    continue
                if not drawn:
                    worst["box"] = 99
                    continue
                expected = [
                    min(box[0] for box in boxes), min(box[1] for box in boxes),
                    max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)]
                offset = [(w - upright[0] * scale) / 2, (h - upright[1] * scale) / 2]
                limits = [w, h]
                for side, (have, want) in enumerate(zip(drawn, expected)):
                    # Half of the line lies outside of the box; beyond the picture, nothing is drawn.
                    have += 2 if side < 2 else -2
                    want = offset[side % 2] + want * scale
                    if 2 < want < limits[side % 2] - 2:
                        worst["box"] = max(worst["box"], abs(have - want))
            expect(
                worst["wrong"] == 0 and worst["place"] <= 1 and worst["box"] <= 2,
                f"{name} at {width}x{height}: {seeks} samples show their frame (off by {worst['place']} px at most) and their"
                f" boxes (off by {worst['box']:.1f} px at most; {worst['wrong']} wrong)")
            # This script reads the canvas back often, which the browser advises against.
            complaints = [line for line in browser.complaints() if "willReadFrequently" not in line]
            expect(not complaints, f"{name} at {width}: the browser complains of nothing {complaints}")
        finally:
            browser.close()


def result_of(program, work, video, *options):
    """Analyses a video, and makes its page."""
    result = work / f"{len(list(work.iterdir()))}.out" / f"{video.name}.vidscan"
    vidscan(program, "analyze", "--quiet", *options, "--output", result.parent, video)
    vidscan(program, "report", "--quiet", result)
    return result


def click(browser, selector, x=None, y=None):
    """Moves the pointer to an element, or to a place in it in shares of its size, and clicks."""
    browser.run("document.querySelector(arguments[0]).scrollIntoView({ block: 'center', behavior: 'instant' })", selector)
    left, top, width, height = browser.run(
        "const b = document.querySelector(arguments[0]).getBoundingClientRect(); return [b.x, b.y, b.width, b.height]",
        selector)
    browser.pointer(
        {"type": "pointerMove", "duration": 30, "origin": "viewport", "x": round(left + width * (0.5 if x is None else x)),
         "y": round(top + height * (0.5 if y is None else y))},
        {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0})
    time.sleep(0.1)


def fill(browser, selector, text):
    click(browser, selector)
    browser.key(*text)


def state(browser):
    shown_time(browser)
    return browser.run(
        "const v = document.getElementById('video'), r = window.vidscanReview;"
        "return { at: r.shown, paused: v.paused, rate: v.playbackRate, muted: v.muted, full: !!document.fullscreenElement,"
        " keys: document.getElementById('keys').open, corrections: r.corrections.list.length, view: r.view }")


def with_shift(browser, key):
    browser.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
        {"type": "keyDown", "value": SHIFT}, {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key},
        {"type": "keyUp", "value": SHIFT}]}]})


def check_keys(program, work):
    """Presses every key that the page lists."""
    result = result_of(program, work, work / "faces.mp4")
    times = [float(row["time"]) for row in rows(result, "frames.csv")]
    events = sorted({float(row["time"]) for row in rows(result, "events.csv")})
    browser = Browser(1280, 1000, False)
    tried = set()

    def press(name, *keys):
        tried.add(name)
        if keys[0] == SHIFT:
            with_shift(browser, keys[1])
        else:
            browser.key(*keys)
        return state(browser)

    def near(a, b):
        return abs(a - b) < 0.0006

    def arrives(time, what):
        """A picture may be presented long after a seek has ended if other programs keep the processor busy."""
        for _ in range(50):
            at = state(browser)["at"]
            if near(at, time):
                break
        expect(near(at, time), f"{what} ({at}; {time})")

    try:
        browser.open(result / "report.html", READY)
        listed = set(browser.run("return [...document.querySelectorAll('#key-list kbd')].map(k => k.textContent)"))
        expect(near(press("end", END)["at"], times[-1]), "end goes to the last sample")
        expect(near(press("home", HOME)["at"], times[0]), "home goes to the first sample")
        expect(near(press("→", RIGHT)["at"], times[1]), "right goes to the next sample")
        press("→", RIGHT)
        expect(near(press("←", LEFT)["at"], times[1]), "left goes to the previous sample")
        before = state(browser)["at"]
        expect(near(press("shift →", SHIFT, RIGHT)["at"], before + 1), "shift and right go one second on")
        expect(near(press("shift ←", SHIFT, LEFT)["at"], before), "shift and left go one second back")
        browser.key(".")
        time.sleep(0.8)
        expect(near(press("←", LEFT)["at"], times[1]) and near(before, times[1]), "a point leaves the sample's picture")
        browser.key(".")
        time.sleep(0.8)
        tried.add(".")
        expect(near(state(browser)["at"], before + 0.04), "a point goes to the next picture, 40 ms later")
        expect(near(press(",", ",")["at"], before), "a comma goes to the picture before")
        expect(near(press("]", "]")["at"], min(t for t in events if t > before + 1e-3)), "] goes to the next event")
        at = state(browser)["at"]
        expect(near(press("[", "[")["at"], max(t for t in events if t < at - 1e-3)), "[ goes to the event before")
        whole = state(browser)["view"]
        zoomed = press("+", "+")["view"]
        expect(zoomed[1] - zoomed[0] < 0.6 * (whole[1] - whole[0]), "plus zooms in")
        expect(press("−", "-")["view"][1] > zoomed[1], "minus zooms out")
        press("+", "+")
        expect(press("0", "0")["view"] == whole, "0 shows all")
        expect(press("M", "m")["muted"], "M switches the sound off")
        playing = press("space", " ")
        expect(not playing["paused"], "space plays")
        expect(press("K", "k")["paused"], "K pauses")
        expect(not press("L", "l")["paused"], "L plays")
        expect(press("L", "l")["rate"] == 2, "L again plays faster")
        expect(press("space", " ")["paused"], "space pauses")
        expect("Paused" in browser.run("return document.getElementById('playback').textContent"), "the page says that it is paused")
        press(">", ">")
        expect(press("space", " ")["rate"] == 4 and press("<", "<")["rate"] == 2 and press("<", "<")["rate"] == 1.5, "< and > change the speed")
        expect("Playing 1.5" in browser.run("return document.getElementById('playback').textContent"), "the speed is shown")
        press("<", "<")
        press("K", "k")
        browser.run("window.vidscanReview.seek(4)")
        press("A", "a")
        browser.run("window.vidscanReview.seek(4.6)")
        press("B", "b")
        press("space", " ")
        time.sleep(1.5)
        expect(3.9 < press("K", "k")["at"] < 4.7, "A and B make a loop")
        press("R", "r")
        expect(browser.run("return document.getElementById('only').value") == "", "R ends it")
        # Ten fast presses are ten pictures.
        browser.run("window.vidscanReview.seek(2)")
        begin = state(browser)["at"]
        for _ in range(10):
            browser.key(".")
            time.sleep(0.07)
        arrives(begin + 0.4, "ten steps at about ten per second move ten pictures")
        for _ in range(10):
            browser.key(",")
        arrives(begin, "ten steps back go back to where they began")
        # A key is pressed between the end of a seek and its announcement, while another wish waits.
        browser.run(
            "const v = document.getElementById('video'), r = window.vidscanReview; r.seek(3); r.seek(5);"
            "Object.defineProperty(v, 'seeking', { get: () => false, configurable: true }); r.seek(4); delete v.seeking")
        arrives(4, "of several wishes, the last is fulfilled")
        browser.run("window.vidscanReview.seek(arguments[0])", begin)
        arrives(begin, "it goes back")
        at = browser.run(
            "const v = document.getElementById('video'), begin = performance.now(); return new Promise(done => {"
            " v.requestVideoFrameCallback(() => done(performance.now() - begin));"
            " dispatchEvent(new KeyboardEvent('keydown', { key: '.' })); })")
        print(f"a step forward takes {at:.0f} ms")
        expect(at < 250, "a step forward is as fast as one back")
        # Whatever was clicked, space plays.
        for target in ("#play", "#mute", "#tab-events", ".event", "#tab-people", "#people input", "#speed", "#seek", "#zoom-in",
                       "#zoom-all", "#area", "#layers input", ".lane-name", "#metric", "#border"):
            if target == "#layers input":
                click(browser, ".menu summary")
            click(browser, target)
            if target in ("#speed", "#metric"):
                browser.key("\ue00c")
            browser.key("k")
            browser.key(" ")
            expect(not state(browser)["paused"], f"space plays after a click on {target}")
            browser.key("k")
        browser.run("document.querySelector('.menu').open = false")
        browser.key("\ue004")
        browser.run("document.getElementById('mute').focus()")
        muted = state(browser)["muted"]
        browser.key(" ")
        expect(state(browser)["muted"] != muted and state(browser)["paused"], "a control that was reached with tab is pressed by space")
        browser.run("document.activeElement.blur()")
        for name in ("Y", "N", "S", "esc"):
            press(name, "\ue00c" if name == "esc" else name.lower())
        browser.run("window.vidscanReview.seek(10)")
        before = state(browser)["at"]
        browser.key("j")
        tried.add("J")
        time.sleep(0.8)
        browser.key("k")
        expect(before - 3 < state(browser)["at"] < before - 0.3, "J plays backward")
        expect(press("F", "f")["full"], "F fills the screen")
        expect(not press("F", "f")["full"], "F again does not")
        browser.run("window.vidscanReview.corrections.add({ do: 'note', time: 1, text: 'x' })")
        expect(press("U", "u")["corrections"] == 0, "U takes the last correction back")
        said = "return document.getElementById('toast').className + document.getElementById('said').textContent"
        expect(browser.run(said) == "Taken back: note at 0:01.00: x", "the page says what was taken back")
        expect(press("shift U", SHIFT, "u")["corrections"] == 1, "with shift, U makes it again")
        press("U", "u")
        expect(press("?", "?")["keys"], "? shows the keys")
        expect(tried == listed, f"every key that is listed was pressed {tried ^ listed}")
        expect(not browser.complaints(), "the browser complains of nothing")
    finally:
        browser.close()


def check_corrections(program, work):
    """Makes each correction by clicks, saves them, applies them, and looks at the tables."""
    result = result_of(program, work, work / "faces.mp4", "--rate", "5")
    original = {path.name: path.read_bytes() for path in result.iterdir() if path.suffix == ".csv"}
    browser = Browser(1440, 1200, False)
    try:
        browser.call("POST", "/goog/cdp/execute", {"cmd": "Browser.setDownloadBehavior", "params": {
            "behavior": "allow", "downloadPath": str(work)}})
        browser.open(result / "report.html", READY)
        # The second person's track is split where she comes back, and that half is joined with it again.
        click(browser, "#lane-names button:first-child")
        expect(browser.run("return !document.getElementById('face').hidden"), "a click on a lane's name opens the panel of the face")
        at = browser.run("return window.vidscanReview.shown")
        expect(at == 0, f"and leaves the playhead where it is ({at})")
        browser.run("window.vidscanReview.seek(9.8)")
        state(browser)
        click(browser, "#split")
        people = browser.run("return [...window.vidscanReview.model.people.keys()]")
        expect(people == [1, 2, 3], f"a split makes another person {people}")
        fill(browser, "#name", 'a"b')
        click(browser, "#form-name button")
        expect("quotation marks" in browser.run(SAID), "a name that vidscan would refuse is refused")
        browser.run("document.getElementById('name').value = ''")
        fill(browser, "#name", "P<b>01</b> & Ann")
        click(browser, "#form-name button")
        expect(
            browser.run("return [...document.querySelectorAll('#people .name')].map(n => n.textContent)").count(
                'P<b>01</b> & Ann') == 1, "a name with markup is shown as it is")
        # The face that passes through the picture at the end is in the right half.
        click_face(browser, 17.8)
        expect("track 3" in browser.run("return document.getElementById('selected').textContent"), "a click on a face selects it")
        browser.run("[...document.querySelectorAll('#others button')].find(b => b.textContent === 'Person 2' || b.textContent.includes('Ann')).click()")
        expect(browser.run("return [...window.vidscanReview.model.people.keys()]") == [1, 2], "joining makes them one person")
        click(browser, "#somebody-else")
        expect(browser.run("return window.vidscanReview.model.people.size") == 3, "saying that they are not separates them again")
        click(browser, "#undo-said")
        expect(browser.run("return [...window.vidscanReview.model.people.keys()]") == [1, 2], "undo joins them again")
        click(browser, "#redo-said")
        expect(browser.run("return window.vidscanReview.model.people.size") == 3, "redo separates them once more")
        click(browser, "#undo-said")
        click(browser, "#close-face")
        click(browser, "#tab-correct")
        check_times(browser)
        exclude(browser, "0:00,5", "1.1")
        browser.run("window.vidscanReview.seek(0.8)")
        state(browser)
        tracks = "const m = window.vidscanReview.model; return [m.tracks.length, m.problems.length]"
        count, _ = browser.run(tracks)
        click(browser, "#lane-names button:nth-child(2)")
        click(browser, "#no-face")
        expect(browser.run(tracks) == [count - 1, 0], "in an excluded time, a correction names its face by the nearest sample that is left")
        click(browser, "#undo-said")
        browser.run("window.vidscanReview.seek(2)")
        state(browser)
        fill(browser, "#note", "laughs <script>alert(1)</script>")
        click(browser, "#form-note button")
        click_face(browser, 2)
        click(browser, "#no-face")
        kinds = browser.run("return window.vidscanReview.corrections.list.map(c => c.do)")
        expect(kinds == ["split", "name", "same_person", "exclude", "note", "not_a_face"], f"six corrections are listed {kinds}")
        # They survive the page.
        reload(browser)
        expect(browser.run("return window.vidscanReview.corrections.list.length") == 6, "they are still there after a reload")
        saved = save(browser, work)
        others = json.loads(saved.read_text())
        others["video"]["bytes"] += 1
        browser.run("return window.vidscanReview.corrections.open(new File([arguments[0]], 'others.json'))", json.dumps(others))
        expect("another video" in browser.run(SAID), f"corrections of another video are not opened: {browser.run(SAID)}")
        model = browser.run(
            "const m = window.vidscanReview.model; return m.tracks.map(t => [t.id, t.person, t.to - t.from]).sort()")
        expect(not browser.complaints(), "the browser complains of nothing")

        vidscan(program, "apply", "--quiet", result, saved)
        faces = rows(result)
        counted = {}
        for row in faces:
            counted.setdefault((int(row["face_id"]), int(row["person_id"])), []).append(float(row["time"]))
        expect(all(not 0.5 <= at <= 1.1 for times in counted.values() for at in times), "no face is left in the excluded time")
        expect(
            sorted([face, person, len(times)] for (face, person), times in counted.items()) == model,
            f"the tables have the tracks and people that the page shows {model}")
        first = {name: (result / name).read_bytes() for name in original}

        # The second round begins with what the tables contain.
        vidscan(program, "report", "--quiet", "--force", result)
        reload(browser)
        expect(
            browser.run("const c = window.vidscanReview.corrections; return [c.list.length, c.applied.length, window.vidscanReview.model.problems.length]")
            == [0, 6, 0], "after apply, six corrections are in the tables, and none is new")
        click(browser, "#tab-correct")
        second = save(browser, work)
        vidscan(program, "apply", "--quiet", result, second)
        expect(
            second != saved and all((result / name).read_bytes() == data for name, data in first.items()),
            "saved again without a change, they give the same tables")
        exclude(browser, "0:15", "0:16.5")
        browser.run("document.getElementById('applied-part').open = true")
        take_back = "[...document.querySelectorAll('#applied li')].find(l => l.textContent.includes('exclude')).querySelector('.small').click()"
        browser.run(take_back)
        browser.run("[...document.querySelectorAll('#applied li')].find(l => l.textContent.includes('no face')).querySelector('.small').click()")
        kinds = [item["do"] for item in json.loads(save(browser, work).read_text())["corrections"]]
        expect(kinds == ["split", "name", "same_person", "note", "exclude"], f"the file lacks what was taken back {kinds}")
        command = browser.run("return document.getElementById('commands').textContent")
        expect(f"vidscan apply {result} ~/Downloads/corrections-" in command and f"vidscan report --force {result}" in command, f"the page gives the commands: {command}")
        vidscan(program, "apply", "--quiet", result, newest(work))
        vidscan(program, "report", "--quiet", "--force", result)
        reload(browser)
        expect(
            browser.run("const c = window.vidscanReview.corrections; return [c.list.length, c.applied.length]") == [0, 5]
            and any(float(row["time"]) < 1.1 for row in rows(result)), "after the second round, the tables have what the page said")
        check_tabs(browser, result)
        expect(not browser.complaints(), "the browser complains of nothing")
    finally:
        browser.close()
    vidscan(program, "apply", "--quiet", "--undo", result)
    expect(
        all((result / name).read_bytes() == data for name, data in original.items()), "--undo gives every table's bytes back")


SAID = "return document.getElementById('said').textContent"


def click_face(browser, at):
    """Clicks the first face that is visible at a time."""
    browser.run("window.vidscanReview.seek(arguments[0])", at)
    state(browser)
    box = browser.run("return window.vidscanReview.boxes(arguments[0])[0]", at)
    _, _, width, height = browser.run(PLACE)
    scale = min(width / 640, height / 360)
    left, top = (width - 640 * scale) / 2, (height - 360 * scale) / 2
    click(browser, "#picture", (left + scale * (box[0] + box[2] / 2)) / width, (top + scale * (box[1] + box[3] / 2)) / height)


def reload(browser):
    browser.call("POST", "/refresh", {})
    for _ in range(100):
        if browser.run(f"return {READY}"):
            return
        time.sleep(0.1)


def newest(work):
    return max(work.glob("corrections-*.json"), key=lambda path: path.stat().st_mtime_ns, default=None)


def save(browser, work):
    """Saves the corrections, and returns their file, whose name has the time in seconds."""
    time.sleep(1.1)
    before = newest(work)
    click(browser, "#tab-correct")
    click(browser, "#save")
    for _ in range(50):
        if newest(work) != before:
            return newest(work)
        time.sleep(0.1)
    expect(False, "a file of corrections was saved")


def exclude(browser, first, last):
    for field, text in (("#exclude-from", first), ("#exclude-to", last)):
        browser.run("document.querySelector(arguments[0]).value = ''", field)
        fill(browser, field, text)
    click(browser, "#form-exclude button:last-child")


def check_times(browser):
    """Types times in the ways that people write them, and in some that cannot be meant."""
    for first, last, seconds in (
            ("3", "5.25", [3, 5.25]), ("3,5", "5", [3.5, 5]), ("0:03", "0:05", [3, 5]), ("0:03,5", "0:05.75", [3.5, 5.75]),
            ("0:00:03", "0:00:05.5", [3, 5.5]), (" 00:03 ", "000:05", [3, 5])):
        exclude(browser, first, last)
        item = browser.run("return window.vidscanReview.corrections.list.at(-1)")
        expect([item.get("from"), item.get("to")] == seconds, f"{first} to {last} is {seconds}")
        browser.key("\ue004")
        click(browser, "#undo")
    count = browser.run("return window.vidscanReview.corrections.list.length")
    for first, last in (("9", "999"), ("0:75", "0:80"), ("3:5", "4"), ("5", "3"), ("", "5"), ("three", "5"), ("1:2:03", "5"), ("-1", "5")):
        exclude(browser, first, last)
        expect(browser.run("return window.vidscanReview.corrections.list.length") == count and browser.run(SAID), f"{first} to {last} is refused: {browser.run(SAID)}")
    browser.run("document.getElementById('exclude-from').value = document.getElementById('exclude-to').value = ''")


def check_tabs(browser, result):
    """Two tabs of one page keep each other's corrections."""
    first = browser.call("GET", "/window")
    other = browser.call("POST", "/window/new", {"type": "tab"})["handle"]
    note = "window.vidscanReview.corrections.add({ do: 'note', time: 1, text: arguments[0] })"
    notes = "return window.vidscanReview.corrections.list.map(c => c.text)"
    browser.call("POST", "/window", {"handle": other})
    browser.open(result / "report.html", READY)
    browser.run(note, "one")
    browser.call("POST", "/window", {"handle": first})
    time.sleep(0.3)
    expect(browser.run(notes) == ["one"], f"what one tab adds, the other shows {browser.run(notes)}")
    browser.run(note, "two")
    browser.call("POST", "/window", {"handle": other})
    time.sleep(0.3)
    expect(browser.run(notes) == ["one", "two"], "and both have all")
    browser.run("window.vidscanReview.corrections.undo()")
    expect(browser.run(notes) == ["two"], "undo takes back what its own tab did")
    browser.run("window.vidscanReview.corrections.redo()")
    browser.call("POST", "/window", {"handle": first})
    time.sleep(0.3)
    expect(browser.run(notes) == ["one", "two"], "redo makes it again, in its place")


def check_names(program, work):
    """A name that tries to do harm."""
    name = "<img src=x onerror=alert(1)> \"q\" 'q' & \u202etxt\u202c \u05e9\u05dc\u05d5\u05dd \U0001f3ad %41 #1.mp4"
    shutil.copy(work / "faces.mp4", work / name)
    result = result_of(program, work, work / name)
    browser = Browser(1000, 900, False)
    try:
        browser.open(result / "report.html", READY)
        expect("\U0001f3ad %41 #1.mp4" in browser.run("return document.querySelector('h1').textContent"), "a hostile name is text")
        expect(browser.run("return document.getElementById('video').videoWidth") == 640, "its video plays")
        expect(browser.run("return document.images.length === document.querySelectorAll('img[src^=\"data:\"]').length"), "it makes no picture")
        expect(not browser.complaints(), "the browser complains of nothing")
        outside = [url for url in browser.requests() if not url.startswith(("data:", "blob:")) and not url.startswith(work.as_uri())]
        expect(not outside, f"no request leaves the page {outside}")
    finally:
        browser.close()


def large_result(program, work, samples, people, visible=None):
    """Makes a result of so many samples and people by repeating the rows of a real one. With `visible`, the people
    come one after another, so many at a time."""
    result = result_of(program, work, work / "faces.mp4")
    faces, frames, tracks = rows(result), rows(result, "frames.csv"), rows(result, "tracks.csv")
    chance = random.Random(1)
    first = list(faces[0]).index("presence") + 1
    noisy = [
        key for key in list(faces[0])[first:]
        if key not in ("dominant_emoji", "measured_from", "looks_at_camera", "looks_at") and not key.endswith("_closed") and key not in ("has_smile", "yaw", "pitch", "roll")]
    # Action units are hundredths of expressions, and the page relies on it.
    units = {
        unit: key for unit in noisy if unit.startswith("AU") for key in noisy
        if all(row[unit] and row[key] and abs(100 * float(row[unit]) - float(row[key])) < 1e-6 for row in faces[:50])}
    noisy = [key for key in noisy if key not in units]
    high = {key: 1 if key.startswith("AU") else 100 if not key.endswith(("_x", "_y")) else 1e6 for key in noisy}
    noise = {key: 0.01 if key.startswith("AU") else 1 for key in noisy}

    def write(name, header, lines):
        with open(result / name, "w", newline="") as file:
            writer = csv.DictWriter(file, header, lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)

    def who(sample):
        if visible is None:
            return range(1, people + 1)
        first = sample * people // samples // visible * visible + 1
        return range(first, min(first + visible, people + 1))

    spans = {}
    for sample in range(samples):
        for person in who(sample):
            spans.setdefault(person, [sample, sample])[1] = sample

    def many():
        for sample in range(samples):
            for person in who(sample):
                row = dict(faces[(sample + 7 * person) % len(faces)])
                row.update(time=f"{sample / 5:.6f}", frame=sample * 5, face_id=person, person_id=person)
                # As noisy as a real face.
                for key in noisy:
                    if row[key]:
                        row[key] = f"{min(high[key], max(0, float(row[key]) + chance.gauss(0, noise[key]))):.4f}"
                row.update((unit, row[key] and f"{float(row[key]) / 100:.6f}") for unit, key in units.items())
                yield row

    write("faces.csv", faces[0].keys(), many())
    write("frames.csv", frames[0].keys(), (
        dict(frames[0], time=f"{sample / 5:.6f}", frame=sample * 5, faces=len(who(sample))) for sample in range(samples)))
    write("tracks.csv", tracks[0].keys(), (
        dict(tracks[0], face_id=person, person_id=person, first_time=f"{begin / 5:.6f}", last_time=f"{end / 5:.6f}",
             best_time=f"{begin / 5:.6f}", samples=end - begin + 1) for person, (begin, end) in spans.items()))
    write("events.csv", rows(result, "events.csv")[0].keys(), (
        dict(rows_of_event, time=f"{index / 2:.6f}", face_id=1 + index % people, kind="blink", value="")
        for index, rows_of_event in enumerate([rows(result, "events.csv")[0]] * int(samples / 5 * 2))))
    record = json.loads((result / "run.json").read_text())
    record["video"]["duration_seconds"] = samples / 5
    record["counts"].update(faces=sum(len(who(sample)) for sample in range(samples)), sampled_frames=samples, face_ids=people, person_ids=people)
    (result / "run.json").write_text(json.dumps(record))
    return result


PAN = """
const done = arguments[arguments.length - 1], area = document.getElementById('area'), box = area.getBoundingClientRect();
const review = window.vidscanReview, drawn = review.drawing.count, begin = performance.now(), gaps = [];
let step = 0, last = begin;
const send = (type, x) => area.dispatchEvent(new PointerEvent(type, { pointerId: 1, isPrimary: true, button: 0, shiftKey: true, clientX: x, clientY: box.y + 60, bubbles: true }));
area.setPointerCapture = () => {};
send('pointerdown', box.x + box.width * 0.9);
const next = now => {
  gaps.push(now - last);
  last = now;
  send('pointermove', box.x + box.width * (0.9 - 0.6 * Math.abs(Math.sin(++step / 40))));
  if (now - begin < 3000) return requestAnimationFrame(next);
  send('pointerup', box.x + box.width * 0.3);
  gaps.sort((a, b) => a - b);
  done([1000 * (review.drawing.count - drawn) / (now - begin), gaps[Math.floor(gaps.length * 0.95)]]);
};
requestAnimationFrame(next);
"""


def check_speed(program, work):
    """An hour at five samples per second with ten people."""
    result = large_result(program, work, 18000, 10)
    begin = time.time()
    vidscan(program, "report", "--quiet", "--force", "--no-thumbnails", result)
    print(f"180,000 rows: a page of {(result / 'report.html').stat().st_size / 1e6:.1f} MB in {time.time() - begin:.1f} s")
    browser = Browser(1440, 1000, False)
    try:
        begin = time.time()
        browser.open(result / "report.html", READY)
        print(f"180,000 rows: ready after {time.time() - begin:.1f} s")
        for zoom in (1, 4, 40):
            browser.run("const r = window.vidscanReview; r.setView(1000, 1000 + 3600 / arguments[0])", zoom)
            time.sleep(0.3)
            rate, slow = browser.call("POST", "/execute/async", {"script": PAN, "args": []})
            # With everything in view there is nowhere to go, and nothing is drawn anew.
            expect(rate >= 50, f"180,000 rows at zoom {zoom}: {rate:.0f} frames per second while panning, 95 % within {slow:.1f} ms")
        expect(not browser.complaints(), "the browser complains of nothing")
    finally:
        browser.close()
    two = large_result(program, work, 18000, 2)
    vidscan(program, "report", "--quiet", "--force", two)
    size = (two / "report.html").stat().st_size
    expect(size < 2_000_000, f"an hour of two people: {size / 1e6:.2f} MB")
    browser = Browser(1440, 1000, False)
    try:
        browser.open(two / "report.html", READY)
        seconds = browser.run("return window.vidscanReview.readyAfter") / 1000
        expect(seconds < 1, f"an hour of two people: ready after {seconds:.2f} s")
    finally:
        browser.close()
    vidscan(program, "report", "--quiet", "--force", "--no-thumbnails", large_result(program, work, 300, 1))
    size = (sorted(work.glob("*.out"), key=lambda path: path.stat().st_mtime)[-1] / "faces.mp4.vidscan/report.html").stat().st_size
    expect(size < 300_000, f"a minute without thumbnails: {size / 1e3:.0f} kB")


def check_people(program, work):
    """A thousand people, of whom twenty are visible at a time."""
    result = large_result(program, work, 2000, 1000, visible=20)
    vidscan(program, "report", "--quiet", "--force", "--no-thumbnails", result)
    size = (result / "report.html").stat().st_size
    expect(size < 12_000_000, f"1,000 people: a page of {size / 1e6:.1f} MB")
    browser = Browser(1440, 1000, False)
    try:
        browser.open(result / "report.html", READY)
        expect("tracks.csv has the other 500" in browser.run("return document.querySelector('header').textContent"), "1,000 people: the page says who is left out")
        rate, slow = browser.call("POST", "/execute/async", {"script": PAN, "args": []})
        browser.run("window.vidscanReview.setView(30, 60)")
        time.sleep(0.3)
        lanes = browser.run("return document.querySelectorAll('.lane-name').length")
        expect(0 < lanes < 200, f"1,000 people: only those in view have lanes ({lanes})")
        rate, slow = browser.call("POST", "/execute/async", {"script": PAN, "args": []})
        expect(rate >= 30, f"1,000 people: {rate:.0f} frames per second while panning, 95 % within {slow:.1f} ms")
        fill(browser, "#person-search", "77")
        time.sleep(0.3)
        names = browser.run("return [...document.querySelectorAll('#people .name')].map(n => n.textContent)")
        expect(names and all("77" in name for name in names), f"1,000 people: search finds {len(names)} of them")
        expect(not browser.complaints(), "the browser complains of nothing")
    finally:
        browser.close()


def check_files(program, work):
    """Videos that browsers cannot play, pages without one, and pages to pass on."""
    subprocess.run(
        ["bash", ROOT / "samples/variants.sh", work / "variants", "hevc.mp4", "mpeg2.ts", "still.png"], check=True,
        stdout=subprocess.DEVNULL)
    for name in ("hevc.mp4", "mpeg2.ts"):
        result = result_of(program, work, work / "variants" / name)
        browser = Browser(1000, 900, False)
        try:
            browser.open(
                result / "report.html", "document.body.dataset.ready === 'true' && (!document.getElementById('trouble').hidden"
                " || document.getElementById('video').readyState >= 2)")
            if browser.run("return document.getElementById('trouble').hidden"):
                # Firefox plays HEVC with the system's decoder.
                expect(Browser is browsers.Firefox and name == "hevc.mp4", f"{name}: the browser plays it")
            else:
                expect("--proxy" in browser.run("return document.getElementById('trouble').textContent"), f"{name}: the page names --proxy")
            vidscan(program, "report", "--quiet", "--force", "--proxy", result)
            browser.open(result / "report.html", READY)
            expect(browser.run("return document.getElementById('trouble').hidden"), f"{name}: its proxy plays")
            times = [float(row["time"]) for row in rows(result, "frames.csv")]
            browser.run("window.vidscanReview.seek(arguments[0])", times[5])
            at = shown_time(browser)
            expect(abs(at - times[5]) < 0.0011, f"{name}: the proxy has a picture at the sample's time ({at} {times[5]})")
        finally:
            browser.close()
    result = result_of(program, work, work / "variants/still.png")
    browser = Browser(1000, 900, False)
    try:
        browser.open(result / "report.html", "document.body.dataset.ready === 'true' && document.getElementById('still').naturalWidth > 0")
        only_layers(browser, "boxes")
        expect(browser.run(BOUNDS) is not None, "a picture shows its face's box")
        expect(not [line for line in browser.complaints() if "willReadFrequently" not in line], "the browser complains of nothing")
    finally:
        browser.close()
    result = result_of(program, work, work / "faces.mp4")
    vidscan(program, "report", "--quiet", "--force", "--hide-faces", result)
    text = (result / "report.html").read_text()
    expect("<video" not in text and "data:image" not in text and str(work) not in text, "--hide-faces: no video, picture or folder")


def check_curves(browser, name):
    """Finds a metric in the menu, draws its curve above another one, and reads the values at the pointer."""
    click(browser, ".timeline .menu summary")
    fill(browser, "#metric-search", "yaw")
    found = browser.run("return [...document.querySelectorAll('#metric-list label:not([hidden])')].map(l => l.textContent.trim())")
    expect("yaw" in found and "smile" not in found, f"{name}: the menu finds metrics {found}")
    click(browser, "#metric-list input[value=yaw]")
    click(browser, ".timeline .menu summary")
    expect(browser.run("return document.getElementById('metric').textContent") == "yaw, smile", f"{name}: two curves above each other")
    words = browser.run("return document.getElementById('in-words').textContent")
    expect("yaw" in words and "on average" in words and "measured in" in words, f"{name}: the curves are described: {words}")
    x, y, width, _ = browser.run("const b = document.getElementById('area').getBoundingClientRect(); return [b.x, b.y, b.width, b.height]")
    browser.pointer({"type": "pointerMove", "duration": 20, "origin": "viewport", "x": round(x + width * 0.3), "y": round(y + 30)})
    shown = browser.run("const r = document.getElementById('readout'); return r.hidden ? '' : r.textContent")
    expect("yaw" in shown and "smile" in shown and "°" in shown, f"{name}: the values at the pointer: {shown}")


def doubtful(program, work, video):
    """Makes the page of a result whose people are uncertain, the first one most."""
    result = result_of(program, work, video, "--rate", "5")
    lines = rows(result, "tracks.csv")
    with open(result / "tracks.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, lines[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(dict(line, person_confidence=f"0.{6 + index}") for index, line in enumerate(lines))
    vidscan(program, "report", "--quiet", "--force", result)
    return result


def check_doubts(program, work):
    """Answers the doubts with keys, and drags on the timeline."""
    result = doubtful(program, work, work / "faces.mp4")
    browser = Browser(1366, 768, False)
    made = "return window.vidscanReview.corrections.list.map(c => c.do)"
    doubt = "return document.getElementById('tab-check').textContent + ': ' + document.getElementById('doubt').textContent"
    try:
        browser.open(result / "report.html", READY)
        click(browser, "#begin")
        expect("Check (2): Is this Person 1?" in browser.run(doubt), f"the least certain doubt comes first: {browser.run(doubt)}")
        browser.key("s")
        expect("Check (2): Is this Person 2?" in browser.run(doubt), "S keeps it for later")
        browser.key("y")
        expect("Check (1): Is this Person 1?" in browser.run(doubt) and browser.run(made) == ["checked"], "an answered doubt leaves")
        expect("1 of 2 answered" in browser.run(doubt), "the progress is shown")
        browser.run("window.vidscanReview.seek(7)")
        state(browser)
        browser.key("n")
        expect(browser.run(made) == ["checked", "different_people"] and "Done" in browser.run(doubt), f"no separates them: {browser.run(doubt)}")
        saved = json.loads(browser.run("return window.vidscanReview.corrections.text()"))["corrections"]
        expect([item["do"] for item in saved] == ["different_people"], "what was only looked at is not saved")
        browser.key("u", "u")
        expect(browser.run(made) == [] and "Check (2)" in browser.run(doubt), "undo asks again")

        # Two people who are never seen together, each in one piece: the question is whether they are one.
        parts = "[0:v]trim=0:2.4,setpts=PTS-STARTPTS[a];[0:v]trim=17.2:19.6,setpts=PTS-STARTPTS[b];[a][b]concat"
        subprocess.run(["ffmpeg", "-v", "error", "-i", work / "faces.mp4", "-filter_complex", parts, work / "two.mp4"], check=True)
        browser.open(doubtful(program, work, work / "two.mp4") / "report.html", READY)
        click(browser, "#begin")
        expect("Is Person 1 different from these people?" in browser.run(doubt) and "Person 2" in browser.run(doubt), "others are shown")
        browser.key("n")
        click(browser, "#others .face")
        expect(browser.run(made) == ["same_person"], f"no asks who it is: {browser.run(made)}")
        browser.open(result / "report.html", READY)

        # Dragging marks a range; what can be done with it stands beside it.
        x, y, width, _ = browser.run("const b = document.getElementById('area').getBoundingClientRect(); return [b.x, b.y, b.width, b.height]")

        def drag(first, last, dy=30):
            browser.pointer(
                {"type": "pointerMove", "duration": 20, "origin": "viewport", "x": round(x + width * first), "y": round(y + dy)},
                {"type": "pointerDown", "button": 0},
                {"type": "pointerMove", "duration": 60, "origin": "viewport", "x": round(x + width * last), "y": round(y + dy)},
                {"type": "pointerUp", "button": 0})
            time.sleep(0.1)

        at = state(browser)["at"]
        for text, then in (
                ("Exclude", "window.vidscanReview.corrections.list.at(-1).do === 'exclude'"),
                ("Loop", "document.getElementById('only').value === 'loop'"),
                ("Zoom", "window.vidscanReview.view[1] - window.vidscanReview.view[0] < 8")):
            drag(0.4, 0.6)
            if text == "Exclude":
                expect(state(browser)["at"] == at, "dragging leaves the playhead where it is")
            browser.run("[...document.querySelectorAll('#range button')].find(b => b.textContent === arguments[0]).click()", text)
            expect(browser.run(f"return {then}"), f"a dragged range: {text}")
        # Playing keeps to one person.
        browser.run("window.vidscanReview.setView(0, 99); window.vidscanReview.corrections.undo()")
        click_face(browser, 2)
        browser.run("const o = document.getElementById('only'); o.value = 'person'; o.dispatchEvent(new Event('change'))")
        browser.run("window.vidscanReview.seek(2.6)")
        state(browser)
        browser.key(" ")
        time.sleep(1.2)
        browser.key("k")
        expect(6.5 < state(browser)["at"] < 8, f"playing one person jumps over the time without them ({state(browser)['at']})")
        expect(not browser.complaints(), "the browser complains of nothing")
    finally:
        browser.close()


def check_small_things(browser, name):
    """Messages, the border, the address and the focus, in a window of any size."""
    browser.run("const menu = document.getElementById('only'); menu.value = 'loop'; menu.dispatchEvent(new Event('change'))")
    said, height, width = browser.run(
        "const b = document.getElementById('toast').getBoundingClientRect();"
        " return [document.getElementById('said').textContent, b.height, b.width]")
    expect("both ends" in said and height < 70 and width > 150, f"{name}: a message is wide enough to be read ({width:.0f} x {height:.0f})")
    center = "const b = document.getElementById('border').getBoundingClientRect(); return [Math.round(b.x + b.width / 2), Math.round(b.y + b.height / 2)]"
    tops = []
    for away in (-900, 900, -60):
        x, y = browser.run(center)
        browser.pointer(
            {"type": "pointerMove", "duration": 0, "origin": "viewport", "x": x, "y": y}, {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "duration": 0, "origin": "viewport", "x": x, "y": min(max(y + away, 1), browser.run("return innerHeight") - 2)},
            {"type": "pointerUp", "button": 0})
        tops.append(browser.run(center)[1])
    expect(tops[0] < tops[2] < tops[1], f"{name}: the border can be dragged up, down and up again {tops}")
    browser.run("document.getElementById('tab-check').click()")
    expect(browser.run("return document.getElementById('panel-check').clientHeight") > 150, f"{name}: there is room for a question")
    browser.run("document.getElementById('tab-events').click(); document.querySelector('.event').click()")
    expect(re.fullmatch(r"#t=[\d.]+(&person=\d+)?", browser.run("return location.hash")), f"{name}: the address leads to the event that was clicked")
    browser.run("document.getElementById('tab-people').click(); document.querySelector('#people .go').focus()")
    browser.key("\ue007", *"Ada", "\ue007")
    browser.key("\ue00c")
    named = browser.run("return [document.querySelector('#people .name').textContent, document.activeElement.className]")
    expect(named[0] == "Ada" and "go" in named[1], f"{name}: after a name was typed, the focus is in the list again {named}")


def check_passing_on(program, work):
    """Links to a moment and a person, the rows in view, a picture, print; the size of the first screen."""
    result = result_of(program, work, work / "faces.mp4", "--rate", "5")
    for width, height in ((1366, 768), (400, 800), (2560, 1440)):
        browser = Browser(width, height, False)
        try:
            browser.call("POST", "/goog/cdp/execute", {"cmd": "Browser.setDownloadBehavior", "params": {
                "behavior": "allow", "downloadPath": str(work)}})
            browser.open(result / "report.html", READY)
            # Firefox has no window of 400 pixels.
            name, wide = f"{width}x{height}", browser.run("return innerWidth")
            bottoms = browser.run(
                "return ['picture', 'play', 'full', 'people', 'area', 'lanes'].map(id => {"
                " const b = document.getElementById(id).getBoundingClientRect(); return [b.top, b.bottom, b.left, b.right]; })")
            expect(
                all(0 <= top < bottom <= height and 0 <= left < right <= wide for top, bottom, left, right in bottoms),
                f"{name}: video, lists and timeline are on one screen {bottoms}")
            expect(browser.run("return document.documentElement.scrollWidth <= innerWidth"), f"{name}: nothing sticks out")
            if width >= 800:
                for metric in ("joy", "yaw", "gaze_yaw"):
                    browser.run("document.querySelector(`#metric-list [value=${arguments[0]}]`).click()", metric)
                time.sleep(0.2)
                expect(
                    browser.run("return document.getElementById('curves').clientHeight") >= 4 * 40
                    and browser.run("return document.getElementById('picture').clientHeight") > 80, f"{name}: four curves can be read")
            browser.run("document.getElementById('video').dispatchEvent(new Event('error'))")
            time.sleep(0.2)
            expect(
                browser.run("return !document.getElementById('trouble').hidden && document.getElementById('panel-people').clientHeight > 100"),
                f"{name}: a message that the video cannot be played leaves room for the people")
            before = browser.run("return document.getElementById('area').getBoundingClientRect().height")
            browser.run("document.getElementById('border').focus()")
            browser.key("\ue013", "\ue013")
            expect(browser.run("return document.getElementById('area').getBoundingClientRect().height") > before + 20, f"{name}: the border moves")
            check_small_things(browser, name)
        finally:
            browser.close()
    browser = Browser(1366, 768, False)
    try:
        browser.call("POST", "/goog/cdp/execute", {"cmd": "Browser.setDownloadBehavior", "params": {
            "behavior": "allow", "downloadPath": str(work)}})
        browser.open(result / "report.html", READY)
        browser.run("location.hash = '#t=7&person=1'")
        time.sleep(0.3)
        expect(abs(state(browser)["at"] - 7) < 0.05, "a link goes to its time")
        expect("Person 1" in browser.run("return document.getElementById('selected').textContent"), "and selects its person")
        browser.run("window.vidscanReview.seek(8)")
        browser.run("document.getElementById('link').click()")
        expect(browser.run("return location.hash") == "#t=8&person=1", "a link to here has the time and the person")
        for origin, leads in (
                ("../index.html", True), ("a%20b/x.html", True), ("//host/x.html", False), ("/x.html", False), ("https://host/x.html", False),
                ("javascript:alert(1)//x.html", False), ("..\\x.html", False), ("x.mp4", False)):
            browser.run("history.replaceState(null, '', '#face=1&from=' + arguments[0])", origin)
            reload(browser)
            link = browser.run("return document.querySelector('header a')?.getAttribute('href')")
            expect(link == (origin if leads else None), f"from {origin}: the link back is {link}")
        browser.run("window.vidscanReview.setView(3, 6)")
        browser.run("document.getElementById('rows-csv').click(); document.getElementById('view-png').click()")
        for _ in range(50):
            if (work / "faces.mp4.rows.csv").exists() and (work / "faces.mp4.timeline.png").exists():
                break
            time.sleep(0.1)
        with open(work / "faces.mp4.rows.csv", newline="") as file:
            saved = list(csv.DictReader(file))
        wanted = [row for row in rows(result) if 3 <= float(row["time"]) <= 6]
        expect(
            [(row["time"], row["face_id"]) for row in saved] == [(row["time"], row["face_id"]) for row in wanted]
            and all(abs(float(a["smile"]) - float(b["smile"])) < 0.3 for a, b in zip(saved, wanted)), f"{len(saved)} rows in view are saved")
        expect(gray(None, data=(work / "faces.mp4.timeline.png").read_bytes()).std() > 10, "a picture of the timeline is saved")
        browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"media": "print"}})
        expect(
            browser.run("return ['picture', 'area'].every(id => document.getElementById(id).getBoundingClientRect().height > 100)"),
            "in print, there are the picture and the timeline")
        browser.run("dispatchEvent(new Event('beforeprint'))")
        widths, ends = browser.run(
            "const box = id => document.getElementById(id).getBoundingClientRect();"
            "return [['curves', 'bars'].map(id => box(id).width), [[...document.querySelectorAll('.lane-name')].at(-1).getBoundingClientRect().bottom, box('bars').bottom]]")
        expect(widths == [690, 690] and ends[0] <= ends[1], f"the timeline fits a page, and has all lanes {widths} {ends}")
        browser.run("dispatchEvent(new Event('afterprint'))")
        expect(not browser.complaints(), "the browser complains of nothing")
    finally:
        browser.close()


def write_rows(path, lines):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, lines[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


# Whether something is drawn on the canvas of the lanes in a place in CSS pixels.
INKED = """
const canvas = document.getElementById('bars'), d = canvas.width / canvas.clientWidth, [x, y, width, height] = arguments;
const { data } = canvas.getContext('2d').getImageData(x * d, y * d, width * d, height * d);
let inked = 0;
for (let i = 3; i < data.length; i += 4) inked += data[i] > 100;
return inked / (data.length / 4);
"""


def row_of(browser, person):
    """The top of the first row below the bar of a person, in CSS pixels of the lanes."""
    return 26 + browser.run(
        "return [...document.querySelectorAll('.lane-name')].find(b => b.dataset.person === arguments[0]).offsetTop", str(person))


def check_rows(program, work):
    """What the run was worth, the rows of episodes, the voice, and names edited in place."""
    result = result_of(program, work, work / "faces.mp4", "--rate", "5")
    page, ready = result / "report.html", "document.body.dataset.ready === 'true'"
    browser = Browser(1366, 768, False)
    try:
        browser.open(page, ready)
        strip = browser.run("return [...document.querySelectorAll('#strip .go')].map(b => b.innerText)")
        expect(
            len(strip) == 2 and all(re.search(r"visible.*\nmeasured 100 % \(whole face \d+ %\), \d+ px wide, yaw \d+°", text) for text in strip)
            and not browser.run("return document.querySelector('#strip .warning')"), f"the strip says how much was measured: {strip}")
        expect(
            "smiles/min" in strip[0] and "smiles/min" not in strip[1] and "speak" not in "".join(strip),
            f"nine seconds give no rate, and without sound, nothing is said of speech: {strip}")
        kinds = browser.run("return [...document.querySelectorAll('#row-kinds input')].map(b => b.value)")
        expect("smile" in kinds and "speaks" not in kinds, f"without sound, there is no row of speech {kinds}")
        expect("speaking" not in browser.run("return document.getElementById('metric-list').innerText"), "and no curve of it")
    finally:
        browser.close()

    frames, episodes, quality = rows(result, "frames.csv"), rows(result, "episodes.csv"), rows(result, "quality.csv")
    write_rows(result / "frames.csv", [dict(row, voice="90.0" if float(row["time"]) < 9 else "1.0") for row in frames])
    made = [
        ("speaks", 1, 1, 0, 2, 0, 1), ("voice_off_screen", "", "", 4, 6, 1, 0), ("smile", 2, 2, 4, 5, 0, 1), ("smile", 2, 2, 7, 8, 1, 1)]
    episodes = [row for row in episodes if row["kind"] != "smile"] + [
        dict(dict.fromkeys(episodes[0], ""), kind=kind, person_id=person, face_id=face, start=f"{start:.6f}", end=f"{end:.6f}",
             start_seen=begins, end_seen=ends, measured_seconds="1.000") for kind, person, face, start, end, begins, ends in made]
    episodes.sort(key=lambda row: float(row["start"]))
    write_rows(result / "episodes.csv", [dict(row, episode=index + 1) for index, row in enumerate(episodes)])
    write_rows(result / "quality.csv", [
        dict(row, seconds_visible="9.000", measured_seconds="8.100", measured_fraction="0.90", one_side_seconds="5.400",
             half_covered_seconds="0.180", turned_seconds="0.810", covered_seconds="0.090", median_width="86.4", median_yaw="12.6")
        if row["person_id"] == "1" else row for row in quality])
    vidscan(program, "report", "--quiet", "--force", result)
    browser = Browser(1366, 1100, False)
    try:
        browser.open(page, ready)
        warning = browser.run("return document.querySelector('#strip .warning').innerText")
        expect(
            warning == "measured 90 % (whole face 28 %), 86 px wide, yaw 13°; 60 % from one side, 9 % turned away, 2 % half covered, 1 % covered",
            f"with less than half of the whole face, it warns, and says why in the words of a run: {warning}")
        strip = browser.run("return [...document.querySelectorAll('#strip .go')].map(b => b.innerText)")
        expect(re.search(r"5\.[56] smiles/min", strip[0]), f"a rate counts what is seen to begin: {strip}")
        expect("speaking unknown" in strip[0] and "speaks 22 %" in strip[1], f"it says who speaks, and of whom this is not known: {strip}")
        expect(browser.run("return document.querySelector('#row-kinds input[value=speaks]').checked"), "speech has a row")
        time.sleep(0.3)
        width = browser.run("return document.getElementById('area').clientWidth")

        def at(seconds):
            first, last = browser.run("return window.vidscanReview.view")
            return 132 + (seconds - first) / (last - first) * (width - 132)

        # Below the shots: the voice, and where nobody in sight speaks.
        expect(
            browser.run(INKED, at(1), 20, 60, 10) > 0.5 and browser.run(INKED, at(12), 20, 60, 8) < 0.3,
            "the voice is a band")
        expect(
            browser.run(INKED, at(4.5), 35, at(5.5) - at(4.5), 5) > 0.9 and browser.run(INKED, at(7), 36, 40, 4) < 0.1,
            "a voice of nobody in sight stands out")
        x, y = browser.run("const b = document.getElementById('bars').getBoundingClientRect(); return [b.x, b.y]")
        browser.pointer({"type": "pointerMove", "duration": 20, "origin": "viewport", "x": round(x + at(1)), "y": round(y + 10)})
        shown = browser.run("return document.getElementById('readout').innerText")
        expect("speaks" in shown and "voice 90" in shown, f"the pointer tells what goes on: {shown}")
        only = "for (const b of document.querySelectorAll('#row-kinds input')) if (b.checked !== (b.value === 'speaks')) b.click()"
        browser.run(only)
        time.sleep(0.3)
        row = row_of(browser, 1)
        expect(browser.run(INKED, 50, row_of(browser, 2), 35, 9) > 0.02, "a row says that it is not known whether somebody speaks")
        expect(
            browser.run(INKED, at(0.5), row, at(1.5) - at(0.5), 6) > 0.8 and browser.run(INKED, at(2.3), row, 30, 6) < 0.1,
            "the row of speech has its episode")
        # The torn end lacks the corners that the other one has.
        expect(
            browser.run(INKED, at(0), row - 1, 2, 9) < browser.run(INKED, at(2) - 2, row - 1, 2, 9) - 0.1,
            "a beginning that was not seen is torn")

        def twice(selector):
            left, top, wide, tall = browser.run(
                "const b = document.querySelector(arguments[0]).getBoundingClientRect(); return [b.x, b.y, b.width, b.height]", selector)
            press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
            browser.pointer(
                {"type": "pointerMove", "duration": 20, "origin": "viewport", "x": round(left + wide / 2), "y": round(top + tall / 2)}, *press, *press)

        names = "return [...document.querySelectorAll('#people .name')].map(n => n.textContent)"
        for selector, name in (("#people .go", "Ann"), (".lane-name", "Bea")):
            twice(selector)
            browser.key(*name, "\ue007")
            expect(name in browser.run(names), f"a double click on {selector} and enter rename a person {browser.run(names)}")
        browser.run("document.querySelector('#people .go').focus()")
        browser.key("\ue032", *"Cat", "\ue00c")
        expect("Bea" in browser.run(names) and not browser.run("return document.querySelector('.in-place')"), "escape keeps the name")
        browser.key("\ue032", *"Cat", "\ue007")
        expect("Cat" in browser.run(names), "F2 renames too")
        for person, spelling in enumerate(("Zo\u00e9", "Zoe\u0301")):
            browser.run("document.querySelectorAll('#people .go')[arguments[0]].focus()", person)
            browser.key("\ue032", *spelling, "\ue007")
        expect("already has the name" in browser.run(SAID), f"two spellings are one name: {browser.run(SAID)}")
        complaints = [line for line in browser.complaints() if "willReadFrequently" not in line]
        expect(not complaints, f"the browser complains of nothing {complaints}")
    finally:
        browser.close()

    # The one of whom nothing was known never speaks.
    write_rows(result / "faces.csv", [dict(row, speaking="1.0" if row["person_id"] == "2" else "") for row in rows(result)])
    vidscan(program, "report", "--quiet", "--force", result)
    browser = Browser(1366, 1100, False)
    try:
        browser.open(page, ready)
        strip = browser.run("return [...document.querySelectorAll('#strip .go')].map(b => b.innerText)")
        expect("speaks 0 %" in strip[0] and "speaks 22 %" in strip[1], f"it says who never speaks: {strip}")
        browser.run(only)
        time.sleep(0.3)
        expect(
            browser.run(INKED, 50, row_of(browser, 2), 35, 9) == 0 and browser.run(INKED, 95, row_of(browser, 2), 25, 9) > 0.02,
            "whose speech is known has a row of it, also without an episode")
    finally:
        browser.close()


def check_plain(program, work, pictures=None):
    """A page without the video: it has everything but the player."""
    result = result_of(program, work, work / "faces.mp4")
    times = [float(row["time"]) for row in rows(result, "frames.csv")]
    record = json.loads((result / "run.json").read_text())
    # In whole microseconds, it is rounded up.
    record["video"]["duration_seconds"] = 20.0000006
    (result / "run.json").write_text(json.dumps(record))
    page = work / "plain.html"
    vidscan(program, "report", "--quiet", "--no-video", "--output", page, result)
    alone = work / "alone" / page.name
    alone.parent.mkdir()
    shutil.move(page, alone)
    ready = "document.body.dataset.ready === 'true'"
    curves = "return document.getElementById('curves').toDataURL()"
    for width in (1440, 400):
        for dark in (False, True):
            name = f"no video, {width} pixels, {'dark' if dark else 'light'}"
            browser = Browser(width, 1200, dark)
            try:
                browser.open(alone, ready)
                expect(browser.run("return document.documentElement.scrollWidth <= innerWidth"), f"{name}: nothing sticks out")
                expect(
                    browser.run("return [!document.querySelector('video, #picture, #play'), document.querySelectorAll('#people li').length,"
                                " document.querySelectorAll('.lane-name').length]") == [True, 2, 2], f"{name}: two people and no player")
                expect(
                    browser.run("return document.images.length >= 2 && [...document.images].every(i => i.complete && i.naturalWidth > 0)"),
                    f"{name}: pictures load")
                tall = browser.run("return Math.max(...[...document.querySelectorAll('#people li')].map(line => line.offsetHeight))")
                expect(tall < 150, f"{name}: people have room for their names ({tall} pixels)")
                time.sleep(0.2)
                before = browser.run(curves)
                click(browser, "#area", 0.5, 0.2)
                at = browser.run("return window.vidscanReview.shown")
                expect(2 < at < 12, f"{name}: a click moves the playhead ({at})")
                values = browser.run("return [...document.querySelectorAll('#people .value')].map(o => o.textContent).join('')")
                expect(values.strip(), f"{name}: people have their values there")
                browser.key(RIGHT)
                after = browser.run("return window.vidscanReview.shown")
                expect(min(abs(after - t) for t in times) < 0.0006 and after > at, f"{name}: right goes to the next sample")
                keys = browser.run("return [...document.querySelectorAll('#key-list kbd')].map(k => k.textContent)")
                expect("space" not in keys and "U" in keys and "esc" in keys, f"{name}: it lists only keys that do something")
                check_curves(browser, name)
                time.sleep(0.2)
                turned = browser.run(curves)
                expect(turned != before, f"{name}: another metric, another curve")
                expect("turned sideways" in browser.run("return document.getElementById('meaning').textContent"), f"{name}: the metric is explained")
                browser.run("document.querySelector('#people input').click()")
                time.sleep(0.2)
                expect(browser.run(curves) != turned, f"{name}: a click hides a person's curve")
                view = browser.run("return window.vidscanReview.view")
                click(browser, "#zoom-in")
                zoomed = browser.run("return window.vidscanReview.view")
                expect(zoomed[1] - zoomed[0] < 0.6 * (view[1] - view[0]), f"{name}: it zooms")
                click(browser, "#zoom-all")
                click(browser, ".lane-name")
                click(browser, "#no-face")
                expect(browser.run("return window.vidscanReview.model.people.size") == 1, f"{name}: corrections work")
                click(browser, "#undo-said")
                browser.run("document.querySelector('#people .go').focus()")
                browser.key("\ue032", *"W" * 90, "\ue007")
                # Messages may cover the buttons.
                browser.run(
                    "document.getElementById('note').value = 'https://example.org/' + 'x'.repeat(200);"
                    "document.querySelector('#form-note button').click(); window.vidscanReview.seek(99);"
                    "for (const end of ['from', 'to']) document.getElementById(end + '-here').click();"
                    "document.querySelector('#form-exclude button:last-child').click()")
                made = browser.run("return window.vidscanReview.corrections.list.map(c => c.do)")
                expect(made == ["name", "note", "exclude"], f"{name}: the end of the video lies inside it {made}")
                for tab in ("people", "correct", "events"):
                    wide = browser.run(
                        "const find = name => document.getElementById(name + arguments[0]); find('tab-').click();"
                        "return [document.documentElement, find('panel-')].map(part => part.scrollWidth - part.clientWidth)", tab)
                    expect(wide == [0, 0], f"{name}: nothing sticks out of {tab} {wide}")
                expect(browser.run("return document.querySelectorAll('.event').length") > 5, f"{name}: events are listed")
                browser.run("const t = document.getElementById('tracks'); t.closest('details').open = true; t.querySelector('th:nth-child(4) button').click()")
                expect(browser.run("return document.querySelector('#tracks th:nth-child(4)').ariaSort") == "ascending", f"{name}: tables sort")
                requests = browser.requests()
                outside = [url for url in requests if not url.startswith((alone.as_uri(), "data:"))]
                expect(requests and not outside, f"{name}: no request leaves the page {outside}")
                errors = [line for line in browser.complaints() if "willReadFrequently" not in line]
                expect(not errors, f"{name}: the browser complains of nothing {errors}")
                if pictures:
                    click(browser, "#tab-people")
                    browser.screenshot(pictures / f"no-video-{width}-{'dark' if dark else 'light'}.png")
            finally:
                browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vidscan", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--seeks", type=int, default=50, help="of the sample clip; the variants get a third")
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--only", nargs="*", default=["frames", "keys", "corrections", "names", "doubts", "speed", "people", "files", "passing", "rows", "plain"])
    parser.add_argument("--firefox", action="store_true", help="use Firefox instead of Chromium")
    arguments = parser.parse_args()
    if arguments.firefox:
        global Browser
        Browser = browsers.Firefox
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        shutil.copy(ROOT / "samples/faces.mp4", work)
        subprocess.run(
            ["bash", ROOT / "samples/variants.sh", work / "variants", "orient6.mp4", "sar.mp4", "vfr.mp4"], check=True,
            stdout=subprocess.DEVNULL)
        if "frames" in arguments.only:
            for name, video in {
                "sample": work / "faces.mp4", "rotated": work / "variants/orient6.mp4",
                "anamorphic": work / "variants/sar.mp4", "variable rate": work / "variants/vfr.mp4",
            }.items():
                check_frames(
                    arguments.vidscan, work, name, video,
                    arguments.seeks if name == "sample" else max(1, arguments.seeks // 3))
        for part, check in {
            "keys": check_keys, "corrections": check_corrections, "names": check_names, "speed": check_speed,
            "doubts": check_doubts, "people": check_people, "files": check_files, "passing": check_passing_on,
            "rows": check_rows,
        }.items():
            if part in arguments.only:
                check(arguments.vidscan, work)
        if "plain" in arguments.only:
            check_plain(arguments.vidscan, work, arguments.pictures)


if __name__ == "__main__":
    main()
