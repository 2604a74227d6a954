"""Pictures of the pages for the README.

    python -m listenbench.web.screenshots --data data/test-0 --out docs/images

Needs Playwright and a Chromium.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from listenbench.errors import DataError, ListenbenchError, SpecError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Opener = Callable[["Page", Path, Path], AbstractContextManager[None]]
"""Brings a browser's page into the state to be shown, from a data set and with a folder for files of its own.

The page stays as it is, and its server runs, until the context ends.
"""

_WINDOW: Final[Any] = {"width": 1280, "height": 860}
_CHROMIUMS: Final = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def open_browse(page: Page, data: Path, _scratch: Path) -> Iterator[None]:
    """Open the item browser at an item of melody, its answer shown and a recording half-way."""
    from listenbench.web.browse_app import browse_app
    from listenbench.web.item_index import read_index
    from listenbench.web.server import LOCAL_HOST, running

    with running(browse_app(read_index(data), LOCAL_HOST, answers=True)) as address:
        page.goto(address)
        page.wait_for_load_state("networkidle")
        page.locator(".reveal").first.click()
        page.locator("[data-seek]").nth(1).fill("4.2")
        yield


PAGES: Final[tuple[tuple[str, Opener], ...]] = (("browse", open_browse),)
"""Every page that is shown: the name of its picture, and how it is opened."""


def take_screenshots(browser: Browser, data: Path, out: Path) -> list[Path]:
    """Write a PNG file of every page.

    Parameters
    ----------
    browser : Browser
        A running Chromium.
    data : Path
        The data set that the pages show.
    out : Path
        Folder of the pictures; made if need be.

    Returns
    -------
    list of Path
        The files, in the order of `PAGES`.

    Raises
    ------
    DataError
        If the data set can't be shown, or a file not be written.
    """
    with TemporaryDirectory() as scratch:
        return [_take(browser, name, opener, data, out, Path(scratch)) for name, opener in PAGES]


def _take(browser: Browser, name: str, opener: Opener, data: Path, out: Path, scratch: Path) -> Path:
    page = browser.new_page(viewport=_WINDOW, color_scheme="light", reduced_motion="reduce")
    with opener(page, data, scratch):
        picture = _reduced(page.screenshot(animations="disabled", caret="hide"))
    page.close()
    target = out / f"{name}.png"
    partial = out / f".{name}.png.partial"
    try:
        out.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(picture)
        partial.replace(target)
    except OSError as error:
        raise DataError(f"{target}: can't write this file: {error.strerror}") from None
    return target


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a running Chromium.

    Raises
    ------
    SpecError
        If Playwright or Chromium is missing.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise SpecError("screenshots need Playwright: python -m pip install playwright") from None
    path = next(filter(None, map(shutil.which, _CHROMIUMS)), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=["--mute-audio"])
        except Error:
            raise SpecError("screenshots need Chromium: install the package chromium") from None
        yield browser
        browser.close()


def _reduced(png: bytes) -> bytes:
    """Return the same picture in fewer bytes."""
    from PIL import Image

    buffer = BytesIO()
    with Image.open(BytesIO(png)) as image:
        image.convert("RGB").save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


@click.command()
@click.option("--data", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The data set.")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Folder to write to."
)
def command(data: Path, out: Path) -> None:
    """Take pictures of the pages.

    \b
    Example:
      python -m listenbench.web.screenshots --data data/test-0 --out docs/images
    """
    with chromium() as browser:
        for path in take_screenshots(browser, data, out):
            click.echo(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    try:
        command()
    except ListenbenchError as problem:
        click.echo(f"listenbench: {problem}", err=True)
        sys.exit(2)
