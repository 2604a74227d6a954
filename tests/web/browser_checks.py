"""What a test asks of a page in the browser."""

from __future__ import annotations

from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = {"serious", "critical"}


def accessibility_faults(page: Page) -> list[str]:
    """Return the serious violations that axe-core finds on a page."""
    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [f"{each['id']}: {each['help']}" for each in violations if each["impact"] in SERIOUS]


def address(path: Path) -> str:
    """Return the address of a file."""
    return path.resolve().as_uri()
