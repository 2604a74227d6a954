"""A small web server for one's own machine: bound before it is announced, guarded, and ended by Ctrl-C.

A page of another site may make a browser ask a server on this machine. Two things keep what it would get from
that page: the Host header must name this machine, so that no other name can be made to lead here (DNS
rebinding), and every answer forbids other sites to load it (Cross-Origin-Resource-Policy).
"""

from __future__ import annotations

import base64
import contextlib
import errno
import hashlib
import ipaddress
import re
import signal
import socket
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from listenbench.errors import SpecError

if TYPE_CHECKING:
    import uvicorn

LOCAL_HOST: Final = "127.0.0.1"
"""The address that nobody but this machine can reach."""

SECURITY_HEADERS: Final[Mapping[str, str]] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
"""Sent with every answer."""

_SECONDS_TO_END: Final = 1
_BACKLOG: Final = 128
_OWN_ELEMENT: Final = re.compile(r"<(style|script)>(.*?)</\1>", re.DOTALL)


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address.

    Parameters
    ----------
    host : str
        Name or number of an interface of this machine.
    port : int
        0 for any that is free.

    Raises
    ------
    SpecError
        If the address can't be had.
    """
    try:
        family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except socket.gaierror as error:
        raise SpecError(f"--host {host}: no such address: {error.strerror}") from None
    except (OSError, UnicodeError) as error:
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            raise SpecError(
                f"--port {port}: in use: give another one, or --port 0 for any that is free"
            ) from None
        raise SpecError(f"--host {host} --port {port}: {getattr(error, 'strerror', None) or error}") from None


def url_of(listener: socket.socket) -> str:
    """Return the address of the page that a socket will serve, for a browser on this machine."""
    host, port = listener.getsockname()[:2]
    address = ipaddress.ip_address(host)
    if address.is_unspecified:
        host = "::1" if address.version == 6 else LOCAL_HOST
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Answer requests until the process is asked to end, by Ctrl-C or SIGTERM; then return within 2 s.

    To be called from the main thread.

    Parameters
    ----------
    app : ASGI application
        What answers.
    listener : socket
        From `listening_socket`; it is closed at the end.
    """
    import uvicorn

    # Uvicorn ends in good order at either signal, and then raises it again.
    earlier = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(_config(app)).run(sockets=[listener])
    finally:
        signal.signal(signal.SIGTERM, earlier)
        listener.close()


@contextlib.contextmanager
def running(app: ASGIApp) -> Iterator[str]:
    """Answer requests in a thread of its own; yield the address, and end with the context."""
    import uvicorn

    listener = listening_socket(LOCAL_HOST, 0)
    server = uvicorn.Server(_config(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield url_of(listener)
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def _config(app: ASGIApp) -> uvicorn.Config:
    import uvicorn

    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )


def is_own_host(header: str, host: str) -> bool:
    """Return whether a Host header names this machine and no name that others could make lead here.

    Parameters
    ----------
    header : str
        For example 'localhost:8000' or '[::1]:8000'.
    host : str
        What the server was asked to be bound to.

    Notes
    -----
    An address in numbers is always fine: rebinding needs a name.
    """
    name = header.rpartition(":")[0] if re.search(r":\d*$", header) and not header.endswith("]") else header
    name = name.lower().removesuffix(".")
    if name in {"localhost", host.lower(), socket.gethostname().lower()}:
        return bool(name)
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


class Guarded:
    """An application behind the check of the Host header, all of whose answers carry the security headers.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    host : str
        What the server is bound to.
    policy : str
        The Content-Security-Policy.
    """

    def __init__(self, app: ASGIApp, host: str, policy: str) -> None:
        self._app = app
        self._host = host
        self._headers = {**SECURITY_HEADERS, "Content-Security-Policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        app = self._app
        if scope["type"] == "http" and not is_own_host(Headers(scope=scope).get("host", ""), self._host):
            app = PlainTextResponse("The Host header doesn't name this server.\n", status_code=400)
        await app(scope, receive, send_guarded)


def content_security_policy(page: str) -> str:
    """Return a Content-Security-Policy under which a page works, and no other script or style in it.

    Parameters
    ----------
    page : str
        The page with nothing foreign in it: whatever style and script elements without attributes stand
        in it are allowed, by their SHA-256.
    """
    sources: dict[str, list[str]] = {"style": [], "script": []}
    for element, content in _OWN_ELEMENT.findall(page):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        sources[element].append(f"'sha256-{digest}'")
    return "; ".join(
        [
            "default-src 'none'",
            " ".join(["script-src 'self'", *sources["script"]]),
            " ".join(["style-src 'self'", *sources["style"]]),
            "img-src 'self' data:",
            "media-src 'self'",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    )
