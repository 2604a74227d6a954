"""What every request has to pass, and what every reply carries.

- The `Host` has to be one of ours: a foreign name that was made to point here (DNS rebinding) gets nothing.
- A POST has to come from a page of this server, by its `Origin`; the session cookie is `SameSite=Strict` too.
- Replies are never stored, embedded or guessed at, and pages may load nothing from elsewhere.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_READING = frozenset({"GET", "HEAD"})


def own_names(host: str, names: Iterable[str] = ()) -> tuple[frozenset[str], bool]:
    """Return the names by which a server may be called, and whether any address will do.

    Parameters
    ----------
    host : str
        What the server is bound to.
    names : iterable of str
        Names that were given on the command line.
    """
    own = {name.lower().rstrip(".") for name in names} | _LOOPBACK
    if host.lower() in _LOOPBACK:
        return frozenset(own), False
    return frozenset(own | {host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}), True


class Guard:
    """Middleware that lets only proper requests pass.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    names : frozenset of str
        Names by which the server may be called.
    addresses : bool
        Whether it may be called by any IP address.
    policy : str
        The content security policy of its pages.
    """

    def __init__(self, app: ASGIApp, names: frozenset[str], policy: str, *, addresses: bool) -> None:
        self._app = app
        self._names = names
        self._addresses = addresses
        self._headers = {
            "Content-Security-Policy": policy,
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        refusal = self._refusal(scope["method"], Headers(scope=scope))
        app = self._app if refusal is None else refusal
        await app(scope, receive, send_with_headers)

    def _refusal(self, method: str, headers: Headers) -> PlainTextResponse | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return PlainTextResponse("This server doesn't go by that name.", status_code=421)
        if method not in _READING and not _is_origin(headers.get("origin", ""), hosts[0]):
            return PlainTextResponse("Only pages of this server may send that.", status_code=403)
        return None

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return name.rstrip(".") in self._names or (self._addresses and _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_origin(origin: str, host: str) -> bool:
    """Return whether an origin is that of the pages that are served under a host."""
    scheme, _, place = origin.partition("://")
    return scheme in {"http", "https"} and place.lower() == host.lower()
