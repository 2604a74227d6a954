"""Downloads against a real server on this machine, which misbehaves in every way that servers do."""

from __future__ import annotations

import hashlib
import http.server
import re
import resource
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from listenbench.errors import RenderError, SpecError
from listenbench.soundfonts import BrokenSoundfontError, CatalogEntry, Download, KnownFile, entry_of
from listenbench.soundfonts.fetch import BLOCK_SIZE, InterruptedDownloadError, fetch


@dataclass
class Site:
    """What the server does, and what it was asked for."""

    content: bytes
    cut_after: int | None = None
    ranges: bool = True
    content_type: str = "application/octet-stream"
    status: int = 200
    wrong_range: bool = False
    without_length: bool = False
    asked: list[str | None] = field(default_factory=list)
    address: str = ""


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves `site.content`."""

    site: Site

    def do_GET(self) -> None:
        site = self.site
        site.asked.append(self.headers.get("Range"))
        if site.status != 200:
            self.send_error(site.status)
            return
        start = self._start(site)
        if start >= len(site.content) > 0:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(site.content)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self._send(site, start)

    def _start(self, site: Site) -> int:
        match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        return int(match[1]) if match and site.ranges else 0

    def _send(self, site: Site, start: int) -> None:
        body = site.content[start:]
        self.send_response(206 if start else 200)
        if start:
            shown = start + site.wrong_range
            self.send_header("Content-Range", f"bytes {shown}-{len(site.content) - 1}/{len(site.content)}")
        self.send_header("Content-Type", site.content_type)
        if not site.without_length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: site.cut_after])

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture
def site(tiny: bytes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    site = Site(tiny)
    handler = type("BoundHandler", (Handler,), {"site": site})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        site.address = f"http://127.0.0.1:{server.server_address[1]}/font.sf2"
        yield site
        server.shutdown()
        thread.join()


@pytest.fixture
def entry(site: Site) -> CatalogEntry:
    digest = hashlib.sha256(site.content).hexdigest()
    download = Download(site.address, "the test's server", "font.sf2", digest)
    return CatalogEntry(
        "font", "Font", "MIT", ("font.sf2",), (KnownFile(digest, "a test's file"),), download=download
    )


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_soundfont_arrives_whole_under_its_name_alone(entry, site, tmp_path):
    folder = tmp_path / "new" / "folder"
    told = []
    path = fetch(entry, folder, lambda have, total: told.append((have, total)))
    assert path == folder / "font.sf2"
    assert path.read_bytes() == site.content
    assert names(folder) == ["font.sf2"]
    assert told[-1] == (len(site.content), len(site.content))
    assert site.asked == [None]


def test_a_file_that_is_there_is_not_downloaded_again(entry, site, tmp_path):
    fetch(entry, tmp_path)
    fetch(entry, tmp_path)
    assert len(site.asked) == 1


def test_a_cut_download_is_kept_and_goes_on_where_it_ended(entry, site, tmp_path):
    site.cut_after = 1000
    with pytest.raises(InterruptedDownloadError, match=r"broke after 1,000 of .*repeat the command to go on"):
        fetch(entry, tmp_path)
    assert names(tmp_path) == ["font.sf2.part"]
    site.cut_after = 500
    with pytest.raises(InterruptedDownloadError, match=r"broke after 1,500 of"):
        fetch(entry, tmp_path)
    site.cut_after = None
    assert fetch(entry, tmp_path).read_bytes() == site.content
    assert site.asked == [None, "bytes=1000-", "bytes=1500-"]
    assert names(tmp_path) == ["font.sf2"]


def test_a_server_without_ranges_starts_anew(entry, site, tmp_path):
    site.cut_after = 1000
    with pytest.raises(InterruptedDownloadError):
        fetch(entry, tmp_path)
    site.cut_after, site.ranges = None, False
    assert fetch(entry, tmp_path).read_bytes() == site.content


def test_a_part_that_is_complete_needs_no_more_bytes(entry, site, tmp_path):
    (tmp_path / "font.sf2.part").write_bytes(site.content)
    assert fetch(entry, tmp_path).read_bytes() == site.content
    assert site.asked == [f"bytes={len(site.content)}-"]


def test_a_part_of_something_else_is_thrown_away_by_its_hash(entry, site, tmp_path):
    (tmp_path / "font.sf2.part").write_bytes(b"RIFF" + bytes(96))
    with pytest.raises(BrokenSoundfontError, match="has the SHA-256"):
        fetch(entry, tmp_path)
    assert names(tmp_path) == []
    assert fetch(entry, tmp_path).read_bytes() == site.content


def test_another_range_than_asked_for_is_refused(entry, site, tmp_path):
    (tmp_path / "font.sf2.part").write_bytes(site.content[:1000])
    site.wrong_range = True
    with pytest.raises(InterruptedDownloadError, match="another part of the file"):
        fetch(entry, tmp_path)
    assert (tmp_path / "font.sf2.part").read_bytes() == site.content[:1000]


def test_a_wrong_hash_leaves_nothing_behind(entry, site, tmp_path):
    site.content = site.content[:-1] + b"\1"
    with pytest.raises(BrokenSoundfontError, match="the catalogue expects") as caught:
        fetch(entry, tmp_path)
    assert hashlib.sha256(site.content).hexdigest() in str(caught.value)
    assert names(tmp_path) == []


@pytest.mark.parametrize("content_type", ["text/html; charset=utf-8", "application/octet-stream"])
def test_a_web_page_is_told_from_a_soundfont(entry, site, tmp_path, content_type):
    site.content, site.content_type = b"<!doctype html><title>Log in</title>", content_type
    with pytest.raises(BrokenSoundfontError, match="web page"):
        fetch(entry, tmp_path)
    assert names(tmp_path) == []


def test_a_web_page_does_not_cost_what_has_arrived(entry, site, tmp_path):
    (tmp_path / "font.sf2.part").write_bytes(site.content[:1000])
    site.ranges, site.content_type = False, "text/html"
    with pytest.raises(BrokenSoundfontError, match="web page"):
        fetch(entry, tmp_path)
    assert (tmp_path / "font.sf2.part").read_bytes() == site.content[:1000]


def test_without_a_known_hash_the_structure_is_checked(entry, site, tmp_path):
    unknown = replace(entry, download=replace(entry.download, sha256=None))
    site.content, site.without_length = site.content[:-10], True
    with pytest.raises(BrokenSoundfontError, match="truncated"):
        fetch(unknown, tmp_path)
    assert names(tmp_path) == []


def test_without_a_known_hash_a_whole_file_is_taken(entry, site, tmp_path):
    unknown = replace(entry, download=replace(entry.download, sha256=None))
    site.without_length = True
    assert fetch(unknown, tmp_path).read_bytes() == site.content


@pytest.mark.parametrize("status", [403, 404, 500, 503])
def test_the_servers_refusal_is_reported(entry, site, tmp_path, status):
    site.status = status
    with pytest.raises(InterruptedDownloadError, match=f"the server answered {status}"):
        fetch(entry, tmp_path)
    assert names(tmp_path) == []


def test_no_server_is_reported_in_one_line(entry, tmp_path):
    # Port 9 (discard) is closed here.
    gone = replace(entry, download=replace(entry.download, address="http://127.0.0.1:9/font.sf2"))
    with pytest.raises(InterruptedDownloadError, match=r"connection failed .*try again later") as caught:
        fetch(gone, tmp_path)
    assert "\n" not in str(caught.value)
    assert names(tmp_path) == []


def test_another_file_in_its_place_is_left_alone(entry, tmp_path):
    (tmp_path / "font.sf2").write_bytes(b"mine")
    with pytest.raises(SpecError, match="move it away"):
        fetch(entry, tmp_path)
    assert (tmp_path / "font.sf2").read_bytes() == b"mine"


def test_two_downloads_of_one_file_do_not_mix(entry, site, tmp_path):
    other = []

    def start_another(_have: int, _total: int | None) -> None:
        with pytest.raises(RenderError, match="another process is downloading") as caught:
            fetch(entry, tmp_path)
        other.append(caught)

    fetch(entry, tmp_path, start_another)
    assert other
    assert (tmp_path / "font.sf2").read_bytes() == site.content


def test_a_folder_that_cannot_be_made_is_reported(entry, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(RenderError, match=r"can't save the download: .*directory"):
        fetch(entry, tmp_path / "file" / "folder")


def test_a_full_disk_is_reported(entry, site, tmp_path):
    site.content += bytes(2 * BLOCK_SIZE)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(RenderError, match=r"font\.sf2.*: can't save the download: "):
            fetch(entry, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_an_entry_without_an_address_says_what_to_do(tmp_path):
    with pytest.raises(SpecError, match="apt-get install timgm6mb-soundfont"):
        fetch(entry_of("timgm6mb"), tmp_path)
