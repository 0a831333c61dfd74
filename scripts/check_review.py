#!/usr/bin/env python3
"""Uses reports with and without their video in a browser as people would, and checks what they show.

usage: check_review.py [--seeks N] [--pictures FOLDER] VIDSCAN

For the sample clip, and a rotated, an anamorphic and a variable-frame-rate variant of it, at three window sizes: goes to N
random samples (50), and checks that the picture is that very frame, as ffmpeg decodes it, that it lies where it should to
less than a pixel, and that the box drawn on it lies within 3 pixels of the place that faces.csv gives. Then: every key, each
correction by clicks, names that try to do harm, 180,000 rows at 50 frames per second, and a page without the video at two sizes; no request, no message of the browser.

Needs chromedriver (Debian's chromium-driver), ffmpeg, and numpy (samples/notebook-requirements.txt).
"""

import argparse
import csv
import json
import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy

from browser import Browser, expect

ROOT = Path(__file__).resolve().parent.parent
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
            browser.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
                {"type": "keyDown", "value": SHIFT}, {"type": "keyDown", "value": keys[1]},
                {"type": "keyUp", "value": keys[1]}, {"type": "keyUp", "value": SHIFT}]}]})
        else:
            browser.key(*keys)
        return state(browser)

    def near(a, b):
        return abs(a - b) < 0.0006

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
        click(browser, "#tab-correct")
        # The second person's track is split where she comes back, and that half is joined with it again.
        browser.run("window.vidscanReview.seek(9.8)")
        state(browser)
        click(browser, "#lane-names button:first-child")
        browser.run("window.vidscanReview.seek(9.8)")
        state(browser)
        click(browser, "#split")
        people = browser.run("return [...window.vidscanReview.model.people.keys()]")
        expect(people == [1, 2, 3], f"a split makes another person {people}")
        fill(browser, "#name", 'a"b')
        click(browser, "#form-name button")
        expect("quotation marks" in browser.run("return document.getElementById('correction-state').textContent"), "a name that vidscan would refuse is refused")
        browser.run("document.getElementById('name').value = ''")
        fill(browser, "#name", "P<b>01</b> & Ann")
        click(browser, "#form-name button")
        expect(
            browser.run("return [...document.querySelectorAll('#people .name')].map(n => n.textContent)").count(
                'P<b>01</b> & Ann') == 1, "a name with markup is shown as it is")
        browser.run("window.vidscanReview.seek(17.8)")
        state(browser)
        # The face that passes through the picture at the end is in the right half.
        box = browser.run("return window.vidscanReview.boxes(17.8)[0]")
        where = browser.run(PLACE)
        click(browser, "#picture", (box[0] + box[2] / 2) / 640, (box[1] + box[3] / 2) / 360)
        expect("face 3" in browser.run("return document.getElementById('selected').textContent"), "a click on a face selects it")
        click(browser, "#tab-correct")
        browser.run("document.getElementById('other').value = [...document.getElementById('other').options].find(o => o.text === 'Person 2').value")
        click(browser, "#form-merge button")
        expect(browser.run("return [...window.vidscanReview.model.people.keys()]") == [1, 2], "joining makes them one person")
        click(browser, "#somebody-else")
        expect(browser.run("return window.vidscanReview.model.people.size") == 3, "saying that they are not separates them again")
        click(browser, "#undo")
        expect(browser.run("return [...window.vidscanReview.model.people.keys()]") == [1, 2], "undo joins them again")
        fill(browser, "#exclude-from", "0.5")
        fill(browser, "#exclude-to", "1.1")
        click(browser, "#form-exclude button:last-child")
        browser.run("window.vidscanReview.seek(2)")
        state(browser)
        fill(browser, "#note", "laughs <script>alert(1)</script>")
        click(browser, "#form-note button")
        browser.run("window.vidscanReview.seek(2)")
        state(browser)
        box = browser.run("return window.vidscanReview.boxes(2)[0]")
        click(browser, "#picture", (box[0] + box[2] / 2) / 640, (box[1] + box[3] / 2) / 360)
        click(browser, "#no-face")
        kinds = browser.run("return window.vidscanReview.corrections.list.map(c => c.do)")
        expect(kinds == ["split", "name", "same_person", "exclude", "note", "not_a_face"], f"six corrections are listed {kinds}")
        # They survive the page.
        browser.call("POST", "/refresh", {})
        for _ in range(100):
            if browser.run(f"return {READY}"):
                break
            time.sleep(0.1)
        expect(browser.run("return window.vidscanReview.corrections.list.length") == 6, "they are still there after a reload")
        click(browser, "#tab-correct")
        click(browser, "#save")
        saved = work / "corrections.json"
        for _ in range(50):
            if saved.exists():
                break
            time.sleep(0.1)
        model = browser.run(
            "const m = window.vidscanReview.model; return m.tracks.map(t => [t.id, t.person, t.to - t.from]).sort()")
        expect(not browser.complaints(), "the browser complains of nothing")
    finally:
        browser.close()
    vidscan(program, "apply", "--quiet", result, saved)
    faces = rows(result)
    counted = {}
    for row in faces:
        counted.setdefault((int(row["face_id"]), int(row["person_id"])), []).append(float(row["time"]))
    expect(all(not 0.5 <= at <= 1.1 for times in counted.values() for at in times), "no face is left in the excluded time")
    expect(
        sorted([face, person, len(times)] for (face, person), times in counted.items()) == model,
        f"the tables have the tracks and people that the page shows {model}")
    vidscan(program, "apply", "--quiet", "--undo", result)
    expect(
        all((result / name).read_bytes() == data for name, data in original.items()), "--undo gives every table's bytes back")


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


