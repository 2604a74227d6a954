"""The listening test in a real browser: whole sessions, on a server that is killed and started again."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from browser_checks import accessibility_faults, look_faults, watch
from listening_data import CLIP_SECONDS, SILENCE_SECONDS, Server, make_dataset, serving
from playwright.sync_api import Browser, Page

from listenbench import cli
from listenbench.audio import FLAC
from listenbench.scoring import score
from listenbench.web.listening.sounds import TRIALS

FASTEST = 16
TIMEOUT = 10_000
NOTE_END = """rate => {
    const sound = document.getElementById("sound");
    sound.playbackRate = rate;
    delete sound.dataset.ended;
    sound.addEventListener("ended", () => { sound.dataset.ended = "" }, { once: true });
}"""


@dataclass(frozen=True)
class Material:
    """A data set, and the rows of its key."""

    folder: Path
    rows: list[dict[str, Any]]


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    folder = tmp_path_factory.mktemp("listening") / "data"
    return Material(folder, make_dataset(folder))


def lines(folder: Path) -> list[dict[str, Any]]:
    """Return the answers so far."""
    return [json.loads(line) for line in (folder / "human.jsonl").read_text("utf-8").splitlines()][1:]


def follow(page: Page, name: str) -> None:
    """Press a button that leads to another page."""
    with page.expect_navigation():
        page.get_by_role("button", name=name).click()


def begin(page: Page, server: Server) -> None:
    """Consent, and set the volume."""
    page.goto(server.url)
    page.get_by_label("I agree to take part").check()
    follow(page, "Begin")
    assert page.get_by_role("button", name="The volume is right").is_disabled()
    hear(page, FASTEST)
    follow(page, "The volume is right")


def hear(page: Page, rate: float = 1, *, by_key: bool = False) -> None:
    """Play a recording to its end."""
    page.evaluate(NOTE_END, rate)
    if by_key:
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("Space")
    else:
        page.click("#play")
    page.wait_for_selector("#sound[data-ended]", state="attached")


def answer(page: Page, letter: str, rate: float = 1) -> None:
    """Play a recording, and answer by a key."""
    hear(page, rate)
    page.wait_for_selector(".answer:enabled")
    with page.expect_navigation():
        page.keyboard.press(letter)


def heading(page: Page) -> str:
    return page.inner_text("h1")


@dataclass
class Watcher:
    """Looks at each kind of page once."""

    page: Page
    sources: list[str] = field(default_factory=list)

    def look(self) -> None:
        self.sources.append(self.page.content())
        assert accessibility_faults(self.page) == [], heading(self.page)
        assert look_faults(self.page) == [], heading(self.page)


def come_to_the_test(watcher: Watcher, server: Server) -> None:
    """Go through everything before the first question of the test."""
    page = watcher.page
    page.goto(server.url)
    watcher.look()
    begin(page, server)
    watcher.look()
    for _ in range(TRIALS):
        answer(page, "1", FASTEST)
    # The quietest tone is the first one in two of six trials.
    assert heading(page) == "Are these headphones?"
    watcher.look()
    follow(page, "Go on without")
    watcher.look()
    follow(page, "Practise")
    answer(page, "a")
    assert page.inner_text("#feedback").startswith("That is ")
    watcher.look()
    with page.expect_navigation():
        page.keyboard.press("Enter")  # the button has the focus
    watcher.look()
    follow(page, "Start the test")
    watcher.look()


def answer_after_a_reload(page: Page, folder: Path) -> None:
    """Answer a recording that was heard twice, before the page was loaded again."""
    button = page.locator(".answer").first
    assert button.is_disabled()
    page.keyboard.press("a")
    assert lines(folder) == []
    hear(page)
    hear(page, by_key=True)
    page.wait_for_selector(".answer:enabled")
    page.reload()
    assert button.is_enabled()
    with page.expect_navigation():
        page.keyboard.press("a")


@pytest.mark.slow
def test_nothing_is_lost_by_a_reload_and_a_killed_server(
    new_page: Callable[..., Page],
    material: Material,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--data", str(material.folder), "--items", "4", "--practice", "1", "--break-every", "2"]
    page = new_page()
    page.set_default_timeout(TIMEOUT)
    watcher = Watcher(page)
    with serving(tmp_path, *options) as server:
        come_to_the_test(watcher, server)
        answer_after_a_reload(page, tmp_path)
        token = page.get_attribute("#stage", "data-token")
        options += ["--port", server.port]
        server.end(signal.SIGKILL)
    assert [line["answer"] for line in lines(tmp_path)] == ["A"]
    with serving(tmp_path, *options) as server:
        page.reload()
        assert page.get_attribute("#stage", "data-token") == token
        answer(page, "b")
        assert heading(page) == "Time for a break"
        watcher.look()
        page.reload()
        follow(page, "Go on")
        answer(page, "a")
        answer(page, "b")
        assert heading(page) == "Thank you"
        watcher.look()
        code = page.inner_text(".code")
        follow(page, "Next listener at this computer")
        assert heading(page) == "Listen closely"
        assert server.end(signal.SIGTERM) == (0, "human.jsonl: 4 answers\n", "")

    given = lines(tmp_path)
    assert [line["answer"] for line in given] == ["A", "B", "A", "B"]
    assert [line["place"] for line in given] == [1, 2, 3, 4]
    assert {line["listener"] for line in given} == {code}
    assert len({line["id"] for line in given}) == 4
    assert [line["replays"] for line in given] == [1, 0, 0, 0]
    assert [line["seconds"] is None for line in given] == [True, False, False, False]
    assert {line["headphones"] for line in given} == {2}
    secrets = {row[field] for row in material.rows for field in ("id", "item", "condition")}
    assert not [word for word in secrets for source in watcher.sources if word in source]
    assert cli.run(["score", str(tmp_path / "human.jsonl"), "--data", str(material.folder)]) == 0
    assert "listeners: 1, with 4 answers to 4 of 48 files" in capsys.readouterr().out


def test_recordings_that_are_stored_as_flac_are_heard(page: Page, tmp_path: Path) -> None:
    make_dataset(tmp_path / "data", audio_format=FLAC)
    options = ["--data", "data", "--items", "2", "--practice", "1", "--no-headphone-check"]
    page.set_default_timeout(TIMEOUT)
    kinds: list[str | None] = []
    page.on(
        "response",
        lambda reply: kinds.append(reply.headers.get("content-type")) if "/audio/" in reply.url else None,
    )
    with serving(tmp_path, *options) as server:
        begin(page, server)
        follow(page, "Practise")
        answer(page, "a")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        follow(page, "Start the test")
        bar = page.get_by_role("progressbar", name="Answered")
        assert (page.inner_text(".progress span"), bar.get_attribute("value")) == ("Question 1 of 2", "0")
        hear(page)
        heard = page.evaluate("document.getElementById('sound').duration")
        assert heard == pytest.approx(2 * CLIP_SECONDS + SILENCE_SECONDS, abs=0.001)
        page.wait_for_selector(".answer:enabled")
        with page.expect_navigation():
            page.keyboard.press("a")
        assert (page.inner_text(".progress span"), bar.get_attribute("value")) == ("Question 2 of 2", "1")
        answer(page, "b")
        assert heading(page) == "Thank you"
    assert [line["answer"] for line in lines(tmp_path)] == ["A", "B"]
    assert set(kinds) == {"audio/wav"}


@pytest.mark.slow
def test_two_listeners_side_by_side_and_an_answer_while_the_server_is_away(
    browser: Browser,
    new_page: Callable[..., Page],
    material: Material,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--data", str(material.folder), "--items", "2", "--practice", "0", "--no-headphone-check"]
    context = browser.new_context()
    first, second = context.new_page(), new_page(color_scheme="dark", viewport={"width": 360, "height": 640})
    with serving(tmp_path, *options) as server:
        faults = watch(first)
        for page in (first, second):
            page.set_default_timeout(TIMEOUT)
            begin(page, server)
            follow(page, "Go on")
            follow(page, "Start the test")
        assert second.evaluate("document.documentElement.scrollWidth <= innerWidth")
        answer(first, "a")
        answer(second, "b")
        hear(first)
        first.wait_for_selector(".answer:enabled")
        options += ["--port", server.port]
        server.end(signal.SIGKILL)
        first.keyboard.press("a")
        first.wait_for_selector("text=There is no connection to the server")
    with serving(tmp_path, *options):
        first.wait_for_selector("text=Thank you")
        answer(second, "a")
        assert [heading(page) for page in (first, second)] == ["Thank you"] * 2
    context.close()
    assert faults
    assert all(fault.startswith("Failed to load resource: net::ERR_CONNECTION_") for fault in faults), faults

    given = lines(tmp_path)
    codes = list(dict.fromkeys(line["listener"] for line in given))
    heard = [{line["id"] for line in given if line["listener"] == code} for code in codes]
    assert len(given) == 4
    assert [len(ids) for ids in heard] == [2, 2]
    assert heard[0] == heard[1]
    right = {row["id"]: row["answer"] for row in material.rows}
    result = score(tmp_path / "human.jsonl", material.folder, resamples=100).to_dict()
    counts = result["groups"][0]["counts"]
    assert counts["right_is_a_right"] + counts["right_is_b_right"] == sum(
        line["answer"] == right[line["id"]] for line in given
    )
    assert result["listeners"]["answers"] == counts["files"] == 4
    agreement = ["agreement", str(tmp_path / "human.jsonl"), "--data", str(material.folder), "--json"]
    assert cli.run(agreement) == 0
    assert json.loads(capsys.readouterr().out)["listeners"] == 2
