"""A small rendered data set, and a real browser, which notes whatever a page must not do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser_checks import watch
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from listenbench.generation import generate
from listenbench.splits import load_split

SPLIT = """
name = "browsed"
items = 2
variants = ["clean", "flip", "stay"]
texture = ["solo", "accompanied"]
soundfonts = ["timgm6mb"]

[tasks.melody]
window_seconds = 2.5
rungs = [200, 400]
stay = ["transposition"]
pitches = [[58, 79]]

[tasks.rhythm]
window_seconds = 4.0
rungs = [1.5]
stay = ["hiss"]
"""
OPTIONS = [
    "--autoplay-policy=no-user-gesture-required",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-sync",
    "--mute-audio",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four items: two of melody, two of rhythm; each with three recordings."""
    folder = tmp_path_factory.mktemp("rendered")
    (folder / "browsed.toml").write_text(SPLIT, "utf-8")
    return generate(load_split(folder / "browsed.toml"), 1, folder / "data", workers=1).folder


def browser_path() -> str | None:
    """Return the Chromium of this machine; continuous integration installs one and insists on it."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = browser_path()
    if path is None:
        if os.environ.get("LISTENBENCH_TEST_BROWSER") == "required":
            pytest.fail("there is no Chromium: install the package chromium")
        pytest.skip("there is no Chromium on this machine: on Debian, apt-get install chromium")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=OPTIONS, chromium_sandbox=False)
        yield running
        running.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a page of its own context; at the end no page may have had a fault."""
    contexts: list[BrowserContext] = []
    faults: list[list[str]] = []

    def make(**options: object) -> Page:
        context = browser.new_context(**options)  # type: ignore[arg-type]  # Playwright's own options
        contexts.append(context)
        page = context.new_page()
        faults.append(watch(page))
        return page

    yield make
    for context in contexts:
        context.close()
    assert [fault for each in faults for fault in each] == []


@pytest.fixture(scope="module")
def watched_page(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    context = browser.new_context()
    page = context.new_page()
    yield page, watch(page)
    context.close()


@pytest.fixture
def lasting_page(watched_page: tuple[Page, list[str]]) -> Iterator[Page]:
    """Return the page that the tests of a module share, for those that leave nothing behind in it."""
    page, faults = watched_page
    yield page
    told = [*faults]
    faults.clear()
    assert told == []


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()
