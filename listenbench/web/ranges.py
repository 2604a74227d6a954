"""Parts of a sound by HTTP's `Range` (RFC 9110, section 14): Safari plays nothing without them.

The file response of Starlette would do it as well, but tells the time of the file in its headers, by which a
listener could match the variants of an item.
"""

from __future__ import annotations

import re

from starlette.responses import Response

_ONE_RANGE = re.compile(r"bytes=\s*(\d{0,12})\s*-\s*(\d{0,12})\s*")


def ranged_response(content: bytes, wanted: str | None, media_type: str) -> Response:
    """Return the whole content, or the part that is asked for.

    Parameters
    ----------
    content : bytes
        The whole.
    wanted : str or None
        The header `Range`. Several ranges, or another unit, are answered with the whole, as the RFC allows.
    media_type : str
        Type of the content.
    """
    headers = {"Accept-Ranges": "bytes"}
    match = _ONE_RANGE.fullmatch(wanted or "")
    if match is None or not any(match.groups()):
        return Response(content, media_type=media_type, headers=headers)
    part = _part(match[1], match[2], len(content))
    if part is None:
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{len(content)}"})
    first, last = part
    headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
    return Response(content[first : last + 1], status_code=206, media_type=media_type, headers=headers)


def _part(first: str, last: str, size: int) -> tuple[int, int] | None:
    """Return the first and the last byte of a range; None if there is nothing in it."""
    if not first:
        start, end = max(0, size - int(last)), size - 1
    else:
        start, end = int(first), min(size - 1, int(last) if last else size - 1)
    return (start, end) if start <= end else None
