#!/usr/bin/env python3
"""Watches a batch in a browser as a user would: opens index.html from the folder, without a server, while the batch runs. Checks the
progress, that the page reloads itself and stops when the batch ends, that it says so when the batch was killed, that names do no
harm, and how long a page of 20,000 files takes. Then uses a study of three clips in which two decisions are doubtful: answers
with keys, saves, applies what was saved, and follows the links to the reports and back.

usage: check_batch_page.py VIDSCAN [FOLDER FOR SCREENSHOTS]

Needs chromedriver (Debian's chromium-driver) and ffmpeg.
"""

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from browser import Browser, expect

ENTER, BACKSPACE = "\ue007", "\ue003"
NAMES = [
    "<b>bold<b> & \"x\" 'y'.mp4", "<img src=x onerror=document.title='harm'>.mp4", "שלום עולם.mp4", "😀 emoji.mp4",
    "day/clip {{title}} \\u0041.mp4"]


def until(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.2)
    sys.exit(f"check_batch_page: failed: {what}")


def text(browser, selector):
    return browser.run("const e = document.querySelector(arguments[0]); return e && !e.closest('[hidden]') ? e.textContent : ''", selector)


def requests(browser):
    return [
        json.loads(entry["message"])["message"]["params"]["request"]["url"] for entry in browser.log("performance")
        if '"Network.requestWillBeSent"' in entry["message"]]


def make_study(vidscan, work, sample):
    """A batch of the sample clip and of two dark or pale, blurred parts of it, whose woman is hard to recognise."""
    clips = work / "clips"
    clips.mkdir()
    shutil.copy(sample, clips / "clip.mp4")
    for name, start, filters in (
            ("pale & blurred.mp4", 8, "gblur=3.4,hflip,eq=brightness=0.2:contrast=0.6"),
            ("dark+100%41.mp4", 12, "gblur=4.5,eq=brightness=-0.15:contrast=0.5")):
        subprocess.run(
            ["ffmpeg", "-v", "error", "-ss", str(start), "-t", "6", "-i", sample, "-vf", filters, "-crf", "36", "-an", clips / name],
            check=True)
    subprocess.run(
        [vidscan, "batch", "clips", "--output", "my study", "--people", "--report", "--rate", "2", "--quiet"], cwd=work, check=True)
    return work / "my study"


