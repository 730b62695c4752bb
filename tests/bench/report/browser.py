"""A headless Chromium, driven over its debugging pipe: no package is needed for that."""

import base64
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"),
)


class Browser:
    """One window. Chromium reads commands from its file descriptor 3 and answers on 4, each ended by a zero byte."""

    def __init__(self, profile: Path) -> None:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        if chromium is None:
            pytest.skip("there is no chromium on this machine; on Debian: apt-get install chromium")
        theirs, ours = os.pipe()
        back, answers = os.pipe()
        call = f'exec "$0" "$@" 3<&{theirs} 4>&{answers}'
        self._process = subprocess.Popen(
            ["bash", "-c", call, chromium, *FLAGS, f"--user-data-dir={profile}"],
            pass_fds=(theirs, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(answers)
        self._to, self._from, self._count, self._rest = ours, back, 0, b""
        self._session: str | None = None
        self.requests: list[str] = []  # addresses the page asked for
        self.errors: list[str] = []  # exceptions the page did not catch
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        self._session = None
        self.send("Browser.close")
        self._process.wait(30)
        os.close(self._to)
        os.close(self._from)

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Give a command and wait for its answer."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def open(self, path: Path, width: int, *, dark: bool = False, fragment: str = "") -> None:
        """Load a file in a window `width` CSS pixels wide, anew."""
        self.visit(f"{path.as_uri()}{fragment}", width, dark=dark)

    def visit(self, address: str, width: int, *, dark: bool = False) -> None:
        """Load any address in a window `width` CSS pixels wide, anew."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setScrollbarsHidden", hidden=True)  # as on a telephone, so that `width` is all usable
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.requests.clear()
        self.errors.clear()
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=address)
        self.evaluate("new Promise(done => document.readyState === 'complete' ? done() : (onload = () => done()))")

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """A key, by its name in the DOM ("Tab", "Enter", "Escape"), or a letter or digit."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowRight": 39}
        text = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
        code = codes.get(key, ord(key[0].upper()))
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text)

    def write(self, text: str) -> None:
        """Into whatever has the focus."""
        self.send("Input.insertText", text=text)

    def click(self, selector: str) -> None:
        """The middle of the first element that matches, once it is there and in sight."""
        self.wait(f"!!document.querySelector({json.dumps(selector)})")
        x, y = self.hover(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def wait(self, script: str, seconds: float = 60.0) -> None:
        """Until an expression in the page is true."""
        end = time.monotonic() + seconds
        while self.evaluate(f"Boolean({script})") is not True:
            assert time.monotonic() < end, f"{script}: {self.evaluate('document.body.innerText')[:1500]}"
            time.sleep(0.05)

    def hover(self, selector: str) -> tuple[float, float]:
        """Move the pointer to the middle of the first element that matches; gives the place."""
        element = f"document.querySelector({json.dumps(selector)})"
        self.evaluate(f"{element}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        x, y = self.evaluate(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({element}.getBoundingClientRect())")
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return x, y

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        """A PNG of the whole page, or of what the window shows."""
        answer = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            chunk = os.read(self._from, 1 << 16)
            assert chunk, "chromium ended"
            self._rest += chunk
        text, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(text)
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(message["params"]["exceptionDetails"]))
        return message
