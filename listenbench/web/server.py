"""A small web server for one's own machine: bound before it is announced, and ended by Ctrl-C or SIGTERM."""

from __future__ import annotations

import errno
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from listenbench.errors import SpecError

LOCAL_HOST: Final = "127.0.0.1"
"""The address that nobody but this machine can reach."""

_SECONDS_TO_END: Final = 1
_BACKLOG: Final = 128
_ANYWHERE: Final = frozenset({"0.0.0.0", "::"})


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address: who connects from now on will be answered.

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


def address_of(bound: socket.socket, host: str) -> str:
    """Return the address to be opened in a browser.

    Parameters
    ----------
    bound : socket
        From `bound_socket`.
    host : str
        What it was asked to be bound to. Where that is every interface, the address has this machine's name.
    """
    port = bound.getsockname()[1]
    name = socket.gethostname() if host in _ANYWHERE else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/"


def serve(app: ASGIApp, bound: socket.socket, announce: Callable[[], None]) -> None:
    """Serve an application until the process is told to end, by Ctrl-C or SIGTERM; then return.

    Open connections have a second to finish. To be called from the main thread.

    Parameters
    ----------
    app : ASGI application
        What is served.
    bound : socket
        Where.
    announce : callable
        Called once the process can be told to end; requests are answered from then on.
    """
    server = uvicorn.Server(_config(app))
    with _ending_by_signal(server), _quiet_end(server):
        announce()
        server.run(sockets=[bound])


@contextmanager
def running(app: ASGIApp) -> Iterator[str]:
    """Serve an application in a thread of its own; yield the address, and end with the context."""
    server = uvicorn.Server(_config(app))
    with bound_socket(LOCAL_HOST, 0) as bound, _quiet_end(server):
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        try:
            yield address_of(bound, LOCAL_HOST)
        finally:
            server.should_exit = True
            thread.join()


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )


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


@contextmanager
def _quiet_end(server: uvicorn.Server) -> Iterator[None]:
    """Keep silent about requests that the end cuts off: that is no error that anybody has to read about."""

    def is_running(_record: logging.LogRecord) -> bool:
        return not server.should_exit

    log = logging.getLogger("uvicorn.error")
    log.addFilter(is_running)
    try:
        yield
    finally:
        log.removeFilter(is_running)
