"""What every request has to pass, and what every reply carries.

A page of another site may make a browser ask a server on this machine.

- The `Host` has to be one of ours: a foreign name that was made to point here (DNS rebinding) gets nothing.
- A POST has to come from a page of this server, by its `Origin`.
- Replies are never stored, embedded or guessed at, and pages may load nothing from elsewhere.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import re
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECURITY_HEADERS: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Sent with every reply, beside the policy of its pages."""

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_READING: Final = frozenset({"GET", "HEAD"})
_OWN_ELEMENT: Final = re.compile(r"<(style|script)>(.*?)</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class OwnNames:
    """The names by which a server may be called.

    Attributes
    ----------
    names : frozenset of str
        In lower case, without a dot at the end.
    any_address : bool
        Whether any IP address will do as well: rebinding needs a name.
    """

    names: frozenset[str]
    any_address: bool

    def include(self, host: str) -> bool:
        """Return whether a `Host` header, such as 'localhost:8000' or '[::1]:8000', has one of the names."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return name.removesuffix(".") in self.names or (self.any_address and _is_address(name))


def own_names(host: str, names: Iterable[str] = ()) -> OwnNames:
    """Return the names by which a server may be called.

    Parameters
    ----------
    host : str
        What it is bound to. Where only this machine reaches that, only names of this machine's own count.
    names : iterable of str
        Further names, such as a proxy's.
    """
    own = {name.lower().rstrip(".") for name in names} | _LOOPBACK
    if host.lower() in _LOOPBACK:
        return OwnNames(frozenset(own), any_address=False)
    machine = {host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}
    return OwnNames(frozenset(own | machine), any_address=True)


class Guard:
    """Middleware that lets only proper requests pass.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    names : OwnNames
        Names by which the server may be called.
    policy : str
        The content security policy of its pages.
    """

    def __init__(self, app: ASGIApp, names: OwnNames, policy: str) -> None:
        self._app = app
        self._names = names
        self._headers = {**SECURITY_HEADERS, "Content-Security-Policy": policy}

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
        if len(hosts) != 1 or not self._names.include(hosts[0]):
            return PlainTextResponse("This server doesn't go by that name.", status_code=421)
        if method not in _READING and not _is_origin(headers.get("origin", ""), hosts[0]):
            return PlainTextResponse("Only pages of this server may send that.", status_code=403)
        return None


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


def content_security_policy(frame: str, *, scripts: bool = False) -> str:
    """Return the policy under which a page may use our style and script, our sounds, and nothing else.

    Parameters
    ----------
    frame : str
        The page with nothing foreign in it. The style and script elements without attributes that stand in
        it are allowed, by their SHA-256; so nothing that gets into a page later, by whatever fault, is.
    scripts : bool
        Whether the server has scripts at addresses of their own.
    """
    digests: dict[str, list[str]] = {"style": [], "script": ["'self'"] if scripts else []}
    for element, content in _OWN_ELEMENT.findall(frame):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        digests[element].append(f"'sha256-{digest}'")
    return "; ".join(
        [
            "default-src 'none'",
            " ".join(["script-src", *digests["script"]]),
            " ".join(["style-src", *digests["style"]]),
            "img-src 'self' data:",
            "media-src 'self'",
            "connect-src 'self'",
            "form-action 'none'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
    )
