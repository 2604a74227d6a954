"""The item browser in a real browser, served and from the disk, and its server under attack."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser_checks import accessibility_faults, address, look_faults
from playwright.sync_api import Browser, Page, expect

from listenbench.audio import FLAC, SAMPLE_RATE
from listenbench.cli import run
from listenbench.dataset import Row, read_rows, write_rows
from listenbench.errors import DataError, SpecError
from listenbench.generation import generate
from listenbench.splits import load_split
from listenbench.web.browse_app import browse_app
from listenbench.web.item_index import ItemIndex, read_index
from listenbench.web.screenshots import PAGES, chromium, take_screenshots
from listenbench.web.server import LOCAL_HOST, running
from listenbench.workplace import workplace

TABLES = ("metadata.jsonl", "gold.jsonl", "manifest.jsonl")
HEARD = """audio => {
  audio.playbackRate = 4;
  audio.heard = [];
  audio.addEventListener('timeupdate', () => audio.heard.push(audio.currentTime));
}"""
PLAYING = "audio => !audio.paused && audio.currentTime > 0.05"


@pytest.fixture(scope="module")
def index(data: Path) -> ItemIndex:
    return read_index(data)


@pytest.fixture(scope="module")
def site(index: ItemIndex) -> Iterator[str]:
    with running(browse_app(index, LOCAL_HOST, answers=True)) as url:
        yield url


Serving = Callable[[ItemIndex], str]


@pytest.fixture
def serving() -> Iterator[Serving]:
    """Return a function that serves a data set; to be asked for before the page, which has to end first."""
    with ExitStack() as servers:
        yield lambda index: servers.enter_context(running(browse_app(index, LOCAL_HOST, answers=True)))


@pytest.fixture(scope="module")
def gold(data: Path) -> dict[str, Row]:
    return {row["id"]: row for row in read_rows(data / "gold.jsonl")}


@pytest.fixture
def short(data: Path, tmp_path: Path) -> Path:
    """Copy a single item."""
    folder = tmp_path / "short"
    (folder / "audio").mkdir(parents=True)
    shutil.copy(data / "dataset.json", folder)
    rows = [row for row in read_rows(data / "manifest.jsonl") if row["item"] == "melody-000000"]
    ids = {row["id"] for row in rows}
    for identifier in ids:
        shutil.copy(data / "audio" / f"{identifier}.wav", folder / "audio")
    for name in TABLES:
        write_rows(folder / name, [row for row in read_rows(data / name) if row["id"] in ids])
    return folder


@pytest.fixture
def opened(lasting_page: Page, site: str) -> Page:
    """Return the page as it is when somebody comes to it."""
    lasting_page.goto("about:blank")
    show(lasting_page, site)
    return lasting_page


@pytest.fixture
def cleared(lasting_page: Page, site: str) -> Page:
    """Return the page without filters, for tests that change nothing else."""
    if lasting_page.url.startswith(site):
        lasting_page.get_by_role("button", name="Clear").click()
        arrived(lasting_page)
    else:
        show(lasting_page, site)
    return lasting_page


def show(page: Page, url: str) -> None:
    """Open a page, and wait until the items in sight have come."""
    page.goto(url)
    arrived(page)


def arrived(page: Page) -> None:
    expect(page.locator("article")).not_to_have_count(0)
    expect(page.locator("article .body:empty")).to_have_count(0)


def column(page: Page, item: str, condition: str) -> Any:
    article = page.locator("article", has=page.get_by_role("heading", name=item, exact=True))
    return article.locator(f".column[data-condition={condition}]")


# ---- Filters


def found(index: ItemIndex, wanted: dict[str, str]) -> list[str]:
    """Return the names of the items that have a recording with all these values."""
    return [
        item.name
        for item in index.items
        for values in [{name: getattr(item, name) for name in ("task", "rung", "texture")}]
        if any(
            wanted.items() <= {**values, "condition": each.condition, "factor": each.factor}.items()
            for each in item.recordings
        )
    ]


FILTERS = [
    {"task": "rhythm"},
    {"rung": "400 cents"},
    {"texture": "accompanied"},
    {"factor": "hiss"},
    {"condition": "flip"},
    {"task": "melody", "condition": "stay", "factor": "transposition"},
]


def test_filters_show_what_matches(cleared: Page, index: ItemIndex) -> None:
    for wanted in FILTERS:
        cleared.get_by_role("button", name="Clear").click()
        for field, value in wanted.items():
            cleared.get_by_label(field.capitalize(), exact=True).select_option(value)
        expected = found(index, wanted)
        assert 0 < len(expected) <= len(index.items)
        expect(cleared.locator("article h2")).to_have_text(expected)
        whole = len(expected) == len(index.items)
        expect(cleared.get_by_role("status")).to_have_text(
            "4 items" if whole else f"{len(expected)} of 4 items"
        )
        expect(cleared.locator(".column:not([hidden])")).to_have_count(
            len(expected) * (1 if "condition" in wanted else 3)
        )


def test_values_tell_how_much_they_would_show(cleared: Page, index: ItemIndex) -> None:
    cleared.get_by_label("Condition").select_option("stay")
    factors = cleared.get_by_label("Factor").locator("option")
    for option in factors.all()[1:]:
        value = str(option.get_attribute("value"))
        number = len(found(index, {"condition": "stay", "factor": value}))
        expect(option).to_have_text(f"{value} ({number})")
        assert option.is_disabled() == (number == 0)


def test_search_finds_names_and_ids(cleared: Page, index: ItemIndex) -> None:
    item = index.items[2]
    search = cleared.get_by_role("searchbox")
    for text in (item.name, item.recordings[1].id, f"  {item.recordings[2].id[:9].upper()} "):
        search.fill(text)
        expect(cleared.locator("article h2")).to_have_text([item.name])
    search.fill("no such item")
    expect(cleared.get_by_role("status")).to_have_text("No item matches.")


def test_an_address_carries_filters_and_item(page: Page, site: str, index: ItemIndex) -> None:
    page.goto(f"{site}#task=rhythm&item={index.items[3].name}")
    expect(page.locator("article h2")).to_have_text(found(index, {"task": "rhythm"}))
    expect(page.locator("article:focus h2")).to_have_text(index.items[3].name)
    page.get_by_label("Task").select_option("melody")
    page.reload()
    expect(page.locator("article h2")).to_have_text(found(index, {"task": "melody"}))
    page.goto(f"{site}#condition=flip&factor=hiss")
    expect(page.get_by_role("status")).to_have_text("No item matches.")


# ---- Players


def test_players_play_one_at_a_time_with_a_moving_cursor(opened: Page, index: ItemIndex) -> None:
    name = index.items[0].name
    clean, flip = column(opened, name, "clean"), column(opened, name, "flip")
    clean.get_by_role("button", name="Play the clean").click()
    opened.wait_for_function(PLAYING, arg=clean.locator("audio").element_handle())
    cursor = clean.locator(".cursor")
    before = cursor.bounding_box()["x"]
    opened.wait_for_function(
        "([cursor, x]) => cursor.getBoundingClientRect().x > x", arg=[cursor.element_handle(), before + 5]
    )
    flip.get_by_role("button", name="Play the flip").click()
    opened.wait_for_function(PLAYING, arg=flip.locator("audio").element_handle())
    state = clean.locator("audio").evaluate("a => [a.paused, a.currentTime, a.duration]")
    assert state[0]
    assert state[1] > 0
    assert state[2] == pytest.approx(index.items[0].recordings[0].seconds, abs=1e-3)
    expect(flip.get_by_role("button", name="Play the flip")).to_have_attribute("aria-pressed", "true")
    flip.get_by_role("button", name="Play the flip").click()
    assert flip.locator("audio").evaluate("a => a.paused")


def test_the_cursor_is_where_the_sound_is(opened: Page, index: ItemIndex) -> None:
    part = column(opened, index.items[0].name, "stay")
    seconds = index.items[0].recordings[2].seconds
    slider = part.get_by_role("slider")
    slider.fill("4.5")
    stage = part.locator(".stage").bounding_box()
    assert part.locator("audio").evaluate("a => a.currentTime") == 4.5
    assert part.locator(".cursor").bounding_box()["x"] == pytest.approx(
        stage["x"] + stage["width"] * 4.5 / seconds, abs=2
    )
    expect(slider).to_have_attribute("aria-valuetext", "4.5 of 6.0 seconds")
    opened.mouse.click(stage["x"] + stage["width"] / 4, stage["y"] + stage["height"] / 2)
    assert part.locator("audio").evaluate("a => a.currentTime") == pytest.approx(seconds / 4, abs=0.1)
    part.get_by_role("button", name="Play the stay").click()
    opened.wait_for_function("a => a.currentTime > 1.6", arg=part.locator("audio").element_handle())


def test_recordings_that_are_stored_as_flac_are_played(
    serving: Serving, page: Page, data: Path, tmp_path: Path
) -> None:
    options: Any = {"items": 1, "tasks": ["rhythm"], "workers": 1, "audio_format": FLAC}
    flac = generate(load_split(data.parent / "browsed.toml"), 1, tmp_path / "flac", **options)
    assert run(["browse", "--data", str(flac.folder), "--export", str(tmp_path / "site")]) == 0
    for url in (serving(read_index(flac.folder)), address(tmp_path / "site" / "index.html")):
        show(page, url)
        page.locator("img.picture").first.evaluate("image => image.decode()")
        page.locator("[data-play=all]").first.click()
        page.wait_for_function(PLAYING, arg=page.locator("audio").first.element_handle())
        seconds = page.locator("audio").first.evaluate("audio => audio.duration")
        assert seconds == pytest.approx(len(flac.items[0].samples()) / SAMPLE_RATE, abs=1e-3)


@pytest.mark.parametrize(("letter", "starts", "ends"), [("A", 0.0, 2.5), ("B", 3.5, 6.0)])
def test_a_clip_alone(opened: Page, index: ItemIndex, letter: str, starts: float, ends: float) -> None:
    part = column(opened, index.items[0].name, "clean")
    audio = part.locator("audio")
    audio.evaluate(HEARD)
    part.get_by_role("button", name=f"Play clip {letter} alone").click()
    opened.wait_for_function(
        "([a, end]) => a.paused && a.currentTime >= end", arg=[audio.element_handle(), ends - 0.05]
    )
    heard = audio.evaluate("a => a.heard")
    assert min(heard) >= starts - 0.01
    assert max(heard) < (6.0 if letter == "A" else 6.01)


def test_pictures_load_when_they_are_seen(cleared: Page) -> None:
    picture = cleared.locator("img.picture").first
    picture.evaluate("image => image.decode()")
    assert picture.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [720, 142]
    assert all(each.get_attribute("loading") == "lazy" for each in cleared.locator("img").all())
    assert all(each.get_attribute("preload") == "none" for each in cleared.locator("audio").all())


# ---- Answers


def test_answers_are_hidden_until_asked_for(opened: Page, gold: dict[str, Row]) -> None:
    article = opened.locator("article").first
    button = article.get_by_role("button", name="Show answer")
    assert all(not each.is_visible() for each in article.locator("[data-answer]").all())
    assert article.locator("rect.ghost").first.is_hidden()
    fill = "rect => getComputedStyle(rect).fill"
    colours = {each.evaluate(fill) for each in article.locator("rect.lead").all()}
    assert len(colours) == 1
    button.click()
    expect(article.get_by_role("button", name="Hide answer")).to_have_attribute("aria-expanded", "true")
    for part in article.locator(".column").all():
        row = gold[part.locator(".id").inner_text()]
        expect(part.locator("[data-answer]")).to_be_visible()
        assert part.locator(".letter").inner_text().split()[0] == row["answer"]
    assert article.locator("rect.ghost").first.is_visible()
    assert article.locator("rect.edited:not(.ghost)").first.evaluate(fill) not in colours
    assert not opened.locator("article").nth(1).locator("[data-answer]").first.is_visible()
    opened.get_by_label("Answers").check()
    assert all(each.is_visible() for each in opened.locator("[data-answer]").all())
    article.get_by_role("button", name="Hide answer").click()
    assert not article.locator("[data-answer]").first.is_visible()


def test_notes_chords_and_parameters_are_there(cleared: Page, data: Path) -> None:
    row = next(row for row in read_rows(data / "manifest.jsonl") if row["factor"] == "transposition")
    article = cleared.locator("article", has=cleared.get_by_text(row["id"], exact=True))
    article.get_by_text("Notes and parameters").click()
    text = article.locator(".making").inner_text()
    assert row["sha256"] in text
    assert f"transposition cents={row['clip_b']['changes'][0]['parameters']['cents']}" in text
    assert str(row["material"]["scale"]) in text


# ---- Keyboard


def test_everything_is_reached_by_keyboard(opened: Page, index: ItemIndex) -> None:
    keyboard = opened.keyboard
    order = [item.name for item in index.items]
    at_hand = opened.locator("article:focus h2")
    for key, place in [("j", 0), ("j", 1), ("ArrowDown", 2), ("k", 1), ("ArrowUp", 0), ("ArrowUp", 0)]:
        keyboard.press(key)
        expect(at_hand).to_have_text(order[place])
    keyboard.press("ArrowRight")
    keyboard.press("Space")
    audio = column(opened, order[0], "flip").locator("audio")
    opened.wait_for_function(PLAYING, arg=audio.element_handle())
    keyboard.press("Space")
    assert audio.evaluate("a => a.paused")
    keyboard.press("b")
    opened.wait_for_function("a => !a.paused && a.currentTime >= 3.5", arg=audio.element_handle())
    keyboard.press("s")
    expect(opened.locator("article:focus [data-answer]").first).to_be_visible()
    keyboard.press("/")
    expect(opened.get_by_role("searchbox")).to_be_focused()
    keyboard.type("jkab s")
    expect(opened.get_by_role("searchbox")).to_have_value("jkab s")
    opened.get_by_role("searchbox").fill("rhythm")
    keyboard.press("Enter")
    expect(at_hand).to_have_text(order[2])


def test_filters_are_reached_by_tab_and_have_names(opened: Page) -> None:
    opened.get_by_role("searchbox").focus()
    reached = []
    for _ in range(9):
        reached.append(opened.evaluate("document.activeElement.name || document.activeElement.type"))
        opened.keyboard.press("Tab")
    fields = ["search", "task", "rung", "condition", "factor", "texture", "rolls", "answers", "reset"]
    assert reached == fields
    expect(opened.locator("article").first).to_be_focused()
    for name in ("Task", "Rung", "Condition", "Factor", "Texture", "Piano rolls", "Answers"):
        assert opened.get_by_label(name, exact=True).count() == 1


# ---- Sight, size, motion


def test_no_serious_barrier(new_page: Callable[..., Page], site: str) -> None:
    page = new_page(viewport={"width": 1280, "height": 1000})
    show(page, f"{site}#search=melody-000000")
    page.get_by_label("Answers").check()
    page.get_by_text("Notes and parameters").first.click()
    assert accessibility_faults(page) == []
    assert look_faults(page) == []


def test_a_phone_needs_no_sideways_scrolling(new_page: Callable[..., Page], site: str) -> None:
    page = new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    show(page, site)
    page.get_by_label("Answers").check()
    page.get_by_text("Notes and parameters").first.tap()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    for button in page.locator(".controls").first.get_by_role("button").all():
        assert min(button.bounding_box()["width"], button.bounding_box()["height"]) >= 44
    page.locator("[data-play=all]").first.tap()
    page.wait_for_function(PLAYING, arg=page.locator("audio").first.element_handle())


def test_with_less_motion_the_cursor_still_tells_the_time(new_page: Callable[..., Page], site: str) -> None:
    page = new_page(reduced_motion="reduce")
    show(page, site)
    page.locator("[data-play=all]").first.click()
    expect(page.locator("[data-time]").first).not_to_have_text("0.0")
    assert page.locator(".cursor").first.evaluate("c => new DOMMatrix(getComputedStyle(c).transform).e") > 0


# ---- Large and hostile data sets


def made_up(data: Path, folder: Path, copies: int) -> Path:
    """Write a data set of two items, cut down to a note a clip, each `copies` times under other names."""
    wanted = {"melody-000000", "rhythm-000000"}
    rows = [row for row in read_rows(data / "manifest.jsonl") if row["item"] in wanted]
    for row in rows:
        for name in ("clip_a", "clip_b"):
            row[name]["clip"]["parts"] = row[name]["clip"]["parts"][:1]
            row[name]["clip"]["parts"][0]["notes"] = row[name]["clip"]["parts"][0]["notes"][:1]
            row[name]["take"] = {"onset_seconds": [], "velocity_steps": []}
        if row["difference"]:
            row["difference"]["note_indices"] = []
    questions = [
        row for row in read_rows(data / "metadata.jsonl") if row["id"] in {row["id"] for row in rows}
    ]
    (folder / "audio").mkdir(parents=True)
    shutil.copy(data / "dataset.json", folder)
    for name, table in zip(TABLES, (questions, rows, rows), strict=True):
        lines = [
            json.dumps(row).replace(row["id"], f"{row['id']}COPY").replace("-000000", "-COPY")
            for row in table
        ]
        texts = (line.replace("COPY", f"{copy:06d}") for copy in range(copies) for line in lines)
        (folder / name).write_text("\n".join(texts) + "\n", "utf-8")
    return folder


def test_ten_thousand_items(serving: Serving, page: Page, data: Path, tmp_path: Path) -> None:
    large = read_index(made_up(data, tmp_path / "large", 5000))
    assert (len(large.items), large.recordings) == (10_000, 30_000)
    url = serving(large)
    # There are no recordings under these names, and so no pictures.
    page.route("**/pictures/*", lambda route: route.fulfill(content_type="image/png", body=b""))
    show(page, url)
    expect(page.get_by_role("status")).to_have_text("10,000 items")
    expect(page.get_by_label("Task").locator("option")).to_have_text(
        ["all", "melody (5,000)", "rhythm (5,000)"]
    )
    page.get_by_label("Task").select_option("rhythm")
    expect(page.get_by_role("status")).to_have_text("5,000 of 10,000 items")
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    page.wait_for_selector("article[aria-posinset='5000'] .column")
    assert page.locator("article").count() < 60
    page.get_by_role("searchbox").fill("rhythm-004321")
    expect(page.locator("article h2")).to_have_text(["rhythm-004321"])
    page.goto(f"{url}#item=melody-003333")
    expect(page.locator("article:focus h2")).to_have_text("melody-003333")
    expect(page.locator("article:focus")).to_be_in_viewport()


HOSTILE = (
    "</script><script>document.title='taken'</script><img src=x onerror=document.title='taken'>\"'&\ud800"
)


def test_hostile_texts_are_shown_as_they_are(
    serving: Serving, page: Page, data: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(data, tmp_path / "hostile")
    changed = {"question": HOSTILE, "choices": [HOSTILE, "b"], "texture": HOSTILE, "task": HOSTILE}
    for name in TABLES:
        rows = [*read_rows(folder / name)]
        for row in rows:
            row |= {field: value for field, value in changed.items() if field in row}
            if "item" in row:
                row["item"] = f"{HOSTILE}{row['item']}"
            if "material" in row:
                row["material"] = {HOSTILE: HOSTILE}
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    show(page, serving(read_index(folder)))
    page.get_by_label("Answers").check()
    page.get_by_text("Notes and parameters").first.click()
    shown = HOSTILE.removesuffix("\ud800")
    for place in (
        "article h2",
        "article .kind",
        ".question",
        ".choices",
        ".letter",
        ".making dt",
        ".making dd",
    ):
        assert shown in page.locator(place).first.inner_text()
    assert "taken" not in page.title()
    assert page.locator("img:not(.picture)").count() == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"id": "../../etc/passwd"}, "id '../../etc/passwd'"),
        ({"id": "unlisted"}, "no row 'unlisted'"),
        ({"condition": "louder"}, "condition 'louder'"),
        ({"samples": -1}, "samples"),
        ({"rung": {}}, "rung"),
        ({"task": None}, "task"),
        ({"item": 7}, "item"),
        ({"texture": 7}, "texture"),
        ({"factor": []}, "factor"),
    ],
    ids=str,
)
def test_damaged_rows_are_refused_at_once(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Row, words: str
) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(data, folder, ignore=shutil.ignore_patterns("*.wav"))
    rows = [*read_rows(folder / "manifest.jsonl")]
    write_rows(folder / "manifest.jsonl", [rows[0], {**rows[1], **change}, *rows[2:]])
    assert run(["browse", "--data", str(folder)]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert "manifest.jsonl:2: " in output.err
    assert words in output.err


def test_recordings_in_shards_are_refused_at_once(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tmp_path / "packed"
    assert run(["export", str(data), "--shards", "webdataset", "--out", str(packed)]) == 0
    capsys.readouterr()
    assert run(["browse", "--data", str(packed)]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "packed in shards" in output.err


def test_damaged_music_is_told_in_its_place(serving: Serving, page: Page, data: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(data, tmp_path / "damaged")
    rows = [
        {**row, "clip_a": {}} if row["task"] == "melody" else row
        for row in read_rows(data / "manifest.jsonl")
    ]
    write_rows(folder / "manifest.jsonl", rows)
    page.goto(serving(read_index(folder)))
    expect(page.get_by_role("alert")).to_have_count(2)
    expect(page.get_by_role("alert").first).to_contain_text("damaged")
    expect(page.locator(".column")).to_have_count(6)


# ---- The server


def asked(site: str, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Send a request as it is, and return status, headers and body of the answer."""
    parts = urlsplit(site)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port)) as connection:
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


