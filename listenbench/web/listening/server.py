"""The process that serves a listening test."""

from __future__ import annotations

import errno
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

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


def serve(app: ASGIApp, bound: socket.socket, announce: Callable[[], None]) -> None:
    """Serve an application until the process is told to end, by Ctrl-C or SIGTERM; then return.

    Open connections have a second to finish.

    Parameters
    ----------
    app : ASGI application
        What is served.
    bound : socket
        Where.
    announce : callable
        Called once the first request would be answered.
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
    server = _Server(config, announce)
    # What the end cuts off is no error that anybody has to read about.
    logging.getLogger("uvicorn.error").addFilter(lambda _: not server.should_exit)
    with _ending_by_signal(server):
        server.run(sockets=[bound])


class _Server(uvicorn.Server):
    """A server that says when it is up."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()


@contextmanager
def _ending_by_signal(server: uvicorn.Server) -> Iterator[None]:
    """Let signals do no more than end the server.

    It has handlers of its own while it runs, but puts these back at its end and raises the signal again.
    """

    def end(_signal: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