def large_result(program, work, samples, people):
    """Makes a result of so many samples and people by repeating the rows of a real one."""
    result = result_of(program, work, work / "faces.mp4")
    faces, frames, tracks = rows(result), rows(result, "frames.csv"), rows(result, "tracks.csv")
    chance = random.Random(1)
    first = list(faces[0]).index("presence") + 1
    noisy = [
        key for key in list(faces[0])[first:]
        if key not in ("dominant_emoji", "measured_from", "looks_at_camera", "looks_at") and not key.endswith("_closed") and key not in ("has_smile", "yaw", "pitch", "roll")]
    share = {key: key.startswith("AU") for key in noisy}
    high = {key: 1 if share[key] else 100 if not key.endswith(("_x", "_y")) else 1e6 for key in noisy}
    noise = {key: 0.01 if share[key] else 1 for key in noisy}

    def write(name, header, lines):
        with open(result / name, "w", newline="") as file:
            writer = csv.DictWriter(file, header, lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)

    def many():
        for sample in range(samples):
            for person in range(1, people + 1):
                row = dict(faces[(sample + 7 * person) % len(faces)])
                row.update(time=f"{sample / 5:.6f}", frame=sample * 5, face_id=person, person_id=person)
                # As noisy as a real face.
                for key in noisy:
                    if row[key]:
                        row[key] = f"{min(high[key], max(0, float(row[key]) + chance.gauss(0, noise[key]))):.4f}"
                yield row

    write("faces.csv", faces[0].keys(), many())
    write("frames.csv", frames[0].keys(), (
        dict(frames[0], time=f"{sample / 5:.6f}", frame=sample * 5, faces=people) for sample in range(samples)))
    write("tracks.csv", tracks[0].keys(), (
        dict(tracks[0], face_id=person, person_id=person, first_time="0.000000", last_time=f"{(samples - 1) / 5:.6f}",
             samples=samples) for person in range(1, people + 1)))
    write("events.csv", rows(result, "events.csv")[0].keys(), (
        dict(rows_of_event, time=f"{index / 2:.6f}", face_id=1 + index % people, kind="blink", value="")
        for index, rows_of_event in enumerate([rows(result, "events.csv")[0]] * int(samples / 5 * 2))))
    record = json.loads((result / "run.json").read_text())
    record["video"]["duration_seconds"] = samples / 5
    record["counts"].update(faces=samples * people, sampled_frames=samples, face_ids=people, person_ids=people)
    (result / "run.json").write_text(json.dumps(record))
    return result


