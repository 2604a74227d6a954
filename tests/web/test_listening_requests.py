"""The listening test against requests that no page of it would send, over a real connection."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from listening_data import MARKUP, Server, make_dataset, serving

from listenbench import cli
from listenbench.audio import FLAC, encoded, read_samples
from listenbench.dataset import AUDIO
from listenbench.web import server

DIRECT: Any = {"trust_env": False, "verify": False}
"""Without a proxy, and without the certificates, which take long to load."""
ITEMS = 3
SESSIONS = 5
CONSENT = "Read this.\n\n<b>Bold</b> & <script>alert('consent')</script>\n"


@dataclass
class Place:
    """A running test, its folder, and the rows of its key."""

    server: Server
    folder: Path
    rows: list[dict[str, Any]]

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "human.jsonl").read_text().splitlines()][1:]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("requests")
    rows = make_dataset(folder / "data")
    (folder / "consent.txt").write_text(CONSENT)
    options = ("--data", "data", "--items", str(ITEMS), "--practice", "1", "--no-headphone-check")
    with serving(folder, *options, "--consent", "consent.txt") as server:
        yield Place(server, folder, rows)


class Visitor:
    """A browser without a page: it keeps cookies, and says what it wants."""

    def __init__(self, server: Server) -> None:
        self.origin = server.url
        self.client = httpx.Client(base_url=server.url, headers={"Origin": server.url}, **DIRECT)

    def post(self, path: str, **body: Any) -> httpx.Response:
        return self.client.post(path, json=body)

    def page(self) -> str:
        return self.client.get("/").text

    def token(self) -> str:
        found = re.search(r'data-token="([^"]+)"', self.page())
        assert found is not None
        return found[1]

    def begin(self) -> Visitor:
        """Come to the first question of the test."""
        assert self.post("/begin", consent=True).status_code == 204
        for stage in ("volume", "instructions"):
            assert self.post("/next", stage=stage).status_code == 204
        self.answer("A")
        for stage in ("feedback", "ready"):
            assert self.post("/next", stage=stage).status_code == 204
        return self

    def hear(self) -> str:
        token = self.token()
        assert self.post("/play", token=token).status_code == 204
        assert self.post("/heard", token=token).status_code == 204
        return token

    def answer(self, letter: str, seconds: object = 1.5) -> str:
        token = self.hear()
        reply = self.post("/answer", token=token, answer=letter, seconds=seconds)
        assert reply.status_code == 204, reply.text
        return token


@pytest.fixture
def new_visitor(place: Place) -> Iterator[Callable[..., Visitor]]:
    """Return a function that makes a visitor, whose connection is closed at the end."""
    with ExitStack() as stack:

        def make(server: Server = place.server) -> Visitor:
            visitor = Visitor(server)
            stack.enter_context(visitor.client)
            return visitor

        yield make


@pytest.fixture
def visitor(new_visitor: Callable[[], Visitor]) -> Visitor:
    return new_visitor()


def test_an_answer_comes_after_hearing_and_counts_once(place: Place, visitor: Visitor) -> None:
    visitor.begin()
    before = len(place.lines)
    token = visitor.token()
    reply = visitor.post("/answer", token=token, answer="A")
    assert (reply.status_code, reply.json()["reason"]) == (409, "Listen to the end before you answer.")
    assert visitor.post("/heard", token=token).status_code == 409
    visitor.hear()
    assert visitor.post("/answer", token=token, answer="A", seconds=0.25).status_code == 204
    assert visitor.post("/answer", token=token, answer="A", seconds=9).status_code == 204
    assert visitor.post("/answer", token=token, answer="B").status_code == 409
    new = place.lines[before:]
    assert [(line["answer"], line["seconds"]) for line in new] == [("A", 0.25)]


IMPOSSIBLE_SECONDS = ["1", None, -1, True, 1e9, [1], float("nan"), float("inf")]


def test_a_time_that_can_t_be_one_is_left_out(place: Place, new_visitor: Callable[[], Visitor]) -> None:
    for number, seconds in enumerate(IMPOSSIBLE_SECONDS):
        if number % ITEMS == 0:
            visitor = new_visitor().begin()
        body = json.dumps({"token": visitor.hear(), "answer": "B", "seconds": seconds})
        reply = visitor.client.post("/answer", content=body, headers={"Content-Type": "application/json"})
        assert reply.status_code == 204
        assert place.lines[-1]["seconds"] is None, seconds


HOSTILE = [
    "C",
    "",
    "a",
    "AB",
    "' OR 1=1 --",
    "A'; DROP TABLE trial; --",
    "<script>alert(1)</script>",
    "\u0000",
    "A" * 3000,
    None,
    1,
    True,
    ["A"],
    {"$gt": ""},
]


def test_hostile_values_change_nothing(place: Place, visitor: Visitor) -> None:
    visitor.begin()
    token, before = visitor.hear(), len(place.lines)
    for value in HOSTILE:
        assert visitor.post("/answer", token=token, answer=value).status_code == 400, value
        for path in ("/play", "/heard", "/answer"):
            assert visitor.post(path, token=value, answer="A").status_code in {400, 404}, value
        assert visitor.post("/next", stage=value).status_code == 204
        assert visitor.post("/next", stage="volume", again=value).status_code == 204
        assert visitor.post("/begin", consent=1).status_code == 400
        assert visitor.token() == token
    assert len(place.lines) == before


def test_a_session_s_recordings_are_its_own_and_only_the_present_one_is_there(
    new_visitor: Callable[[], Visitor],
) -> None:
    visitor, other = new_visitor().begin(), new_visitor().begin()
    token = visitor.token()
    assert visitor.client.get(f"/audio/{token}").status_code == 200
    assert other.client.get(f"/audio/{token}").status_code == 404
    assert other.post("/answer", token=token, answer="A").status_code == 404
    assert httpx.get(f"{visitor.origin}/audio/{token}", **DIRECT).status_code == 401
    visitor.answer("A")
    assert visitor.client.get(f"/audio/{token}").status_code == 404
    assert visitor.token() != token
    assert visitor.client.get("/audio/volume").status_code == 404


def test_a_recording_says_nothing_but_its_sound(place: Place, visitor: Visitor) -> None:
    visitor.begin()
    source, reply = visitor.page(), visitor.client.get(f"/audio/{visitor.token()}")
    audio = {path.read_bytes(): path.stem for path in (place.folder / "data" / AUDIO).iterdir()}
    assert reply.content in audio
    assert not {"etag", "last-modified", "content-disposition", "server"} & set(reply.headers)
    assert reply.headers["cache-control"] == "no-store"
    row = next(row for row in place.rows if row["id"] == audio[reply.content])
    hidden = {row["id"], row["item"], row["condition"]}
    assert not [word for word in hidden if word in source or word in str(reply.headers)]
    assert MARKUP not in source


def test_flac_is_sent_as_wav_whose_size_tells_nothing(
    tmp_path: Path, new_visitor: Callable[..., Visitor]
) -> None:
    make_dataset(tmp_path / "data", audio_format=FLAC)
    stored = {path.read_bytes(): read_samples(path) for path in (tmp_path / "data" / AUDIO).iterdir()}
    assert len({len(content) for content in stored}) > 1
    options = ("--data", "data", "--items", "8", "--practice", "1", "--no-headphone-check")
    sent = []
    with serving(tmp_path, *options) as server:
        visitor = new_visitor(server).begin()
        for _ in range(8):
            reply = visitor.client.get(f"/audio/{visitor.token()}")
            assert reply.headers["content-type"] == "audio/wav"
            sent.append(reply.content)
            visitor.answer("A")
    assert len(set(sent)) == 8
    assert len({len(content) for content in sent}) == 1
    wanted = {encoded(samples) for samples in stored.values()}
    assert wanted.issuperset(sent)


@pytest.mark.parametrize(
    "path",
    [
        "/audio/../../data/gold.jsonl",
        "/audio/%2e%2e%2fdata%2fgold.jsonl",
        "/audio/..%5c..%5cgold.jsonl",
        "/data/gold.jsonl",
        "/human.jsonl",
        "/audio/",
        "/audio/%00",
        "/static/listen.js",
        "//audio/volume",
    ],
)
def test_no_path_leads_to_a_file(visitor: Visitor, path: str) -> None:
    visitor.begin()
    # The client would tidy the path; the server has to see it as it is.
    request = httpx.Request("GET", visitor.origin, headers={"Cookie": cookies(visitor)})
    request.url = request.url.copy_with(raw_path=path.encode())
    assert visitor.client.send(request).status_code == 404


def cookies(visitor: Visitor) -> str:
    return "; ".join(f"{name}={value}" for name, value in visitor.client.cookies.items())


def test_the_cookie_can_t_be_read_by_scripts_or_sent_by_other_sites(place: Place) -> None:
    reply = httpx.post(
        f"{place.server.url}/begin",
        json={"consent": True},
        headers={"Origin": place.server.url},
        **DIRECT,
    )
    cookie = reply.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/" in cookie


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://evil.example:80"])
def test_other_sites_can_t_post(place: Place, visitor: Visitor, origin: str | None) -> None:
    visitor.begin()
    headers = {"Origin": origin} if origin else {}
    for path in ("/begin", "/answer", "/leave"):
        reply = httpx.post(
            f"{place.server.url}{path}",
            json={"consent": True},
            headers={**headers, "Cookie": cookies(visitor)},
            **DIRECT,
        )
        assert reply.status_code == 403


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"x" * 10_000_000, "application/json", 413),
        (b'{"consent": true}', "text/plain", 415),
        (b'{"consent": true}', "application/x-www-form-urlencoded", 415),
        (b"consent=true", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"[" * 4000, "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b"", "application/json", 400),
    ],
)
def test_bodies_that_are_no_small_object_are_refused(
    visitor: Visitor, content: bytes, kind: str, status: int
) -> None:
    def in_parts() -> Iterator[bytes]:
        yield content

    for body in (content, in_parts()):
        try:
            reply = visitor.client.post("/begin", content=body, headers={"Content-Type": kind})
        except (httpx.WriteError, httpx.ReadError):
            # The server has hung up on the rest.
            assert status == 413
            continue
        assert reply.status_code == status


def test_a_foreign_cookie_is_nobody_s(place: Place, visitor: Visitor) -> None:
    name = next(iter(visitor.begin().client.cookies))
    for value in ("x", "' OR '1'='1", "A" * 5000, "%00"):
        reply = httpx.get(place.server.url, headers={"Cookie": f"{name}={value}"}, **DIRECT)
        assert "Before you begin" in reply.text


def test_the_consent_text_is_shown_as_text(visitor: Visitor) -> None:
    source = visitor.page()
    assert "&lt;b&gt;Bold&lt;/b&gt; &amp; &lt;script&gt;" in source
    assert "alert('consent')</script>" not in source


def test_a_second_consent_in_one_browser_begins_nothing(visitor: Visitor) -> None:
    visitor.begin()
    token = visitor.token()
    assert visitor.post("/begin", consent=True).status_code == 204
    assert visitor.token() == token
    assert visitor.post("/leave").status_code == 409


def test_many_sessions_at_once_lose_nothing(place: Place, new_visitor: Callable[[], Visitor]) -> None:
    visitors = [new_visitor().begin() for _ in range(SESSIONS)]
    before = len(place.lines)
    for _ in range(ITEMS):
        for visitor in visitors:
            visitor.answer("B")
    new = place.lines[before:]
    assert len(new) == SESSIONS * ITEMS
    assert len({line["listener"] for line in new}) == SESSIONS
    assert len({(line["listener"], line["id"]) for line in new}) == len(new)
    assert "Thank you" in visitors[0].page()


def test_pages_may_load_nothing_from_elsewhere(visitor: Visitor) -> None:
    policy = visitor.client.get("/").headers["content-security-policy"]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == "'none'"
    assert "unsafe" not in policy
    assert "http" not in policy


def test_ranges_over_the_connection(visitor: Visitor) -> None:
    visitor.begin()
    path = f"/audio/{visitor.token()}"
    whole = visitor.client.get(path)
    assert whole.headers["accept-ranges"] == "bytes"
    part = visitor.client.get(path, headers={"Range": "bytes=0-1"})
    assert (part.status_code, part.content) == (206, whole.content[:2])
    assert visitor.client.get(path, headers={"Range": "bytes=99999999-"}).status_code == 416
    assert visitor.client.head(path).headers["content-length"] == str(len(whole.content))


Refuse = Callable[..., str]
DEFAULTS = ("--port", "0", "--items", str(ITEMS), "--practice", "1")


@pytest.fixture
def refuse(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, place: Place) -> Refuse:
    """Return a function that runs a call that has to end in one line, and returns the line."""

    def call(*options: str, out: str = "human.jsonl", data: str = "data") -> str:
        monkeypatch.chdir(place.folder)
        monkeypatch.setattr(server, "serve", lambda *_: pytest.fail("the call is served"))
        status = cli.run(["listen", "--data", data, "--out", out, *DEFAULTS, *options])
        captured = capsys.readouterr()
        assert (status, captured.out, captured.err.count("\n")) == (2, "", 1)
        return captured.err

    return call


def test_calls_that_can_t_be_served_end_in_one_line(place: Place, refuse: Refuse) -> None:
    (place.folder / "empty.txt").write_text(" \n\n ")
    new = {"out": "new.jsonl"}
    assert "in use: give another one" in refuse("--port", place.server.port, **new)
    assert "--host" in refuse("--host", "no.such.host.invalid", **new)
    error = refuse("--items", "46", **new)
    assert "is more than the 45 recordings" in error
    assert "give a smaller --items or --practice" in error
    assert "give a smaller --practice" in refuse("--practice", "17", **new)
    assert "seed" in refuse("--seed", "-1", **new)
    assert "can't read the consent text" in refuse("--consent", "none.txt", **new)
    assert "is empty" in refuse("--consent", "empty.txt", **new)
    assert "not a data set" in refuse(data=".", **new)
    assert "another process is running this listening test" in refuse()
    assert "there already" in refuse(out="consent.txt")
    assert "not the path of a file" in refuse(out="nowhere/human.jsonl")
    assert not list(place.folder.glob("new.jsonl*"))
