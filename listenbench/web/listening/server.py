"""The process that serves a listening test."""

from __future__ import annotations

import errno
import signal
import socket
from types import FrameType
from typing import NoReturn

import uvicorn
from starlette.types import ASGIApp

from listenbench.errors import SpecError

_SECONDS_TO_END = 1
_BACKLOG = 128
_ANYWHERE = frozenset({"0.0.0.0", "::", ""})


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to an address.

    Parameters
    ----------
    host : str
        A name or address of this machine.
    port : int
        0 for any that is free.

    Raises
    ------
    SpecError
        If the port is in use, or the address is not one of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise SpecError(f"--host {host}: {error.strerror}") from None
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(_BACKLOG)
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            raise SpecError(f"port {port} on {host} is in use: give another --port, or 0 for any") from None
        raise SpecError(f"{host}, port {port}: can't listen there: {error.strerror}") from None
    return bound


def address_of(bound: socket.socket, host: str) -> str:
    """Return the address to be opened in a browser."""
    port = bound.getsockname()[1]
    name = socket.gethostname() if host in _ANYWHERE else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/"


def serve(app: ASGIApp, bound: socket.socket) -> None:
    """Serve an application until the process is told to end, by Ctrl-C or SIGTERM; then return.

    Open connections have a second to finish.
    """
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )
    # The server hands the signal on when it has ended.
    before = signal.signal(signal.SIGTERM, _end)
    try:
        uvicorn.Server(config).run(sockets=[bound])
    except KeyboardInterrupt:
        return
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
