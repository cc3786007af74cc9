"""Chromium as the tests use it: pages opened without a screen, spoken to through a pipe.

The protocol is that of the browser's own developer tools: JSON messages, each ended by a zero byte.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

#: Puts two pipes where the browser looks for them: it reads commands from 3 and answers on 4.
LAUNCH = """
import fcntl, os, sys
pipes = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 100) for end in sys.argv[1:3]]
for place, end in enumerate(pipes, 3):
    os.dup2(end, place)
os.execv(sys.argv[3], sys.argv[3:])
"""
#: No answer takes longer than that.
SECONDS = 60.0


def chromium() -> str:
    """Return the command of the browser, or skip the test."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    pytest.skip("no Chromium here to open the page in: apt install chromium")


class Browser:
    """One page that is open, and what it has said and asked for."""

    def __init__(self) -> None:
        command = chromium()
        self._profile = tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True)
        self._read, theirs_out = os.pipe()
        theirs_in, self._write = os.pipe()

        self._process = subprocess.Popen(
            [
                *(sys.executable, "-c", LAUNCH, str(theirs_in), str(theirs_out)),
                command,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                f"--user-data-dir={self._profile.name}",
                "--remote-debugging-pipe",
                "about:blank",
            ],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._buffer, self._number, self._session = b"", 0, None
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        found = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        """End the browser."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        os.close(self._write)
        self._profile.cleanup()

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Give a command and wait for its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer)
                return answer["result"]
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        end = time.monotonic() + SECONDS
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            part = os.read(self._read, 1 << 20) if ready else b""
            assert part, "the browser does not answer"
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def open(self, path: Path, width: int = 1280, *, dark: bool = False) -> None:
        """Open a file in a window of this width, and wait until it is there."""
        self.resize(width, dark=dark)
        self.events.clear()
        self.send("Page.navigate", url=path.resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def resize(self, width: int, *, dark: bool = False, height: int = 900) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def ask(self, expression: str) -> Any:
        """Return the value of an expression of JavaScript in the page."""
        found = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def requests(self) -> list[str]:
        """Return all that the page has asked for, itself included."""
        asked = [e for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in asked]

    def complaints(self) -> list[Any]:
        """Return what stands in the console: errors, warnings and refusals."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event["params"] for event in self.events if event.get("method") in kinds]

    def picture(self) -> bytes:
        """Return the whole page as PNG."""
        found = self.send("Page.captureScreenshot", captureBeyondViewport=True, format="png")
        return base64.b64decode(found["data"])

    def pdf(self) -> bytes:
        """Return the page as it is printed."""
        found = self.send("Page.printToPDF", printBackground=False, preferCSSPageSize=True)
        return base64.b64decode(found["data"])
