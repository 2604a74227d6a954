"""Downloading a soundfont from its maker into the user's data folder.

A download goes to a '.part' file beside its destination. A broken connection leaves that file, and the next
call goes on where it ended (HTTP range requests [1]_). Only a complete file with the right SHA-256 gets its
real name.

References
----------
.. [1] Fielding, R., Nottingham, M., Reschke, J. (2022). HTTP Semantics, RFC 9110, section 14.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import http.client
import os
import re
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Final

from listenbench._version import __version__
from listenbench.errors import RenderError, SpecError
from listenbench.soundfonts.entries import CatalogEntry, Download
from listenbench.soundfonts.riff import HEADER_SIZE, BrokenSoundfontError, check_header, check_whole

BLOCK_SIZE: Final = 1 << 18
"""Bytes read and written at a time."""

TIMEOUT_SECONDS: Final = 30.0
"""How long a server may stay silent."""

_CONNECTION_ERRORS: Final = (
    urllib.error.URLError,
    http.client.HTTPException,
    ConnectionError,
    TimeoutError,
    ssl.SSLError,
)

Progress = Callable[[int, int | None], Any]
"""Called with the bytes that are there and, if known, the bytes that there will be."""


class InterruptedDownloadError(RenderError):
    """The connection broke; what has arrived is kept for the next attempt."""


def fetch(entry: CatalogEntry, folder: Path, progress: Progress | None = None) -> Path:
    """Download a soundfont, or finish a download that was interrupted.

    Parameters
    ----------
    entry : CatalogEntry
        Which soundfont.
    folder : Path
        Where to put it; made if it does not exist.
    progress : callable, optional
        Told how far the download is.

    Returns
    -------
    Path
        The file. If it was there already and is right, nothing is downloaded.

    Raises
    ------
    SpecError
        If the catalogue has no address for it, or another file has its place.
    InterruptedDownloadError
        If the connection can't be made or breaks.
    BrokenSoundfontError
        If what arrives is no soundfont, not whole, or not the file that it should be.
    RenderError
        If the folder or the disk refuses.
    """
    download = entry.download
    if download is None:
        raise SpecError(
            f"soundfont {entry.name!r}: the catalogue has no address for it: get it with {entry.how_to_get()}"
        )
    target = folder / download.file_name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if target.exists():
            _check_existing(target, download)
            return target
        with _locked_part(target) as part:
            _complete(part, download, progress)
            _check_arrived(Path(part.name), download)
            os.fsync(part.fileno())
            os.replace(part.name, target)  # noqa: PTH105 # the part is known by its handle
    except OSError as error:
        where = error.filename or target
        raise RenderError(f"{where}: can't save the download: {error.strerror or error}") from None
    return target


@contextlib.contextmanager
def _locked_part(target: Path) -> Iterator[IO[bytes]]:
    """Open the part file for reading and appending, for this process alone."""
    path = target.with_name(target.name + ".part")
    with path.open("a+b") as part:
        try:
            fcntl.flock(part, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RenderError(f"{path}: another process is downloading this soundfont: wait for it") from None
        try:
            yield part
        finally:
            part.flush()
            if path.exists() and path.stat().st_size == 0:
                path.unlink()


def _complete(part: IO[bytes], download: Download, progress: Progress | None) -> None:
    """Append what is missing."""
    have = part.seek(0, os.SEEK_END)
    try:
        with _open(download.address, have) as response:
            _check_type(response, download)
            have, total = _agree(part, have, response, download)
            have = _copy(response, part, have, total, progress)
            part.flush()
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and have:
            return  # everything was there already; if it is not the right thing, its hash says so
        raise InterruptedDownloadError(
            f"{download.address}: the server answered {error.code} {error.reason}"
        ) from None
    except _CONNECTION_ERRORS as error:
        reason = " ".join(str(getattr(error, "reason", None) or error).split())
        raise InterruptedDownloadError(
            f"{download.address}: the connection failed ({reason}){_resume(part)}"
        ) from None
    if total is not None and have < total:
        raise InterruptedDownloadError(
            f"{download.address}: the connection broke after {have:,} of {total:,} bytes{_resume(part)}"
        )


def _open(address: str, start: int) -> Any:
    headers = {"User-Agent": f"listenbench/{__version__}", "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    request = urllib.request.Request(address, headers=headers)
    return urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)


def _agree(part: IO[bytes], have: int, response: Any, download: Download) -> tuple[int, int | None]:
    """Return at which byte the answer starts and how many bytes there will be; None if it does not say."""
    if response.status == http.client.PARTIAL_CONTENT:
        match = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("Content-Range", ""))
        if match is None or int(match[1]) != have:
            raise InterruptedDownloadError(
                f"{download.address}: the server sent another part of the file than was asked for; "
                f"delete {part.name} and try again"
            )
        return have, None if match[2] == "*" else int(match[2])
    part.truncate(0)  # a server without ranges starts anew
    length = response.headers.get("Content-Length")
    return 0, int(length) if length else None


def _check_type(response: Any, download: Download) -> None:
    if response.headers.get_content_type() in {"text/html", "application/xhtml+xml"}:
        raise BrokenSoundfontError(
            f"{download.address}: the server sent a web page, not a soundfont: "
            "a login or a moved file may be behind it"
        )


def _copy(response: Any, part: IO[bytes], have: int, total: int | None, progress: Progress | None) -> int:
    """Append the answer's body and return how many bytes there are then."""
    while block := response.read(BLOCK_SIZE):
        if have == 0:
            check_header(block[:HEADER_SIZE], response.url)
        part.write(block)
        have += len(block)
        if progress is not None:
            progress(have, total)
    return have


def _check_arrived(part: Path, download: Download) -> None:
    """Check hash and structure; a wrong file is deleted, so that the next attempt starts anew."""
    try:
        if download.sha256 is not None:
            _check_hash(part, download.sha256, download.address)
        check_whole(part)
    except BrokenSoundfontError:
        part.unlink()
        raise


def _check_existing(target: Path, download: Download) -> None:
    if download.sha256 is not None:
        try:
            _check_hash(target, download.sha256, str(target))
        except BrokenSoundfontError as error:
            raise SpecError(f"{error}; move it away to download it anew") from None
    check_whole(target)


def _check_hash(path: Path, expected: str, where: str) -> None:
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if actual != expected:
        raise BrokenSoundfontError(
            f"{where}: the file has the SHA-256 {actual}, the catalogue expects {expected}"
        )


def _resume(part: IO[bytes]) -> str:
    part.flush()
    have = os.fstat(part.fileno()).st_size
    return f"; {have:,} bytes are kept: repeat the command to go on" if have else "; try again later"
