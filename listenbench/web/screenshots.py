"""Pictures of the pages for the README.

    python -m listenbench.web.screenshots --data data/test-0 --out docs/images --predictions dsp.jsonl

Needs Playwright and a Chromium.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from listenbench.dataset import METADATA, read_rows
from listenbench.errors import DataError, ListenbenchError, SpecError
from listenbench.scoring.bootstrap import RESAMPLES
from listenbench.whole_files import write_whole

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@dataclass(frozen=True, slots=True)
class Material:
    """What pages are made from.

    Attributes
    ----------
    data : Path
        The data set.
    predictions : tuple of Path
        What the report is about.
    scratch : Path
        A folder for files of a page's own.
    """

    data: Path
    predictions: tuple[Path, ...]
    scratch: Path


Opener = Callable[["Page", Material], AbstractContextManager[None]]
"""Brings a browser's page into the state to be shown.

The page stays as it is, and its server runs, until the context ends.
"""

_WINDOW: Final[Any] = {"width": 1280, "height": 860}
_SMALL_WINDOW: Final[Any] = {"width": 800, "height": 700}
_CHROMIUMS: Final = ("chromium", "chromium-browser", "google-chrome")
_QUESTIONS: Final = 48
_FASTEST: Final = 16


@contextmanager
def open_browse(page: Page, material: Material) -> Iterator[None]:
    """Open the item browser at an item of melody, its answer shown and a recording half-way."""
    from listenbench.web.browse_app import browse_app
    from listenbench.web.item_index import read_index
    from listenbench.web.server import LOCAL_HOST, running

    with running(browse_app(read_index(material.data), LOCAL_HOST, answers=True)) as address:
        page.goto(address)
        page.wait_for_load_state("networkidle")
        page.locator(".reveal").first.click()
        page.locator("[data-seek]").nth(1).fill("4.2")
        yield


@contextmanager
def open_report(page: Page, material: Material) -> Iterator[None]:
    """Open the report at its headline."""
    from listenbench.scoring.console import Settings
    from listenbench.web.report import make_report

    settings = Settings(duplicates="error", strict=False, resamples=RESAMPLES, seed=0)
    report = material.scratch / "report.html"
    report.write_text(make_report(material.predictions, material.data, settings, players=0).html, "utf-8")
    page.goto(report.as_uri())
    yield


@contextmanager
def open_listen(page: Page, material: Material) -> Iterator[None]:
    """Open the listening test at its first question, heard to the end."""
    recordings = sum(1 for _ in read_rows(material.data / METADATA))
    command = [
        *(sys.executable, "-m", "listenbench", "listen", "--data", str(material.data), "--port", "0"),
        *("--out", str(material.scratch / "human.jsonl"), "--items", str(min(_QUESTIONS, recordings))),
        *("--no-headphone-check", "--practice", "0"),
    ]
    page.set_viewport_size(_SMALL_WINDOW)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().split() if server.stdout else []
            if not address:
                raise DataError(f"{material.data}: no listening test can be made of it")
            page.goto(address[0])
            _go_to_first_question(page)
            yield
        finally:
            server.terminate()


def _go_to_first_question(page: Page) -> None:
    page.get_by_label("I agree to take part").check()
    _follow(page, "Begin")
    _hear(page, opens="#next")
    for name in ("The volume is right", "Go on", "Start the test"):
        _follow(page, name)
    _hear(page, opens=".answer")


def _follow(page: Page, name: str) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=name).click()


def _hear(page: Page, opens: str) -> None:
    """Play a recording until its end has opened a button."""
    page.locator("#sound").evaluate("(sound, rate) => { sound.playbackRate = rate; }", _FASTEST)
    page.locator("#play").click()
    page.wait_for_selector(f"{opens}:enabled")


PAGES: Final[tuple[tuple[str, Opener], ...]] = (
    ("report", open_report),
    ("browse", open_browse),
    ("listen", open_listen),
)
"""Every page that is shown: the name of its picture, and how it is opened."""


def take_screenshots(browser: Browser, data: Path, out: Path, predictions: Sequence[Path]) -> list[Path]:
    """Write a PNG file of every page.

    Parameters
    ----------
    browser : Browser
        A running Chromium.
    data : Path
        The data set that the pages show.
    out : Path
        Folder of the pictures; made if need be.
    predictions : sequence of Path
        What the report is about, at least one.

    Returns
    -------
    list of Path
        The files, in the order of `PAGES`.

    Raises
    ------
    DataError
        If data set or predictions can't be shown, or a file not be written.
    """
    with TemporaryDirectory() as scratch:
        material = Material(data, tuple(predictions), Path(scratch))
        return [_take(browser, name, opener, material, out) for name, opener in PAGES]


def _take(browser: Browser, name: str, opener: Opener, material: Material, out: Path) -> Path:
    page = browser.new_page(viewport=_WINDOW, color_scheme="light", reduced_motion="reduce")
    with opener(page, material):
        picture = _reduced(page.screenshot(animations="disabled", caret="hide"))
    page.close()
    target = out / f"{name}.png"
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_whole(target, picture)
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
@click.option(
    "--predictions",
    required=True,
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What the report is about; may be given several times.",
)
def command(data: Path, out: Path, predictions: tuple[Path, ...]) -> None:
    """Take pictures of the pages.

    \b
    Example:
      python -m listenbench.web.screenshots --data data/test-0 --out docs/images --predictions dsp.jsonl
    """
    with chromium() as browser:
        for path in take_screenshots(browser, data, out, predictions):
            click.echo(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    try:
        command()
    except ListenbenchError as problem:
        click.echo(f"listenbench: {problem}", err=True)
        sys.exit(2)
