"""The report of a rendered data set in a browser: keyboard, copying, players, light, dark, phone, paper."""

from __future__ import annotations

import base64
import json
import unicodedata
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pypdf
import pytest
import soundfile
from browser_checks import accessibility_faults, address
from html_reading import PageReader
from playwright.sync_api import Page, expect

from listenbench.audio import read_samples
from listenbench.cli import run
from listenbench.dataset import read_description, recording_path
from listenbench.scoring import score

HOSTILE = "</script><script>alert(1)</script>" + "W" * 200
PHONE: Any = {"width": 360, "height": 740}
FITS = "document.documentElement.scrollWidth <= innerWidth"
PLAYING = "audio => !audio.paused && audio.currentTime > 0.05"


@pytest.fixture(scope="module")
def submissions(data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return a listener that hears large changes, and one with a hostile name."""
    rows = [json.loads(line) for line in (data / "gold.jsonl").read_text("utf-8").splitlines()]
    answers = {
        "hears-large": lambda row: row["answer"] if row["rung"] in (1.5, 400) else "A",
        HOSTILE: lambda row: "B" if row["condition"] == "stay" else "?",
    }
    paths: list[Path] = []
    folder = tmp_path_factory.mktemp("submissions")
    for name, answer in answers.items():
        lines = [{"meta": {"model": name}}, *({"id": row["id"], "answer": answer(row)} for row in rows)]
        paths.append(folder / f"{len(paths)}.jsonl")
        paths[-1].write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return paths


@pytest.fixture(scope="module")
def report(data: Path, submissions: list[Path]) -> Path:
    out = submissions[0].with_name("report.html")
    arguments = [*map(str, submissions), "--data", str(data), "--out", str(out)]
    assert run(["report", *arguments, "--players", "2", "--resamples", "200"]) == 0
    return out


def test_recordings_are_embedded_sample_by_sample(report: Path, data: Path) -> None:
    page = PageReader(report.read_text("utf-8"))
    players = page.attributes("audio")
    assert len(players) == 6
    assert "2 items with most wrong answers" in page.text
    assert "6 recordings" in page.text
    ids = {row["id"]: row for row in map(json.loads, (data / "gold.jsonl").read_text("utf-8").splitlines())}
    shown = [text for text in page.texts if text in ids]
    for player, identifier in zip(players, shown, strict=True):
        row = ids[identifier]
        assert player["aria-label"] == f"{row['item']}, {row['condition']}"
        head, _, content = str(player["src"]).partition(",")
        assert head == "data:audio/flac;base64"
        samples, rate = soundfile.read(BytesIO(base64.b64decode(content)), dtype="int16")
        assert rate == 44_100
        assert (samples == read_samples(recording_path(data, read_description(data), identifier))).all()


def test_the_report_of_listeners_has_no_worst_items(data: Path, tmp_path: Path) -> None:
    """They answered a part, and some files several times: there is no order of items by wrong answers."""
    rows = [json.loads(line) for line in (data / "gold.jsonl").read_text("utf-8").splitlines()]
    human, out = tmp_path / "human.jsonl", tmp_path / "report.html"
    answers = [("anna", row) for row in rows[:8]] + [("</script><b>ben", row) for row in rows[4:]]
    lines = [{"id": row["id"], "answer": "A", "listener": name} for name, row in answers]
    human.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert run(["report", str(human), "--data", str(data), "--out", str(out), "--resamples", "200"]) == 0
    page = PageReader(out.read_text("utf-8"))
    assert "2 listeners gave 16 answers to 12 files" in page.text
    assert "</script><b>ben" in page.text
    assert "most wrong answers" not in page.text
    assert page.attributes("audio") == page.attributes("b") == []


def test_every_look_is_accessible_and_fits(report: Path, new_page: Callable[..., Page]) -> None:
    page = new_page()
    page.goto(address(report))
    assert accessibility_faults(page) == []
    expect(page.locator("script")).to_have_count(1)
    for look in ("light", "dark"):
        page.emulate_media(color_scheme=look)
        background = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        is_dark = sum(map(int, background[4:-1].split(","))) < 300
        assert is_dark == (look == "dark")
    for size in (page.viewport_size, PHONE):
        page.set_viewport_size(size)
        assert page.evaluate(FITS)
        page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
        assert page.evaluate(FITS)


def test_a_table_is_copied_by_keyboard(report: Path, new_page: Callable[..., Page]) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(address(report))
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    button = page.get_by_role("button", name="Copy table: All items")
    for _ in range(20):
        page.keyboard.press("Tab")
        if button.evaluate("button => button === document.activeElement"):
            break
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Copied 5 rows: All items")
    copied = page.evaluate("navigator.clipboard.readText()")
    rows = PageReader(report.read_text("utf-8")).tables["headline-table"]
    assert [line.split("\t") for line in copied.splitlines()] == rows


def test_players_play_one_at_a_time(report: Path, page: Page) -> None:
    page.goto(address(report))
    first, second = (page.locator("audio").nth(place) for place in (0, 1))
    first.focus()
    page.keyboard.press("Space")
    page.wait_for_function(f"({PLAYING})(document.querySelectorAll('audio')[0])")
    second.evaluate("audio => audio.play()")
    page.wait_for_function(f"({PLAYING})(document.querySelectorAll('audio')[1])")
    assert first.evaluate("audio => audio.paused")
    assert first.evaluate("audio => audio.duration") == pytest.approx(6.0, abs=0.01)


def test_paper_has_headline_and_folded_tables(
    report: Path, data: Path, submissions: list[Path], page: Page
) -> None:
    page.goto(address(report))
    pages = pypdf.PdfReader(BytesIO(page.pdf(format="A4", print_background=True))).pages
    # Fonts join letters such as fi and fl.
    text = unicodedata.normalize("NFKC", " ".join(" ".join(page.extract_text() for page in pages).split()))
    value = score(submissions[0], data, resamples=200).to_dict()["groups"][0]["figures"]["acc_fs"]["rounded"]
    assert "Listening report: browsed" in text
    assert f"hears-large {value}" in text
    assert "Misses and false flips by task" in text
    assert "Copy" not in text
    assert len(pages) < 20
    page.emulate_media(color_scheme="dark")
    dark = pypdf.PdfReader(BytesIO(page.pdf(format="A4", print_background=True))).pages
    drawn = [[each.get_contents().get_data() for each in printed] for printed in (pages, dark)]
    assert drawn[0] == drawn[1]


def test_without_scripts_the_tables_are_there(report: Path, new_page: Callable[..., Page]) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(address(report))
    expect(page.locator("#headline-table")).to_be_visible()
    expect(page.locator("button.copy").first).to_be_hidden()
    expect(page.locator("audio").first).to_be_visible()
