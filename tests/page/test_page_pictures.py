"""The pictures that README and guides show: a real run in Chromium with documents of our own.

`python run.py test -m pictures` writes them anew, into the folder that the guides show them from.
"""

import io
from collections.abc import Iterator
from pathlib import Path

import httpx
import pymupdf
import pytest
from PIL import Image

from browsing import add, ask, enter, eventually, needs_chromium
from conftest import Server
from docqa import ROOT
from webdriver import Browser

pytestmark = needs_chromium

FOLDER = ROOT / "docqa" / "help" / "pictures"
DESKTOP = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
COLOURS = 128  # of a picture: letters stay crisp, and it takes a third
LEASE = """
<h1>Lease of the warehouse at Dreggen 7</h1>
<p>Between Nordhavn Storage AS, represented by Kari Nordmann, and the Bergen Rowing Club, represented by Ole Vik.</p>
<h2>1 The premises</h2>
<p>The warehouse has 640 square metres on two floors and a slipway of its own. The club uses it to keep and mend boats; any
other use needs the landlord's consent in writing.</p>
<h2>2 Term</h2>
<p>The lease begins on 1 June 2026 and ends on 31 May 2031. It is renewed for two years unless one of the parties gives
notice six months before its end.</p>
<h2>3 Rent</h2>
<p>The monthly rent is 12,400 euros. It is due on the third working day of each month. A payment that is more than ten days
late bears interest of 6 per cent a year.</p>
<h2>4 Repairs</h2>
<p>The landlord keeps the roof, the outer walls and the slipway in repair. The tenant mends what its use wears out, up to 900
euros for each repair and 3,000 euros a year. Damage that grows because it was not told within a week is the tenant's.</p>
<h2>5 Access</h2>
<p>The landlord may enter the premises on two days' notice, without notice where there is danger. The slipway is open to the
harbour's rescue boat at any hour, and nothing may be left on it overnight.</p>
<h2>6 Deposit</h2>
<p>The tenant pays a deposit of three months' rent before the term begins, into an account that both parties hold. It is
given back with its interest within a month of the end of the lease, less what section 4 leaves unpaid.</p>
<h2>7 End</h2>
<p>The premises are handed back swept and empty. Racks that the club has put up may stay if the landlord agrees; their value
is then paid as two surveyors estimate it.</p>
"""
MINUTES = """# Minutes of the board, 14 March 2026

The board decided to rent the warehouse at Dreggen 7. Ole Vik signs the lease.

The fee for a berth is 180 euros a year from June on. Members under 21 pay half of it.
"""
BOATS = (
    "Boat,Built,Seats,State\nAlke,1998,2,in use\nSkarv,2011,4,in use\nLomvi,1987,8,being mended\nTeist,2020,1,in use\n"
)


def lease() -> bytes:
    """The lease as a PDF of two pages."""
    document = pymupdf.open()
    document.new_page().insert_htmlbox((60, 70, 535, 780), LEASE.split("<h2>3")[0])
    document.new_page().insert_htmlbox((60, 70, 535, 780), "<h2>3" + LEASE.split("<h2>3")[1])
    content: bytes = document.tobytes(garbage=4, deflate=True)
    return content


@pytest.fixture
def pretended(page: Browser) -> Iterator[Browser]:
    yield page
    page.pretend("clearDeviceMetricsOverride")
    page.pretend("setEmulatedMedia", features=[])


def shot(page: Browser, path: Path, colours: str) -> None:
    """A screenshot, as a PNG with few colours."""
    page.pretend("setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": colours}])
    page.run("document.activeElement.blur()")
    page.screenshot(path)
    picture = Image.open(io.BytesIO(path.read_bytes())).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def pictures(page: Browser, client: httpx.Client, folder: Path) -> None:
    """Add documents, ask, open what is cited, and take pictures of it."""
    page.pretend("setDeviceMetricsOverride", **DESKTOP)
    add(client, BOATS, "boats.csv")
    add(client, MINUTES, "minutes 2026-03.md")
    client.post("/v1/api/upload", files={"file": ("lease.pdf", lease())}).raise_for_status()
    eventually(lambda: all(entry["summary"] for entry in client.get("/v1/api/documents").json()["documents"]), 60)
    enter(page, client)
    page.wait("#documents", lambda text: "lease.pdf" in text)
    page.run("document.querySelectorAll('#documents input:not(:checked)').forEach((box) => box.click())")
    answer = ask(page, "How much is the monthly rent, and when is it due?")
    assert "12,400 euros" in answer and "third working day" in answer
    page.wait(".sources button", lambda text: "lease.pdf, page 2" in text)
    shot(page, folder / "desk.png", "light")
    shot(page, folder / "dark.png", "dark")
    page.click(".answer button")
    page.run("document.querySelector('#place-picture').decode().catch(() => 0)")
    page.wait("#place-title")
    eventually(lambda: page.run("return document.querySelector('#place-picture').naturalWidth > 0"))
    shot(page, folder / "place.png", "light")
    page.click("#place-close")
    page.pretend("setDeviceMetricsOverride", **PHONE)
    page.run("document.querySelector('#talk > li').scrollIntoView()")
    shot(page, folder / "phone.png", "light")


NAMES = {"desk.png": (1280, 800), "dark.png": (1280, 800), "place.png": (1280, 800), "phone.png": (780, 1688)}


def test_the_guides_show_what_a_person_sees(
    pretended: Browser, reader: httpx.Client, server: Server, tmp_path: Path
) -> None:
    server.wait("/healthz", "embedding", "ready")
    pictures(pretended, reader, tmp_path)
    assert {path.name for path in FOLDER.glob("*.png")} == set(NAMES)
    for name, size in NAMES.items():
        for path in (tmp_path / name, FOLDER / name):
            assert Image.open(path).size == size, f"{path} is of another time: run.py test -m pictures"


@pytest.mark.pictures
def test_write_the_pictures_anew(pretended: Browser, reader: httpx.Client, server: Server) -> None:
    server.wait("/healthz", "embedding", "ready")
    pictures(pretended, reader, FOLDER)
