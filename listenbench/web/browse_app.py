"""The page of items as a web application."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from listenbench.audio import MEDIA_TYPES, read_audio
from listenbench.errors import DataError, ListenbenchError
from listenbench.web.browse_page import index_page, item_script, page_without_items
from listenbench.web.guard import Guard, content_security_policy, own_names
from listenbench.web.item_index import ItemIndex
from listenbench.web.ranges import ranged_response
from listenbench.web.sound_picture import sound_picture

_PICTURES_KEPT: Final = 256


def browse_app(index: ItemIndex, host: str, *, answers: bool) -> ASGIApp:
    """Return the application that serves a data set.

    Parameters
    ----------
    index : ItemIndex
        The data set.
    host : str
        What the server is bound to.
    answers : bool
        Whether answers can be asked for.
    """

    @lru_cache(_PICTURES_KEPT)
    def picture_of(path: Path) -> bytes:
        return sound_picture(read_audio(path))

    def start(_request: Request) -> Response:
        return _utf8(index_page(index, answers=answers), "text/html")

    def item(request: Request) -> Response:
        number = request.path_params["number"]
        if number >= len(index.items):
            raise HTTPException(404)
        return _utf8(item_script(index, number, answers=answers), "text/javascript")

    def picture(request: Request) -> Response:
        return Response(picture_of(_recording(index, request)), media_type="image/png")

    def audio(request: Request) -> Response:
        path = _recording(index, request)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise DataError(f"{path}: can't read this recording: {error.strerror}") from None
        return ranged_response(content, request.headers.get("range"), MEDIA_TYPES[index.suffix])

    routes = [
        Route("/", start),
        Route("/items/{number:int}.js", item),
        Route("/pictures/{identifier}.png", picture),
        Route(f"/audio/{{identifier}}.{index.suffix}", audio),
    ]
    app = Starlette(routes=routes, exception_handlers={ListenbenchError: _explained})
    return Guard(app, own_names(host), content_security_policy(page_without_items(), scripts=True))


def _recording(index: ItemIndex, request: Request) -> Path:
    """Return the recording that a request names; only ids that the data set lists name one."""
    path = index.recording_path(request.path_params["identifier"])
    if path is None:
        raise HTTPException(404)
    return path


def _explained(_request: Request, error: Exception) -> Response:
    """Answer a request that a damaged data set makes fail."""
    return PlainTextResponse(f"{error}\n", status_code=500)


def _utf8(text: str, media_type: str) -> Response:
    """Return a text as an answer; what UTF-8 can't carry becomes a question mark."""
    return Response(text.encode("utf-8", "replace"), media_type=f"{media_type}; charset=utf-8")
