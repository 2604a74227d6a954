"""What a test asks of a page in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

OURS = {"", "127.0.0.1", "localhost"}
SERIOUS = {"serious", "critical"}
PHONE: Final[ViewportSize] = {"width": 360, "height": 740}
COLOURS = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}
"""The one rule whose outcome depends on the colours."""


def accessibility_faults(page: Page) -> list[str]:
    """Return the serious violations that axe-core finds on a page, in light and in dark."""
    page.emulate_media(color_scheme="light")
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    page.emulate_media(color_scheme="dark")
    found += page.evaluate("async options => (await axe.run(options)).violations", COLOURS)
    page.emulate_media(color_scheme="null")
    return [f"{each['id']}: {each['help']}" for each in found if each["impact"] in SERIOUS]


def look_faults(page: Page) -> list[str]:
    """Return in what a page doesn't follow the light or dark setting, or the width of a phone."""
    found = []
    for look in ("light", "dark"):
        page.emulate_media(color_scheme=look)  # type: ignore[arg-type]  # Playwright knows these as literals
        colour = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        if (sum(map(int, colour[4:-1].split(","))) < 300) != (look == "dark"):
            found.append(f"the background is {colour} where {look} is wanted")
    page.emulate_media(color_scheme="null")
    size = page.viewport_size
    page.set_viewport_size(PHONE)
    width = page.evaluate("document.documentElement.scrollWidth")
    if width > PHONE["width"]:
        found.append(f"the page is {width} pixels wide on a phone of {PHONE['width']}")
    if size is not None:
        page.set_viewport_size(size)
    return found


def address(path: Path) -> str:
    """Return the address of a file."""
    return path.resolve().as_uri()


def watch(page: Page) -> list[str]:
    """Return a list that fills with the page's errors and its requests to other hosts."""
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: faults.append(request.url) if not is_ours(request.url) else None)
    return faults


def is_ours(url: str) -> bool:
    """Return whether an address is of this machine or of no machine at all."""
    parts = urlsplit(url)
    return parts.scheme in {"file", "data", "blob"} or (parts.hostname or "") in OURS