@pytest.mark.parametrize(
    "path",
    [
        "/audio/../dataset.json",
        "/audio/..%2fdataset.json",
        "/audio/%2e%2e/dataset.json",
        "/audio/..%2Fgold.jsonl.wav",
        "/audio/%2e%2e%2fsecret.wav",
        "/audio/..%5csecret.wav",
        "/audio/secret.wav",
        "/audio/%00.wav",
        "/audio/secret%00.wav",
        "/audio//etc/passwd.wav",
        "/audio/%2fetc%2fpasswd.wav",
        "/audio/%252e%252e%252fsecret.wav",
        "/audio/%ff%fe.wav",
        "/pictures/../../secret.png",
        "/pictures/..%2f..%2fsecret.png",
        "/items/..%2f0.js",
        "/items/-1.js",
        "/items/4.js",
        "/items/99999999999999999999999.js",
        "/items/0.js.map",
        "/gold.jsonl",
        "/../gold.jsonl",
        "//etc/passwd",
        "/etc/passwd",
        "/static/style.css",
    ],
)
def test_no_path_leads_out_of_the_data_set(data: Path, site: str, path: str) -> None:
    (data / "audio" / "secret.wav").write_bytes((data / "dataset.json").read_bytes())
    (data / "secret.wav").write_bytes(b"secret")
    status, headers, body = asked(site, path)
    assert status == 404
    assert body == b"Not Found"
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["http://127.0.0.1/etc/passwd", "*", "/audio/\\..\\secret.wav"])
def test_odd_targets_are_refused(site: str, path: str) -> None:
    assert asked(site, path)[0] in (400, 404)


