"""Drives Chromium over the DevTools protocol: enough to open a page, use it and look at it."""

from __future__ import annotations

import base64
import itertools
import json
import shutil
import subprocess
import time
import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.patience import PATIENCE_S

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_chromium() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def browse(profile: Path, what: str) -> Iterator[Browser]:
    """A browser for a module's tests, which are skipped with a warning that names ``what`` where there is none."""
    if find_chromium() is None:
        reason = f"chromium is not installed: {what} is NOT tested in a browser (apt-get install chromium)"
        warnings.warn(reason, stacklevel=3)
        pytest.skip(reason)
    with Browser(profile) as running:
        yield running


class Browser:
    """A headless Chromium with one tab. Console messages, errors and requests are kept for the tests to ask."""

    def __init__(self, profile: Path) -> None:
        program = find_chromium()
        assert program is not None
        self._log = (profile.parent / "chromium.log").open("wb")
        self._process = subprocess.Popen(
            [
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                f"--user-data-dir={profile}",
                "--remote-debugging-port=0",
                "about:blank",
            ],
            stdout=self._log,
            stderr=self._log,
        )
        self._numbers = itertools.count(1)
        self.events: list[dict[str, Any]] = []
        self._socket = self._connect(profile)
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def _connect(self, profile: Path) -> ClientConnection:
        port_file = profile / "DevToolsActivePort"
        while not (port_file.exists() and port_file.read_text().count("\n")):
            assert self._process.poll() is None, f"chromium ended with {self._process.returncode}"
            time.sleep(0.05)
        port = port_file.read_text().split("\n")[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=PATIENCE_S) as answer:
            tab = next(each for each in json.load(answer) if each["type"] == "page")
        return connect(tab["webSocketDebuggerUrl"], max_size=None, proxy=None)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE_S))
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]
            self.events.append(message)

    def open(self, address: str, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url=address)
        loaded = "document.readyState === 'complete' && location.href !== 'about:blank'"
        self.wait_for(f"{loaded} && document.documentElement.dataset.state !== 'loading'")

    def evaluate(self, script: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def click(self, selector: str) -> None:
        """A real click of the mouse in the middle of an element."""
        place = self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center', behavior: 'instant'});"
            "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", buttons=1, clickCount=1
            )

    def wait_for(self, script: str) -> None:
        """Wait until ``script`` is true."""
        deadline = time.monotonic() + PATIENCE_S
        while not self.evaluate(script):
            assert time.monotonic() < deadline, f"never true: {script}"
            time.sleep(0.05)

    def press(self, key: str, code: int, text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **extra)

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def screenshot(self, to: Path, whole: bool = False) -> None:
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        to.write_bytes(base64.b64decode(answer["data"]))

    @property
    def requests(self) -> list[str]:
        """Addresses asked for since the page was opened."""
        sent = [
            each["params"]["request"]["url"] for each in self.events if each["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in sent if url != "about:blank"]

    @property
    def complaints(self) -> list[str]:
        """Errors and warnings of the page since it was opened."""
        kept = []
        for each in self.events:
            params = each.get("params", {})
            if each["method"] == "Runtime.exceptionThrown":
                kept.append(json.dumps(params["exceptionDetails"]))
            elif each["method"] == "Log.entryAdded" or (
                each["method"] == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert")
            ):
                kept.append(json.dumps(params))
        return kept

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._socket.close()
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
