"""Sessions of headless browsers: of Chromium, to which scripts speak WebDriver over HTTP (Debian's chromium-driver), and of
Firefox, to which they speak its own protocol for the same commands, Marionette (Debian's firefox-esr)."""

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
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


class Firefox(Browser):
    """A session of headless Firefox: the program that FIREFOX names, or firefox-esr."""

    PREFERENCES = {
        "marionette.port": 0, "app.update.enabled": False, "browser.shell.checkDefaultBrowser": False,
        "datareporting.policy.dataSubmissionEnabled": False, "browser.download.folderList": 2,
        "media.autoplay.default": 0, "media.gmp-manager.updateEnabled": False}
    COMMANDS = {
        "POST /url": "WebDriver:Navigate", "POST /execute/sync": "WebDriver:ExecuteScript",
        "POST /execute/async": "WebDriver:ExecuteAsyncScript", "POST /actions": "WebDriver:PerformActions",
        "GET /screenshot": "WebDriver:TakeScreenshot", "POST /refresh": "WebDriver:Refresh",
        "GET /window": "WebDriver:GetWindowHandle", "POST /window/new": "WebDriver:NewWindow",
        "POST /window": "WebDriver:SwitchToWindow"}

    def __init__(self, width, height, dark):
        self.profile = Path(tempfile.mkdtemp())
        preferences = {**self.PREFERENCES, "layout.css.prefers-color-scheme.content-override": 0 if dark else 1}
        (self.profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()))
        self.driver = subprocess.Popen(
            [os.environ.get("FIREFOX", "firefox-esr"), "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", self.profile],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = self.profile / "MarionetteActivePort"
        for _ in range(300):
            if port.exists() and port.read_text():
                break
            time.sleep(0.1)
        else:
            sys.exit(f"{Path(sys.argv[0]).name}: Firefox did not start")
        self.socket = socket.create_connection(("127.0.0.1", int(port.read_text())), timeout=60)
        self.number = 0
        self.receive()
        self.command("WebDriver:NewSession", {})
        chrome = self.run("return [outerWidth - innerWidth, outerHeight - innerHeight]")
        self.command("WebDriver:SetWindowRect", {"width": width + chrome[0], "height": height + chrome[1]})

    def receive(self):
        size = b""
        while not size.endswith(b":"):
            size += self.socket.recv(1)
        data = b""
        while len(data) < int(size[:-1]):
            data += self.socket.recv(1 << 16)
        return json.loads(data)

    def command(self, name, body):
        self.number += 1
        text = json.dumps([0, self.number, name, body])
        self.socket.sendall(f"{len(text.encode())}:{text}".encode())
        _, _, error, result = self.receive()
        if error:
            sys.exit(f"{Path(sys.argv[0]).name}: {error['message'].splitlines()[0]}")
        return result.get("value", result) if isinstance(result, dict) else result

    def call(self, method, path, body=None):
        if path == "/goog/cdp/execute":
            parameters = body["params"]
            if "downloadPath" in parameters:
                self.command("Marionette:SetContext", {"value": "chrome"})
                self.run("Services.prefs.setStringPref('browser.download.dir', arguments[0])", parameters["downloadPath"])
                self.command("Marionette:SetContext", {"value": "content"})
            return None
        body = dict(body or {}, **({"full": False} if path == "/screenshot" else {}))
        return self.command(self.COMMANDS[f"{method} {path}"], body)

    def complaints(self):
        """Firefox does not give its console away."""
        return []

    def requests(self):
        return self.run("return [location.href, ...performance.getEntriesByType('resource').map(e => e.name)]")

    def close(self):
        self.command("Marionette:Quit", {"flags": ["eForceQuit"]})
        self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


def expect(condition, what):
    if not condition:
        sys.exit(f"{Path(sys.argv[0]).name}: failed: {what}")
    print(f"ok: {what}")
