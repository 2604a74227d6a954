"""What a test asks of a page in the browser."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

OURS = {"", "127.0.0.1", "localhost"}
SERIOUS = {"serious", "critical"}
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
