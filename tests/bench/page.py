"""How heavy the page is and how soon it can be used, on loopback: python tests/bench/page.py [LOADS]

Each load begins with an empty cache: bytes and requests, then milliseconds until the field for the key has the focus, and
until that for the question has it, signed in with ten documents. Ratios to the first answer of the server, which is there
for the same machine and moment: times alone depend on what else runs.
"""

import statistics
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from browsing import BOAT, add, eventually
from conftest import start_server, stop_server
from webdriver import Browser, chromium

DOCUMENTS = 10
# The field that has the focus when the page can be used, and when that was.
WATCH = """
    const look = () => {
        if (document.activeElement?.matches("#key, #question") && document.activeElement.checkVisibility()) window.usable = performance.now();
        else requestAnimationFrame(look);
    };
    look();
"""
READ = """
    const parts = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
    const files = parts.filter(({ name }) => !/\\/v1\\/|healthz/.test(name));
    return [usable, performance.getEntriesByType("navigation")[0].responseEnd, files.length, files.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)];
"""


def measure(browser: Browser, state: str, loads: int) -> None:
    """Print the medians of so many loads, in this `state`."""
    rows = []
    for _ in range(loads):
        browser.devtools("Network.clearBrowserCache")
        browser.reload()
        eventually(lambda: bool(browser.run("return window.usable")))
        rows.append(browser.run(READ))
    usable, answered, files, size = (statistics.median(column) for column in zip(*rows, strict=True))
    print(
        f"{state}: usable after {usable:.0f} ms (worst {max(row[0] for row in rows):.0f}), {usable / answered:.1f} times "
        f"the server's first answer of {answered:.0f} ms; {files:.0f} files, {size / 1000:.0f} kB"
    )


def main() -> None:
    loads = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = start_server(folder / "data", DOCQA_EMBEDDER="none")
        try:
            with chromium(folder / "chromium") as browser, server.client() as client:
                for number in range(DOCUMENTS):
                    add(client, f"{BOAT} {number}", f"boat {number}.txt")
                server.wait("/healthz", "indexing", 0)
                browser.open(server.base)
                browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
                measure(browser, "signed out", loads)
                browser.run("sessionStorage.setItem('key', arguments[0])", server.key)
                measure(browser, "signed in", loads)
        finally:
            stop_server(server)


if __name__ == "__main__":
    main()