def test_a_recording_behind_a_link_is_refused(serving: Serving, data: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(data, tmp_path / "linked")
    index = read_index(folder)
    identifier = index.items[0].recordings[0].id
    path = folder / "audio" / f"{identifier}.wav"
    path.rename(tmp_path / "elsewhere.wav")
    path.symlink_to(tmp_path / "elsewhere.wav")
    url = serving(index)
    for name in (f"/audio/{identifier}.wav", f"/pictures/{identifier}.png"):
        status, _, body = asked(url, name)
        assert status == 500
        assert b"a link" in body


def test_other_sites_may_load_nothing(site: str, index: ItemIndex) -> None:
    identifier = index.items[0].recordings[0].id
    for path in ("/", "/items/0.js", f"/pictures/{identifier}.png", f"/audio/{identifier}.wav", "/nothing"):
        _, headers, _ = asked(site, path)
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["x-frame-options"] == "DENY"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert "server" not in headers


def test_parts_of_a_recording_are_served(site: str, data: Path, index: ItemIndex) -> None:
    identifier = index.items[0].recordings[0].id
    content = (data / "audio" / f"{identifier}.wav").read_bytes()
    path = f"/audio/{identifier}.wav"
    status, headers, body = asked(site, path)
    assert (status, body, headers["content-type"]) == (200, content, "audio/wav")
    assert headers["accept-ranges"] == "bytes"
    status, headers, body = asked(site, path, Range="bytes=1000-1999")
    assert (status, body) == (206, content[1000:2000])
    assert headers["content-range"] == f"bytes 1000-1999/{len(content)}"
    assert asked(site, path, Range="bytes=-10")[2] == content[-10:]
    assert asked(site, path, Range=f"bytes={len(content)}-")[0] == 416
    status, headers, body = asked(site, path, "HEAD")
    assert (status, body, headers["content-length"]) == (200, b"", str(len(content)))
    assert asked(site, path, "POST")[0] == 403


def test_the_command_serves_until_it_is_told_to_end(short: Path) -> None:
    command = [sys.executable, "-m", "listenbench", "browse", "--data", str(short), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().strip() if process.stdout else ""
        try:
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", url)
            assert asked(url, "/")[0] == 200
            assert run(["browse", "--data", str(short), "--port", str(urlsplit(url).port)]) == 2
            process.terminate()
            process.wait(10)
        finally:
            process.kill()
        output = process.communicate()
    assert process.returncode == 0
    assert output == ("", "")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "192.0.2.1"], "--host 192.0.2.1"),
        (["--json"], "--export"),
        (["--port", "70000"], "--port"),
    ],
    ids=str,
)
def test_what_cannot_be_served_is_one_line(
    short: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert run(["browse", "--data", str(short), *options]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert words in error


def test_the_page_is_opened_when_asked_for(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launched: list[str] = []
    monkeypatch.setattr("click.launch", launched.append)
    monkeypatch.setattr("listenbench.web.server.serve", lambda _app, _bound, announce: announce())
    assert run(["browse", "--data", str(short), "--port", "0"]) == 0
    assert launched == []
    assert run(["browse", "--data", str(short), "--port", "0", "--open"]) == 0
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", launched[0])


def test_a_data_set_that_changes_meanwhile_is_told(short: Path) -> None:
    index = read_index(short)
    rows = [*read_rows(short / "manifest.jsonl")]
    write_rows(short / "manifest.jsonl", [{"id": "another"}, *rows])
    with pytest.raises(DataError, match="has changed"):
        index.read(0)


# ---- The export


def test_an_export_works_from_the_disk(
    page: Page, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], index: ItemIndex
) -> None:
    site = tmp_path / "site with space #1"
    assert run(["browse", "--data", str(data), "--export", str(site)]) == 0
    files = [path for path in site.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    assert capsys.readouterr().out == f"{site}: 4 items, 12 recordings, with answers, {size:,} bytes\n"
    assert len(files) == 1 + 1 + 4 + 12 + 12
    page.goto(address(site / "index.html"))
    page.get_by_label("Task").select_option("rhythm")
    expect(page.locator("article h2")).to_have_text(found(index, {"task": "rhythm"}))
    arrived(page)
    page.locator("img.picture").first.evaluate("image => image.decode()")
    page.locator("[data-play=all]").first.click()
    page.wait_for_function(PLAYING, arg=page.locator("audio").first.element_handle())
    page.get_by_role("button", name="Show answer").first.click()
    expect(page.locator("[data-answer]").first).to_be_visible()
    page.reload()
    expect(page.locator("article h2")).to_have_text(found(index, {"task": "rhythm"}))


def test_an_export_without_answers_holds_none(page: Page, short: Path, tmp_path: Path) -> None:
    """No text of it holds anything that only the manifest says: the music, the edits, the answers."""
    site = tmp_path / "site"
    assert run(["browse", "--data", str(short), "--export", str(site), "--no-answers"]) == 0
    texts = [path.read_text("utf-8") for path in site.rglob("*") if path.suffix in (".html", ".js", ".json")]
    for row in read_rows(short / "manifest.jsonl"):
        for secret in (row["sha256"], row["content"], row["clip_a"]["soundfont"]):
            assert not any(secret in text for text in texts)
    scripts = "".join(path.read_text("utf-8") for path in (site / "items").iterdir())
    for word in ("data-answer", "<rect class", "edited", "ghost", "instrument", "beats a minute", "relation"):
        assert word not in scripts, word
    show(page, address(site / "index.html"))
    assert page.get_by_role("button", name="Show answer").count() == 0
    assert page.locator("svg.roll").count() == 0
    page.locator("[data-play=b]").first.click()
    page.wait_for_function(PLAYING, arg=page.locator("audio").first.element_handle())


def test_an_export_replaces_an_export_and_nothing_else(
    short: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site, thesis = tmp_path / "site", tmp_path / "thesis"
    site.mkdir()
    command = ["browse", "--data", str(short), "--export"]
    assert run([*command, str(site), "--no-answers", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["answers"] is False
    assert run([*command, str(site)]) == 0
    assert json.loads((site / "export.json").read_text("utf-8"))["answers"] is True
    thesis.mkdir()
    (thesis / "chapter.txt").write_text("years of work", "utf-8")
    for target in (
        thesis,
        short,
        short / "site",
        tmp_path,
        thesis / "chapter.txt",
        thesis / "chapter.txt" / "x",
    ):
        capsys.readouterr()
        assert run([*command, str(target)]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert (thesis / "chapter.txt").read_text("utf-8") == "years of work"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["short", "site", "thesis"]


def test_what_an_export_left_unfinished_is_not_published(short: Path, tmp_path: Path) -> None:
    """A run that was killed may have left answers where one without answers is to be."""
    left = tmp_path / ".site.partial" / "browse-export" / "data" / "items" / "99.js"
    left.parent.mkdir(parents=True)
    left.write_text("answers", "utf-8")
    assert run(["browse", "--data", str(short), "--export", str(tmp_path / "site"), "--no-answers"]) == 0
    assert [path.name for path in (tmp_path / "site" / "items").iterdir()] == ["0.js"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["short", "site"]


def test_two_exports_to_one_folder_are_one_too_many(
    short: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with workplace(tmp_path / "site", "another"):
        assert run(["browse", "--data", str(short), "--export", str(tmp_path / "site")]) == 2
    error = capsys.readouterr().err
    assert error.endswith("is working on it: wait for its end, or give another --export\n")
    assert error.count("\n") == 1


@pytest.mark.parametrize("damage", ["missing", "damaged"])
def test_a_failed_export_leaves_nothing(
    short: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    path = short / "audio" / f"{read_index(short).items[0].recordings[1].id}.wav"
    path.unlink()
    if damage == "damaged":
        path.write_bytes(b"RIFF")
    assert run(["browse", "--data", str(short), "--export", str(tmp_path / "site")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert path.stem in error
    assert [each.name for each in tmp_path.iterdir()] == ["short"]


# ---- The pictures of the README


@pytest.mark.slow
def test_screenshots_are_small(browser: Browser, data: Path, gold: dict[str, Row], tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    write_rows(answers, [{"id": identifier, "answer": "A"} for identifier in gold])
    pictures = take_screenshots(browser, data, tmp_path / "images", [answers])
    assert [picture.stem for picture in pictures] == [name for name, _ in PAGES]
    assert sorted(pictures) == sorted((tmp_path / "images").iterdir())
    for picture in pictures:
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert picture.stat().st_size < 250_000


def test_screenshots_say_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with pytest.raises(SpecError, match="need Playwright"), chromium():
        pass
