"""The addresses of the listening test.

GET /                the page of the stage that the listener is at
GET /audio/TOKEN     the sound of the trial that the listener is at, and of no other
POST /begin          consent: a session begins
POST /play, /heard   a sound was started, was heard to its end
POST /answer         an answer
POST /next           on from a page on which nothing is asked
POST /leave          the browser is free for another listener
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from listenbench.audio import MEDIA_TYPES, WAV
from listenbench.web.guard import Guard, OwnNames, content_security_policy
from listenbench.web.listening.course import ListeningTest, RefusedError
from listenbench.web.listening.pages import frame_page, stage_page, welcome_page
from listenbench.web.listening.sounds import volume_music
from listenbench.web.listening.stages import Stage
from listenbench.web.listening.store import Listener
from listenbench.web.ranges import ranged_response

VOLUME_SOUND: Final = "volume"
"""Token of the music for setting the volume, which is the same for everybody."""

_LARGEST_BODY: Final = 4096
_COOKIE_SECONDS: Final = 30 * 24 * 3600
_LONGEST_COOKIE: Final = 200
_UNSAVED: Final = (
    "Your answer is safe here, but could not be written to its file. Please tell whoever runs the test."
)


def make_app(
    test: ListeningTest, names: OwnNames, *, questions: int, consent: tuple[str, ...] | None = None
) -> Starlette:
    """Return the application.

    Parameters
    ----------
    test : ListeningTest
        The open test.
    names : OwnNames
        Names by which the server may be called.
    questions : int
        Number of questions a listener.
    consent : tuple of str or None
        Paragraphs of the consent text; None for ours.
    """
    handlers = _Handlers(test, questions, consent)
    posts: Mapping[str, _Post] = {
        "begin": handlers.begin,
        "play": handlers.play,
        "heard": handlers.heard,
        "answer": handlers.answer,
        "next": handlers.go_on,
        "leave": handlers.leave,
    }
    routes = [Route("/", handlers.home), Route("/audio/{token}", handlers.audio)]
    routes += [Route(f"/{name}", _post(handler), methods=["POST"]) for name, handler in posts.items()]
    guard = Middleware(Guard, names=names, policy=content_security_policy(frame_page()))
    return Starlette(routes=routes, middleware=[guard], exception_handlers={RefusedError: _refused})


_Post = Callable[[Request, Mapping[str, Any]], Awaitable[Response]]


class _Handlers:
    def __init__(self, test: ListeningTest, questions: int, consent: tuple[str, ...] | None) -> None:
        self._test = test
        self._questions = questions
        self._consent = consent
        self._cookie = f"listening-{test.name}"
        self._volume_music = volume_music(test.material.loudness_lufs)

    def _listener(self, request: Request) -> Listener | None:
        cookie = request.cookies.get(self._cookie, "")
        return self._test.listener_of(cookie) if 0 < len(cookie) <= _LONGEST_COOKIE else None

    def _known_listener(self, request: Request) -> Listener:
        listener = self._listener(request)
        if listener is None:
            raise RefusedError(401, "There is no session in this browser. Open the first page.")
        return listener

    async def home(self, request: Request) -> Response:
        listener = self._listener(request)
        if listener is None:
            return HTMLResponse(welcome_page(self._test, self._consent, self._questions))
        return HTMLResponse(stage_page(self._test, listener))

    async def audio(self, request: Request) -> Response:
        listener, token = self._known_listener(request), request.path_params["token"]
        if token == VOLUME_SOUND and listener.stage is Stage.VOLUME:
            content = self._volume_music
        else:
            content = self._test.sound(listener, token)
        return ranged_response(content, request.headers.get("range"), MEDIA_TYPES[WAV])

    async def begin(self, request: Request, body: Mapping[str, Any]) -> Response:
        if body.get("consent") is not True:
            raise RefusedError(400, "Nobody takes part without consent.")
        response = Response(status_code=204)
        if self._listener(request) is None:
            response.set_cookie(
                self._cookie,
                self._test.begin(),
                max_age=_COOKIE_SECONDS,
                httponly=True,
                samesite="strict",
                secure=request.headers["origin"].startswith("https:"),
            )
        return response

    async def play(self, request: Request, body: Mapping[str, Any]) -> Response:
        self._test.played(self._known_listener(request), _text(body, "token"))
        return Response(status_code=204)

    async def heard(self, request: Request, body: Mapping[str, Any]) -> Response:
        self._test.heard(self._known_listener(request), _text(body, "token"))
        return Response(status_code=204)

    async def answer(self, request: Request, body: Mapping[str, Any]) -> Response:
        listener = self._known_listener(request)
        try:
            self._test.answer(listener, _text(body, "token"), body.get("answer"), body.get("seconds"))
        except OSError:
            raise RefusedError(507, _UNSAVED) from None
        return Response(status_code=204)

    async def go_on(self, request: Request, body: Mapping[str, Any]) -> Response:
        listener = self._known_listener(request)
        self._test.go_on(listener, body.get("stage"), again=body.get("again") is True)
        return Response(status_code=204)

    async def leave(self, request: Request, _body: Mapping[str, Any]) -> Response:
        if self._known_listener(request).stage is not Stage.DONE:
            raise RefusedError(409, "There are questions left.")
        response = Response(status_code=204)
        response.delete_cookie(self._cookie, httponly=True, samesite="strict")
        return response


def _post(handler: _Post) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that takes a small JSON object."""

    async def endpoint(request: Request) -> Response:
        body = await _object(request)
        try:
            return await handler(request, body)
        except sqlite3.Error:
            raise RefusedError(507, "This can't be saved now. Please tell whoever runs the test.") from None

    return endpoint


async def _object(request: Request) -> Mapping[str, Any]:
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise RefusedError(415, "Send application/json.")
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > _LARGEST_BODY:
            raise RefusedError(413, "That is too much.")
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise RefusedError(400, "Send a JSON object.")
    return value


def _text(body: Mapping[str, Any], field: str) -> str:
    value = body.get(field)
    if not isinstance(value, str) or not value.isascii():
        raise RefusedError(400, f"{field} is missing.")
    return value


async def _refused(_request: Request, error: Exception) -> Response:
    status = error.status if isinstance(error, RefusedError) else 500
    return JSONResponse({"reason": str(error)}, status_code=status)
