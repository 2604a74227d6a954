"""What a test asks of a page in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = {"serious", "critical"}
COLOURS = {"runOnly": ["color-contrast"]}
"""The one rule whose outcome depends on the colours."""


def accessibility_faults(page: Page) -> list[str]:
    """Return the serious violations that axe-core finds on a page, in light and in dark."""
    page.emulate_media(color_scheme="light")
    faults = _violations(page, {})
    page.emulate_media(color_scheme="dark")
    faults += _violations(page, COLOURS)
    page.emulate_media(color_scheme="null")
    return faults


def _violations(page: Page, options: dict[str, Any]) -> list[str]:
    found = Axe().run(page, options={"resultTypes": ["violations"], **options}).response["violations"]
    return [f"{each['id']}: {each['help']}" for each in found if each["impact"] in SERIOUS]


def address(path: Path) -> str:
    """Return the address of a file."""
    return path.resolve().as_uri()