PAN = """
const done = arguments[arguments.length - 1], area = document.getElementById('area'), box = area.getBoundingClientRect();
const review = window.vidscanReview, drawn = review.drawing.count, begin = performance.now(), gaps = [];
let step = 0, last = begin;
const send = (type, x) => area.dispatchEvent(new PointerEvent(type, { pointerId: 1, isPrimary: true, button: 0, clientX: x, clientY: box.y + 60, bubbles: true }));
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
    one = large_result(program, work, 18000, 1)
    vidscan(program, "report", "--quiet", "--force", one)
    size = (one / "report.html").stat().st_size
    expect(size < 2_000_000, f"an hour of one interview: {size / 1e6:.2f} MB")
    vidscan(program, "report", "--quiet", "--force", "--no-thumbnails", large_result(program, work, 300, 1))
    size = (sorted(work.glob("*.out"), key=lambda path: path.stat().st_mtime)[-1] / "faces.mp4.vidscan/report.html").stat().st_size
    expect(size < 300_000, f"a minute without thumbnails: {size / 1e3:.0f} kB")


def check_files(program, work):
    """Videos that browsers cannot play, pages without one, and pages to pass on."""
    subprocess.run(
        ["bash", ROOT / "samples/variants.sh", work / "variants", "hevc.mp4", "mpeg2.ts", "still.png"], check=True,
        stdout=subprocess.DEVNULL)
    for name in ("hevc.mp4", "mpeg2.ts"):
        result = result_of(program, work, work / "variants" / name)
        browser = Browser(1000, 900, False)
        try:
            browser.open(result / "report.html", "document.body.dataset.ready === 'true' && !document.getElementById('trouble').hidden")
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


def check_plain(program, work, pictures=None):
    """A page without the video: it has everything but the player."""
    result = result_of(program, work, work / "faces.mp4")
    times = [float(row["time"]) for row in rows(result, "frames.csv")]
    page = work / "plain.html"
    vidscan(program, "report", "--quiet", "--no-video", "--output", page, result)
    alone = work / "alone" / page.name
    alone.parent.mkdir()
    shutil.move(page, alone)
    ready = "document.body.dataset.ready === 'true'"
    curves = "return document.getElementById('curves').toDataURL()"
    for width in (1280, 400):
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
                time.sleep(0.2)
                before = browser.run(curves)
                click(browser, "#area", 0.5, 0.2)
                at = browser.run("return window.vidscanReview.shown")
                expect(2 < at < 12, f"{name}: a click moves the playhead ({at})")
                values = browser.run("return [...document.querySelectorAll('#people output')].map(o => o.textContent).join('')")
                expect(values.strip(), f"{name}: people have their values there")
                browser.key(RIGHT)
                after = browser.run("return window.vidscanReview.shown")
                expect(min(abs(after - t) for t in times) < 0.0006 and after > at, f"{name}: right goes to the next sample")
                keys = browser.run("return [...document.querySelectorAll('#key-list kbd')].map(k => k.textContent)")
                expect("space" not in keys and "U" in keys, f"{name}: it lists only keys that do something")
                browser.run(
                    "const s = document.getElementById('metric'); s.value = [...s.options].find(o => o.text === 'yaw').value;"
                    "s.dispatchEvent(new Event('change'))")
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
                click(browser, "#tab-correct")
                click(browser, ".lane-name")
                click(browser, "#no-face")
                expect(browser.run("return window.vidscanReview.model.people.size") == 1, f"{name}: corrections work")
                click(browser, "#undo")
                click(browser, "#tab-events")
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
    parser.add_argument("--only", nargs="*", default=["frames", "keys", "corrections", "names", "speed", "files", "plain"])
    arguments = parser.parse_args()
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
            "files": check_files,
        }.items():
            if part in arguments.only:
                check(arguments.vidscan, work)
        if "plain" in arguments.only:
            check_plain(arguments.vidscan, work, arguments.pictures)


if __name__ == "__main__":
    main()
