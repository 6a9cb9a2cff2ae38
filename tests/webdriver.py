"""A small W3C WebDriver client: a headless Chromium, driven through chromedriver."""

import base64
import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
CHROMEDRIVER = shutil.which("chromedriver")
ENTER = "\ue007"
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the standard's name of the field that holds an element's id
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --disable-dev-shm-usage --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1200,900"
)


class Browser:
    """One browser session. An element is named by its CSS selector and must be the first that matches."""

    def __init__(self, driver: str, flags: list[str]) -> None:
        # Of what a page does, only its requests are looked at: to hear of the rest took a tenth of the browser's time.
        options = {"args": flags, "binary": CHROMIUM, "perfLoggingPrefs": {"enablePage": False}}
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        self._http = httpx.Client(base_url=driver, timeout=60)
        self._session = ""
        self._session = self._send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def close(self) -> None:
        self._send("DELETE", "")
        self._http.close()

    def open(self, url: str) -> None:
        """Open a page in a tab of its own, which shares no session storage with the one before; that one is closed."""
        handle = self._send("POST", "/window/new", {"type": "tab"})["handle"]
        self._send("DELETE", "/window")
        self._send("POST", "/window", {"handle": handle})
        self._send("POST", "/url", {"url": url})

    def visit(self, url: str, forgetting: str = "sessionStorage.clear()") -> None:
        """Open a page in this tab, which forgets its session and all that it pretended: a tab of its own takes a new
        process. `forgetting` runs before the page's own scripts, when those of the page before, which may keep something
        until then, have ended."""
        self.pretend("clearDeviceMetricsOverride")
        self.pretend("setEmulatedMedia", features=[])
        script = self.devtools("Page.addScriptToEvaluateOnNewDocument", source=forgetting)
        self._send("POST", "/url", {"url": url})
        self.devtools("Page.removeScriptToEvaluateOnNewDocument", **script)

    @contextmanager
    def second_tab(self, url: str) -> Iterator[None]:
        """Be in another tab beside this one, which is closed afterwards."""
        first = self._send("GET", "/window")
        handle = self._send("POST", "/window/new", {"type": "tab"})["handle"]
        self._send("POST", "/window", {"handle": handle})
        self._send("POST", "/url", {"url": url})
        yield
        self._send("DELETE", "/window")
        self._send("POST", "/window", {"handle": first})

    def reload(self) -> None:
        self._send("POST", "/refresh", {})

    def click(self, css: str) -> None:
        # In the middle of the window no sticky part of the page lies above it.
        self.run("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", css)
        self._send("POST", f"/element/{self._find(css)}/click", {})

    def type(self, css: str, text: str) -> None:
        self._send("POST", f"/element/{self._find(css)}/value", {"text": text})

    def paste(self, css: str, text: str) -> None:
        """Put text into a field at once, as from the clipboard."""
        self.run("document.querySelector(arguments[0]).focus()", css)
        self.devtools("Input.insertText", text=text)

    def press(self, keys: str) -> None:
        """Press keys one after the other, on whatever has the focus."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._send("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def accept(self) -> str:
        """Accept the open dialog box of the browser; what it asked."""
        text = str(self._send("GET", "/alert/text"))
        self._send("POST", "/alert/accept", {})
        return text

    def label(self, css: str) -> str:
        """The element's name as a screen reader says it."""
        return str(self._send("GET", f"/element/{self._find(css)}/computedlabel"))

    def run(self, script: str, *arguments: Any) -> Any:
        """What the body of a function returns that is run in the page."""
        return self._send("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait_for(self, script: str, *arguments: Any) -> Any:
        """What the body of a function hands to its last argument, a function, when it is done."""
        return self._send("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def text(self, css: str) -> str:
        """The text of all elements that match and are displayed, joined by line ends."""
        return str(
            self.run(
                "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility()).map(e => e.innerText).join('\\n')",
                css,
            )
        )

    def wait(self, css: str, right: Callable[[str], bool] = bool, seconds: float = 30) -> str:
        """Wait until the text of `css` is right, and return it."""
        end = time.monotonic() + seconds
        while not right(text_now := self.text(css)):
            assert time.monotonic() < end, (
                f"the text of {css} is still {text_now!r}; the page says {self.text('#say')!r}, the console {self.console()}"
            )
            time.sleep(0.05)
        return text_now

    def console(self) -> list[str]:
        """Everything the browser's console was told since the last call."""
        return [entry["message"] for entry in self._send("POST", "/se/log", {"type": "browser"})]

    def requested(self) -> list[str]:
        """The address of every request since the last call."""
        events = [
            json.loads(entry["message"])["message"] for entry in self._send("POST", "/se/log", {"type": "performance"})
        ]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def pretend(self, command: str, **parameters: Any) -> None:
        """What the DevTools' Emulation does to this tab, such as `setDeviceMetricsOverride`."""
        self.devtools(f"Emulation.{command}", **parameters)

    def devtools(self, command: str, **parameters: Any) -> Any:
        """What the DevTools answer to a command for this tab, such as `Network.clearBrowserCache`."""
        return self._send("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._send("GET", "/screenshot")))

    def _find(self, css: str) -> str:
        return str(self._send("POST", "/element", {"using": "css selector", "value": css})[_ELEMENT])

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        prefix = f"/session/{self._session}" if self._session else ""
        value = self._http.request(method, prefix + path, json=body).json()["value"]
        if isinstance(value, dict) and "error" in value:
            raise AssertionError(f"{method} {path} {body}: {value['error']}: {value['message']}")
        return value


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """A fresh headless Chromium that keeps its profile in this folder."""
    assert CHROMEDRIVER is not None, "the caller asks for it first"
    process = subprocess.Popen([CHROMEDRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        port = next(
            match[1] for line in process.stdout if (match := re.search(r"started successfully on port (\d+)", line))
        )
        browser = Browser(f"http://127.0.0.1:{port}", [*_FLAGS.split(), f"--user-data-dir={profile}"])
        try:
            yield browser
        finally:
            browser.close()
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()
