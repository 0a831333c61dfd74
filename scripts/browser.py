"""A session of headless Chromium, to which scripts speak WebDriver over HTTP. Needs only chromedriver (Debian's
chromium-driver)."""

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
            sys.exit(f"{Path(sys.argv[0]).name}: chromedriver did not start")
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
            sys.exit(f"{Path(sys.argv[0]).name}: {json.load(error)['value']['message'].splitlines()[0]}")

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def pointer(self, *actions):
        self.call("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": list(actions)}]})

    def screenshot(self, path):
        Path(path).write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def open(self, page, ready="true"):
        """Loads a page, and waits until a script says that it is ready."""
        self.call("POST", "/url", {"url": Path(page).resolve().as_uri()})
        for _ in range(300):
            if self.run(f"return {ready}"):
                return
            time.sleep(0.1)
        sys.exit(f"{Path(sys.argv[0]).name}: {page} did not become ready")

    def picture(self):
        """A screenshot as PNG."""
        return base64.b64decode(self.call("GET", "/screenshot"))

    def key(self, *keys):
        """Presses keys one after another; WebDriver's codes for special keys."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def complaints(self):
        return [entry["message"] for entry in self.log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """The addresses of all requests since the last call."""
        return [
            json.loads(entry["message"])["message"]["params"]["request"]["url"] for entry in self.log("performance")
            if '"Network.requestWillBeSent"' in entry["message"]]

    def close(self):
        self.call("DELETE", "")
        self.driver.terminate()
        self.driver.wait()


def expect(condition, what):
    if not condition:
        sys.exit(f"{Path(sys.argv[0]).name}: failed: {what}")
    print(f"ok: {what}")