def check_study(vidscan, study, work, pictures):
    """Checks the pairs of a study as its page asks for it."""
    page, current = study / "people.html", "return document.querySelector('.pair:not([hidden])')?.dataset.correction"
    answered = "return document.getElementById('answered').textContent"
    browser = Browser(1280, 900, False)
    browser.call("POST", "/goog/cdp/execute", {"cmd": "Browser.setDownloadBehavior", "params": {"behavior": "allow", "downloadPath": str(work)}})
    try:
        browser.open(page)
        first, count = browser.run(current), browser.run("return document.querySelectorAll('.pair').length")
        expect(count >= 2 and json.loads(first)["do"] == "same_person", f"{count} decisions are doubtful, the first one about {first}")
        if pictures:
            browser.screenshot(pictures / "study.png")
        browser.key("s")
        second = browser.run(current)
        expect(second != first, f"S leaves it for later, and asks about {second}")
        browser.key("n", "u")
        expect(browser.run(current) == second and browser.run(answered).startswith("0 of"), "U takes an answer back")
        browser.key("y")
        browser.call("POST", "/refresh", {})
        expect(browser.run(answered) == f"1 of {count} answered, 0 wrong", "answers survive a reload")
        while browser.run(current) not in (first, None):
            browser.key("s")
        browser.key("n")
        changes, focus = "return document.getElementById('changes').textContent", "document.querySelectorAll('[data-person]')[arguments[0]].select()"
        names = browser.run("return [...document.querySelectorAll('[data-person]')].map(field => [Number(field.dataset.person), field.placeholder])")
        expect(browser.run(changes) == "1 correction" and len(names) > 2, f"{len(names)} people can be named")
        browser.run(focus, 1)
        browser.key(*names[0][1], ENTER)
        expect(browser.run(changes) == "2 corrections", f"the name of {names[0][1]} joins {names[1][1]} to them")
        browser.run(focus, 1)
        browser.key(BACKSPACE, ENTER)
        expect(browser.run(changes) == "1 correction", "without the name, they are not joined")
        browser.run(focus, 2)
        # With letters that are keys of the page, and a joiner as in Persian.
        name = "Nuy\u200c\u06cc"
        browser.key(*name, ENTER)
        expect(browser.run(answered).endswith("1 wrong"), "a name that is typed answers nothing")
        browser.call("POST", "/refresh", {})
        expect(browser.run(changes) == "2 corrections", "names survive a reload")
        # Another tab names one person, and this one another person, in two spellings of one name.
        tab, other = browser.call("GET", "/window"), browser.call("POST", "/window/new", {"type": "tab"})["handle"]
        for handle, person, spelling in ((other, 0, "Zo\u00e9"), (tab, 1, "Zoe\u0301")):
            browser.call("POST", "/window", {"handle": handle})
            if handle == other:
                browser.open(page)
            browser.run(focus, person)
            browser.key(*spelling, ENTER)
            time.sleep(0.3)
        browser.call("POST", "/refresh", {})
        typed = browser.run("return [...document.querySelectorAll('[data-person]')].map(field => field.value)")
        expect(typed[:3] == ["Zo\u00e9", "Zo\u00e9", name], f"two tabs keep each other's names {typed}")
        browser.run("document.getElementById('save').click()")
        saved = until(lambda: next(work.glob("corrections-*.json"), None), "the corrections are saved")
        kinds = [one["do"] for one in json.loads(saved.read_text())["corrections"]]
        expect(kinds.count("name") == 2 and "same_person" in kinds, f"two spellings of one name join two people {kinds}")
        saved.unlink()
        for person in (0, 1):
            browser.run(focus, person)
            browser.key(BACKSPACE, ENTER)
        browser.run("document.getElementById('save').click()")
        saved = until(lambda: next(work.glob("corrections-*.json"), None), "the corrections are saved")
        named = {"do": "name", "person": names[2][0], "name": name}
        expect(json.loads(saved.read_text())["corrections"] == [named, json.loads(first)], f"the name and what is wrong are saved: {saved.read_text()!r}")
        command = browser.run("return document.getElementById('commands').textContent").replace("~/Downloads", str(work))
        expect(command.startswith("vidscan people "), command)
        subprocess.run(command.replace("vidscan", str(vidscan), 1), shell=True, check=True, capture_output=True)
        browser.call("POST", "/refresh", {})
        left = browser.run("return [...document.querySelectorAll('.pair')].map(e => e.dataset.correction)")
        expect(first not in left, f"the command joins the two; left are {left}")
        expect(browser.run("return [...document.querySelectorAll('.person h2')].filter(head => head.textContent.includes(arguments[0])).length", name) == 1, "the command names the person")
        expect(browser.run(changes) == "no corrections", "what the study contains is no correction any more")

        who = work / "who"
        for made, video, word, count in ((1, "clip.mp4", "Eve", "1 correction"), (2, "pale & blurred.mp4", "", "no corrections")):
            shutil.rmtree(who, ignore_errors=True)
            subprocess.run([vidscan, "people", "--quiet", "--output", who, study / f"{video}.vidscan"], check=True)
            browser.open(who / "people.html")
            if word:
                browser.run(focus, 0)
                browser.key(*word, ENTER)
            expect(browser.run(changes) == count, f"study {made} at one place: {browser.run(changes)}")

        for origin, link, name in ((page, ".person a", "a face"), (study / "index.html", ".strip a", "a picture")):
            links = "[...document.querySelectorAll(arguments[0])]"
            browser.open(origin, "true")
            for index in range(browser.run(f"return {links}.length", link)):
                browser.open(origin, "true")
                address = browser.run(f"return {links}[arguments[1]].href", link, index)
                browser.run(f"{links}[arguments[1]].click()", link, index)
                until(lambda: browser.run("return document.body?.dataset.ready"), f"{address} opens")
                expect(browser.run("return document.querySelectorAll('#people .chosen').length") == 1, f"{name} opens its report at that person")
                browser.run("document.querySelector('header a').click()")
                until(lambda: browser.run("return location.href") == origin.as_uri(), "the report leads back")
        browser.open(study / "clip.mp4.vidscan/report.html", "document.body.dataset.ready")
        expect(browser.run("return !document.querySelector('header a')"), "a report that was opened alone has no link")
        expect(not browser.complaints(), "the browser complains of nothing")
    finally:
        browser.close()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    vidscan = Path(sys.argv[1]).resolve()
    pictures = Path(sys.argv[2]) if len(sys.argv) == 3 else None
    sample = Path(__file__).resolve().parent.parent / "samples/faces.mp4"
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        (work / "in/day").mkdir(parents=True)
        for name in NAMES:
            # A slash would be a folder.
            shutil.copy(sample, work / "in" / name)
        (work / "in/cut.mp4").write_bytes(sample.read_bytes()[:400_000])
        (work / "in/broken.mp4").write_text("no video")
        command = [vidscan, "batch", "in", "--output", "out", "--report", "--every-frame", "--jobs", "2", "--quiet"]
        batch = subprocess.Popen(command, cwd=work)
        page = work / "out/index.html"
        until(page.exists, "the page exists while the batch runs")
        browser = Browser(1280, 900, False)
        browser.call("POST", "/url", {"url": page.as_uri()})
        until(lambda: text(browser, "#live-state") == "Running", "the page says that the batch runs")
        made = browser.run("return document.getElementById('live').dataset.page")
        until(lambda: "%" in text(browser, "#live-files"), "files in progress have a percentage")
        expect(" left" in text(browser, "#live-counts"), f"counts: {text(browser, '#live-counts')}; {text(browser, '#live-speed')}")
        browser.run(
            "const s = document.getElementById('search'); s.value = 'clip'; s.dispatchEvent(new Event('input'));"
            "document.querySelector('#files th:nth-child(3) button').click()")
        until(lambda: browser.run("return document.getElementById('live').dataset.page") > made, "the page reloads itself")
        state = browser.run(
            "return [document.getElementById('search').value, document.querySelector('#files th:nth-child(3)').ariaSort,"
            "document.querySelectorAll('#files tbody tr').length]")
        expect(state == ["clip", "ascending", 1], f"after reloading, search and order are the same {state}")
        if pictures:
            browser.screenshot(pictures / "batch-running.png")
        browser.run("const s = document.getElementById('search'); s.value = ''; s.dispatchEvent(new Event('input'))")
        until(lambda: batch.poll() is not None, "the batch ends", 300)
        until(lambda: text(browser, "#live-state").startswith("Finished"), "the page says that the batch has finished")
        until(lambda: "6 done" in text(browser, ".lead"), "the page shows all files as done")
        expect(text(browser, ".lead") == "7 files: 1 failed, 6 done; 1 with warnings", text(browser, ".lead"))
        time.sleep(1)
        asked = requests(browser)
        outside = [url for url in asked if not url.startswith((page.parent.as_uri() + "/index.html", page.parent.as_uri() + "/status.js", "data:"))]
        expect(asked and not outside, f"only the page and its state are loaded {outside}")
        time.sleep(5)
        expect(not requests(browser), "nothing is loaded after the end")
        expect(browser.run("return document.title") == "out · vidscan", "names are text")
        names = browser.run("return [...document.querySelectorAll('#files bdi:first-child')].map(e => e.textContent)")
        expect(set(NAMES) <= set(names), "names are shown as they are")
        expect(
            browser.run("return [...document.images].length >= 10 && [...document.images].every(i => i.naturalWidth > 0)"),
            "pictures of faces load")

        # A process that was killed cannot say so.
        status = json.loads((work / "out/status.json").read_text())
        status.update(state="running", updated=time.time() - 60)
        (work / "out/status.js").write_text(f"vidscanStatus({json.dumps(status)});")
        browser.call("POST", "/refresh", {})
        until(lambda: text(browser, "#live-state").startswith("Interrupted: nothing was heard"), "a killed batch is interrupted")
        status.update(state="finished")
        (work / "out/status.js").write_text(f"vidscanStatus({json.dumps(status)});")
        errors = [entry["message"] for entry in browser.log("browser")]
        expect(not errors, f"the browser complains of nothing {errors}")
        browser.close()

        for width, dark in ((1280, False), (1280, True), (400, False)):
            browser = Browser(width, 900, dark)
            browser.call("POST", "/url", {"url": page.as_uri()})
            time.sleep(1)
            expect(browser.run("return document.documentElement.scrollWidth <= innerWidth"), f"{width} pixels: nothing sticks out")
            if pictures:
                browser.screenshot(pictures / f"batch-{width}-{'dark' if dark else 'light'}.png")
            browser.close()

        journal = sqlite3.connect(work / "out/batch.sqlite")
        columns = [row[1] for row in journal.execute("PRAGMA table_info(item)")]
        row = dict(zip(columns, journal.execute("SELECT * FROM item WHERE status = 'done'").fetchone()))
        for number in range(20_000):
            row |= {"place": f"many/{number}.mp4.vidscan", "path": f"/many/{number}.mp4"}
            journal.execute(f"INSERT INTO item ({','.join(columns)}) VALUES ({','.join('?' * len(columns))})", [row[c] for c in columns])
        journal.commit()
        journal.close()
        subprocess.run(command, cwd=work, capture_output=True)
        browser = Browser(1280, 900, False)
        begin = time.monotonic()
        browser.call("POST", "/url", {"url": page.as_uri()})
        expect(time.monotonic() - begin < 5, f"20,000 files: {page.stat().st_size / 1e6:.1f} MB, shown after {time.monotonic() - begin:.1f} s")
        begin = time.monotonic()
        browser.run("document.querySelector('#files th:nth-child(5) button').click(); document.body.offsetHeight")
        expect(time.monotonic() - begin < 2, f"20,000 files: sorted in {time.monotonic() - begin:.1f} s")
        browser.run("document.getElementById('more').click()")
        expect(browser.run("return document.querySelectorAll('#files tbody tr').length") == 1000, "more files on request")
        browser.close()
        check_study(vidscan, make_study(vidscan, work, sample), work, pictures)


if __name__ == "__main__":
    main()
